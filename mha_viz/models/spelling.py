"""What a vocabulary item stands for: the bytes of text that it writes down in a way of its own.

WordPiece marks pieces that go on ("##ization"), byte-level BPE has a glyph for every byte ("Ġ", "Ã©"), SentencePiece
marks spaces ("▁") and spells bytes it has no item for ("<0xF0>").
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from transformers import ByT5Tokenizer, PreTrainedTokenizerBase, PreTrainedTokenizerFast

SPACE_MARK = "▁"
PIECE_MARK = "·"
BYTE_FALLBACK = re.compile("<0x([0-9A-F]{2})>")


@dataclass(frozen=True)
class Spelling:
    """How one vocabulary writes down bytes, spaces, and pieces that continue a word.

    Attributes:
        literal: Ids of items that were added to the vocabulary and are written as they are.
        byte_of_glyph: What each glyph stands for, where there is one for every byte.
        marks_spaces: Whether "▁" stands for a space.
        continues: What a continuing piece begins with ("##").
        ends: What the last piece of a word ends with ("</w>").
    """

    literal: frozenset[int]
    byte_of_glyph: Mapping[str, int]
    marks_spaces: bool
    continues: str = ""
    ends: str = ""

    def bytes_of(
        self, token_id: int, name: str, before: str | None, *, within: bool = False
    ) -> bytes:
        """UTF-8, or a part of it, for an item; a piece that continues a word starts with a dot.

        Args:
            token_id: The item's number.
            name: The item as the vocabulary writes it.
            before: The item before it in the same text, if there is one.
            within: Whether it goes on with a word, as the tokenizer counts words; only where no item says so itself.
        """
        if token_id in self.literal:
            return name.encode()
        if self.continues and name.startswith(self.continues) and name != self.continues:
            return (PIECE_MARK + name.removeprefix(self.continues)).encode()
        goes_on = self.ends and before is not None and not before.endswith(self.ends)
        mark = PIECE_MARK.encode() if goes_on or (within and self._marks_nothing) else b""
        return mark + self._unmarked(name.removesuffix(self.ends))

    @property
    def _marks_nothing(self) -> bool:
        return not (self.byte_of_glyph or self.marks_spaces or self.continues or self.ends)

    def _unmarked(self, name: str) -> bytes:
        if self.byte_of_glyph and all(glyph in self.byte_of_glyph for glyph in name):
            return bytes(self.byte_of_glyph[glyph] for glyph in name)
        if byte := BYTE_FALLBACK.fullmatch(name):
            return bytes.fromhex(byte[1])
        return (name.replace(SPACE_MARK, " ") if self.marks_spaces else name).encode()


def spelling_of(tokenizer: PreTrainedTokenizerBase) -> Spelling:
    """The way in which a tokenizer's vocabulary is written."""
    literal = frozenset(tokenizer.added_tokens_decoder)
    if isinstance(tokenizer, ByT5Tokenizer):
        bytes_themselves = {chr(byte): byte for byte in range(0x100)}
        return Spelling(literal, bytes_themselves, marks_spaces=False)
    if not isinstance(tokenizer, PreTrainedTokenizerFast):
        return Spelling(literal, {}, marks_spaces=hasattr(tokenizer, "sp_model"))
    backend = tokenizer.backend_tokenizer
    # How a tokenizer joins its items to text again says how they are written. Its state is JSON.
    joins = backend.decoder or backend.pre_tokenizer
    described = joins.__getstate__().decode() if joins else ""
    return Spelling(
        literal,
        byte_of_glyph=byte_of_glyph() if '"ByteLevel"' in described else {},
        marks_spaces=SPACE_MARK in described,
        continues=getattr(backend.model, "continuing_subword_prefix", None) or "",
        ends=getattr(backend.model, "end_of_word_suffix", None) or "",
    )


@cache
def byte_of_glyph() -> Mapping[str, int]:
    """The glyphs of byte-level BPE: a byte that prints is its own, the others count up from U+0100.

    Source:
        The encoder released with Radford et al. 2019, "Language Models are Unsupervised Multitask Learners".
    """
    printing = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(0x100) if byte not in printing]
    themselves = {chr(byte): byte for byte in printing}
    return themselves | {chr(0x100 + count): byte for count, byte in enumerate(others)}
