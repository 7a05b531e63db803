"""Token texts as data: what a person typed is drawn as typed, and never read as markup."""

import unicodedata
from itertools import chain

FIRST_STRONG_ISOLATE, POP_ISOLATE = "\u2068", "\u2069"
ZERO_WIDTH_JOINERS = "\u200c\u200d"
MARKS_KEPT = 3
LETTERS_PER_CHARACTER = 16  # an emoji of a family has eleven

# Plotly reads a little HTML, entities, TeX between dollars and %{…}; Streamlit's theme rewrites some #rrggbb wherever they stand.
# One translate pass: with one replace after the other, the & of the first entity would be escaped again.
_ESCAPES = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", "$": "&#36;", "#": "&#35;", "%": "&#37;"}
)


def plotly_text(text: str, limit: int = 24) -> str:
    """A text as Plotly has to be given it so that it shows literally: cleaned, shortened, escaped, isolated.

    Args:
        text: Any text, such as a token.
        limit: The most characters, as a reader counts them, that are shown.

    Returns:
        The text for `ticktext`, `text`, `customdata` or a title, between isolates, so that a right-to-left word
        does not reorder what stands beside it.
    """
    return FIRST_STRONG_ISOLATE + shown_text(text, limit).translate(_ESCAPES) + POP_ISOLATE


def shown_text(text: str, limit: int = 24) -> str:
    """What a reader sees of a text: nothing invisible, nothing piled up, an ellipsis in the middle if it is long.

    Args:
        text: Any text, such as a token.
        limit: The most characters, as a reader counts them, that are kept.
    """
    if not text:
        return "∅"
    if len(text) <= limit and text.isascii() and text.isprintable() and not text.isspace():
        return text  # as almost every word: there is nothing to look at more closely
    if text.isspace():
        text = "".join("␣" if unicodedata.category(space) == "Zs" else space for space in text)
    # A word may have a hundred thousand letters: what is far from both ends is never shown, so never looked at.
    ends = LETTERS_PER_CHARACTER * limit
    is_cut = len(text) > 2 * ends
    if is_cut:
        text = text[:ends] + text[-ends:]
    clusters = _clusters("".join(map(_visible, text)))
    if is_cut or len(clusters) > limit:
        tail = (limit - 1) // 2
        clusters = [*clusters[: limit - 1 - tail], "…", *clusters[len(clusters) - tail :]]
    return "".join(clusters)


def _visible(character: str) -> str:
    """The character, or a stand-in for one that would not be seen or would reorder the others."""
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    category = unicodedata.category(character)
    invisible = category in {"Cc", "Cs", "Zl", "Zp"} or (
        category == "Cf" and character not in ZERO_WIDTH_JOINERS
    )
    return "\ufffd" if invisible else character


def _clusters(text: str) -> list[str]:
    """Characters as a reader counts them: a letter with its marks (three at most), an emoji with all its parts."""
    clusters: list[list[str]] = []
    for character in text:
        if clusters and _joins(clusters[-1], character):
            if not _is_mark(character) or sum(map(_is_mark, clusters[-1])) < MARKS_KEPT:
                clusters[-1].append(character)
        else:
            # A mark with no letter under it would sit on whatever stands to the left.
            clusters.append(["◌", character] if _is_mark(character) else [character])
    return ["".join(cluster) for cluster in clusters]


def _joins(cluster: list[str], character: str) -> bool:
    """Whether a character belongs to the cluster before it."""
    flag = len(cluster) == 1 and all(map(_is_flag_letter, chain(cluster, character)))
    skin_tone = 0x1F3FB <= ord(character) <= 0x1F3FF
    joined = character in ZERO_WIDTH_JOINERS or cluster[-1] in ZERO_WIDTH_JOINERS
    return joined or flag or skin_tone or _is_mark(character)


def _is_mark(character: str) -> bool:
    return unicodedata.category(character).startswith("M")


def _is_flag_letter(character: str) -> bool:
    return 0x1F1E6 <= ord(character) <= 0x1F1FF
