"""The bytes that tokens stand for into what a person should read.

Whole characters, also where one is spread over several tokens; and a picture or a name for what would not be seen or
would act on the text around it: spaces, controls, marks of direction.
"""

import unicodedata
from collections.abc import Sequence

_BIDI = {
    "\u061c": "ALM", "\u200e": "LRM", "\u200f": "RLM", "\u202a": "LRE", "\u202b": "RLE", "\u202c": "PDF",
    "\u202d": "LRO", "\u202e": "RLO", "\u2066": "LRI", "\u2067": "RLI", "\u2068": "FSI", "\u2069": "PDI",
}  # fmt: skip
_BLANK_LETTERS = "\u115f\u1160\u2800\u3164\uffa0"
_PICTURES = str.maketrans(
    {chr(code): chr(0x2400 + code) for code in range(0x20)}
    | {chr(code): "␣" for code in range(0x3001) if unicodedata.category(chr(code)) == "Zs"}
    | {"\t": "⇥", "\n": "⏎", "\u2028": "⏎", "\u2029": "⏎", "\x7f": "␡", "\xa0": "⍽", "\u202f": "⍽"}
    | {mark: f"⟨{name}⟩" for mark, name in _BIDI.items()}
    | {blank: f"⟨U+{ord(blank):04X}⟩" for blank in [*map(chr, range(0x80, 0xA0)), *_BLANK_LETTERS]}
    # What "surrogateescape" makes of a byte that is no part of a character.
    | {chr(0xDC00 + byte): f"\\x{byte:02x}" for byte in range(0x80, 0x100)}
)


def labels_of(pieces: Sequence[bytes]) -> list[str]:
    """What to read for each token, given its bytes.

    A character that is spread over n tokens stands in each of them, as "é 1/2" and "é 2/2". A byte that is no part of
    a character at all, as where a text was cut, is shown as a number.
    """
    owners = [index for index, piece in enumerate(pieces) for _ in piece]
    # Of each token, in order: characters, and the badge of those that it does not hold alone.
    parts: list[list[tuple[str, str]]] = [[] for _ in pieces]
    start = 0
    for character in b"".join(pieces).decode("utf-8", "surrogateescape"):
        end = start + len(character.encode("utf-8", "surrogateescape"))
        holders = list(dict.fromkeys(owners[start:end]))
        start = end
        if len(holders) > 1:
            for count, holder in enumerate(holders, 1):
                parts[holder].append((character, f" {count}/{len(holders)}"))
        elif (own := parts[holders[0]]) and not own[-1][1]:
            own[-1] = (own[-1][0] + character, "")
        else:
            own.append((character, ""))
    return [_label(of_token) for of_token in parts]


def _label(parts: Sequence[tuple[str, str]]) -> str:
    shown = "".join(_visible(text) + badge + (" " if badge else "") for text, badge in parts)
    return shown.rstrip(" ") or "∅"


def _visible(text: str) -> str:
    """The text with a picture or a name for all that would not be seen."""
    text = text.translate(_PICTURES)
    if all(unicodedata.category(character) in {"Cf", "Mn", "Me"} for character in text):
        # Joiners with nothing to join; within a word or an emoji they do their work and stay.
        text = "".join(
            f"⟨U+{ord(character):04X}⟩" if unicodedata.category(character) == "Cf" else character
            for character in text
        )
    # A mark that starts a token would sit on whatever is drawn to its left.
    return "◌" + text if unicodedata.category(text[0]).startswith("M") else text
