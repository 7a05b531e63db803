"""A text into token ids, and token ids into what a person should read.

Each token is turned back into the bytes it stands for (`spelling`), and all bytes together into what to read for each
token (`labels`). The position is what identifies a token: neither its text nor its span does, both may repeat.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from threading import Lock
from typing import NamedTuple

from torch import Tensor
from transformers import BatchEncoding, PreTrainedConfig, PreTrainedTokenizerBase

from mha_viz.core.record import Token
from mha_viz.errors import TextError
from mha_viz.models.labels import labels_of
from mha_viz.models.spelling import spelling_of

MAX_TOKENS = 2048
MAX_CHARACTERS = 200_000

# Tokenizers that set no limit say 1e30 or so.
UNLIMITED = 1_000_000
# Positions of these are counted from the padding position on, so that fewer tokens fit than the table has rows.
POSITIONS_AFTER_PADDING = frozenset((
    "altclip_text_model", "bridgetower_text_model", "camembert", "clap_text_model", "data2vec-text", "esm", "ibert",
    "layoutlmv3", "lilt", "longformer", "luke", "markuplm", "mluke", "mpnet", "roberta", "roberta-prelayernorm",
    "xlm-roberta", "xlm-roberta-xl", "xmod",
))  # fmt: skip

LONE_SURROGATE = re.compile("[\ud800-\udfff]")

# A fast tokenizer keeps truncation as its own state: two threads in it at once disturb each other.
_one_at_a_time = Lock()


class EncodedText(NamedTuple):
    """A text, or a pair of texts, as a model takes it.

    Attributes:
        inputs: What the model's forward is given, each of shape (1, n_tokens).
        tokens: The same positions as a person reads them.
        notices: Sentences that a page must show with it (text cut).
    """

    inputs: dict[str, Tensor]
    tokens: tuple[Token, ...]
    notices: tuple[str, ...]


@dataclass(frozen=True)
class _Place:
    """Where a token comes from: which text, which characters of it, which word as the tokenizer counts."""

    text: int
    span: tuple[int, int]
    word: int | None


def encode(
    tokenizer: PreTrainedTokenizerBase,
    text: str,
    *,
    text_pair: str | None = None,
    limit: int | None = None,
) -> EncodedText:
    """Turn any text that a person may type into inputs: never padded, and not cut without a notice.

    Args:
        tokenizer: The model's tokenizer.
        text: The text.
        text_pair: A second text, for models that read two.
        limit: The most tokens that the model takes, see `token_limit`; `MAX_TOKENS` holds in any case.

    Raises:
        TextError: If a text gives the model nothing to read, or is far too long.
    """
    texts = [text] if text_pair is None else [text, text_pair]
    for part in texts:
        if not isinstance(part, str):
            raise TextError(f"expected a text, got {type(part).__name__}; give words in quotes")
    if (length := sum(map(len, texts))) > MAX_CHARACTERS:
        raise TextError(
            f"the text has {length:,} characters, the limit is {MAX_CHARACTERS:,}; shorten it"
        )
    # Half a character, as JavaScript can send it, has no UTF-8. The stand-in is as long, so that spans hold.
    texts = [LONE_SURROGATE.sub("\ufffd", part) for part in texts]
    room = min(limit or MAX_TOKENS, MAX_TOKENS)
    with _one_at_a_time:
        row = _call(tokenizer, texts)
        n_tokens = row["input_ids"].shape[-1]
        _check_not_empty(texts, row)
        if n_tokens > room:
            row = _call(tokenizer, texts, cut_at=room)
    tokens = read_tokens(tokenizer, texts, row)
    if len(tokens) > room or all(token.special for token in tokens):
        raise TextError(
            f"a limit of {room} tokens leaves no room for the text; choose another model"
        )
    inputs = {name: row[name] for name in tokenizer.model_input_names if name in row}
    if n_tokens <= room:
        return EncodedText(inputs, tokens, ())
    kept = "last" if tokenizer.truncation_side == "left" else "first"
    whose = "the model's limit" if room == limit else "the limit here"
    return EncodedText(
        inputs, tokens, (f"showing the {kept} {room} of {n_tokens} tokens: {whose} is {room}",)
    )


def token_limit(config: PreTrainedConfig, tokenizer: PreTrainedTokenizerBase) -> int | None:
    """The most tokens that a model takes, special ones included; None if it sets no limit (T5)."""
    config = config.get_text_config()
    positions = getattr(config, "max_position_embeddings", None) or getattr(
        config, "n_positions", None
    )
    if positions and config.model_type in POSITIONS_AFTER_PADDING:
        positions -= (config.pad_token_id or 0) + 1
    limits = [
        limit
        for limit in (positions, tokenizer.model_max_length)
        if limit and 0 < limit < UNLIMITED
    ]
    return min(limits, default=None)


def read_tokens(
    tokenizer: PreTrainedTokenizerBase, texts: Sequence[str], row: BatchEncoding
) -> tuple[Token, ...]:
    """The positions of a text as a person reads them.

    Args:
        tokenizer: What made `row`.
        texts: The text, and the second one of a pair.
        row: The tokenizer's answer for it, as tensors and with `special_tokens_mask`.
    """
    ids = row["input_ids"][0].tolist()
    added = [bool(flag) for flag in row["special_tokens_mask"][0].tolist()]
    names = [str(name) for name in tokenizer.convert_ids_to_tokens(ids)]
    places = _places(row, added)
    special_ids = _special_ids(tokenizer)
    spelling = spelling_of(tokenizer)
    pieces, tokens = [], []
    for index, (token_id, name, place, word) in enumerate(
        zip(ids, names, places, _words(texts, places), strict=True)
    ):
        typed = "" if place is None else texts[place.text][slice(*place.span)]
        # Typed by its name, the token for unknown words is a special token like any other.
        unknown = token_id == tokenizer.unk_token_id and not added[index] and typed.strip() != name
        if unknown and typed:
            pieces.append(typed.encode())
        else:
            before = names[index - 1] if index and not added[index - 1] else None
            within = index > 0 and _same_word(places[index - 1], place)
            pieces.append(spelling.bytes_of(token_id, name, before, within=within))
        typed_special = token_id in special_ids and not added[index] and not unknown
        note = f" {name}" if unknown and typed else ""
        span = None if place is None else place.span
        tokens.append(Token(note, token_id, span, added[index], typed_special, word))
    labels = labels_of(pieces)
    return tuple(
        replace(token, text=label + token.text) for label, token in zip(labels, tokens, strict=True)
    )


def _same_word(before: _Place | None, place: _Place | None) -> bool:
    """Whether two tokens are neighbours in a word as the tokenizer counts words."""
    if before is None or place is None or place.word is None:
        return False
    return (before.text, before.word) == (place.text, place.word)


def _call(
    tokenizer: PreTrainedTokenizerBase, texts: Sequence[str], cut_at: int | None = None
) -> BatchEncoding:
    return tokenizer(
        *texts,
        truncation=cut_at is not None,
        max_length=cut_at,
        return_special_tokens_mask=True,
        return_tensors="pt",
        verbose=False,  # its warning about the length would go to the log; ours goes to the page
    )


def _check_not_empty(texts: Sequence[str], row: BatchEncoding) -> None:
    added = row["special_tokens_mask"][0].tolist()
    sources = row.encodings[0].sequence_ids if row.encodings else [0] * len(added)
    read = {source for source, flag in zip(sources, added, strict=True) if not flag}
    for which, text in enumerate(texts):
        # Without the fast tokenizer's account of sources, a second text is at least not blank.
        if which not in read and not (read and text.strip() and not row.encodings):
            name = "second text" if which else "text"
            raise TextError(f"the {name} is empty: type a few words for the model to read")


def _special_ids(tokenizer: PreTrainedTokenizerBase) -> set[int]:
    added = tokenizer.added_tokens_decoder.items()
    return {*tokenizer.all_special_ids, *(token_id for token_id, token in added if token.special)}


def _places(row: BatchEncoding, added: Sequence[bool]) -> list[_Place | None]:
    """Where each token comes from; None for tokens that the model adds, and where the tokenizer does not say."""
    if not row.encodings:
        return [None] * len(added)
    encoding = row.encodings[0]
    said = zip(encoding.sequence_ids, encoding.offsets, encoding.word_ids, added, strict=True)
    return [None if own else _Place(text or 0, span, word) for text, span, word, own in said]


def _words(texts: Sequence[str], places: Sequence[_Place | None]) -> list[int | None]:
    """The word that each token is a piece of, counted through both texts of a pair."""
    words = _words_of_tokenizer(texts, places) or _words_by_space(texts, places)
    numbers: dict[tuple[int, int], int] = {}
    return [None if word is None else numbers.setdefault(word, len(numbers)) for word in words]


def _words_of_tokenizer(
    texts: Sequence[str], places: Sequence[_Place | None]
) -> list[tuple[int, int] | None]:
    """Text and word of each token; nothing if the tokenizer counts no words, or takes several for one."""
    words: list[tuple[int, int] | None] = []
    spans: dict[tuple[int, int], tuple[int, int]] = {}
    for place in places:
        if place is None:
            words.append(None)
            continue
        if place.word is None:
            return []
        words.append(word := (place.text, place.word))
        start, end = spans.get(word, place.span)
        spans[word] = min(start, place.span[0]), max(end, place.span[1])
    typed = {word: texts[word[0]][slice(*span)].split() for word, span in spans.items()}
    if any(len(parts) > 1 for parts in typed.values()):
        return []
    return [word if word and typed[word] else None for word in words]


def _words_by_space(
    texts: Sequence[str], places: Sequence[_Place | None]
) -> list[tuple[int, int] | None]:
    """Text of each token, and how many words have started there by its first character that is not blank."""
    starts = [[word.start() for word in re.finditer(r"\S+", text)] for text in texts]
    words: list[tuple[int, int] | None] = []
    for place in places:
        if place and (typed := texts[place.text][slice(*place.span)].lstrip()):
            first = place.span[1] - len(typed)
            words.append((place.text, bisect_right(starts[place.text], first)))
        else:
            words.append(None)
    return words
