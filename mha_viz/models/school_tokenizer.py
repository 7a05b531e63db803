"""The school's vocabulary as a tokenizer of the library: the same tokens, and where in the text each stands."""

from dataclasses import dataclass
from typing import Any

from transformers import BatchEncoding, PreTrainedTokenizer
from transformers.tokenization_utils_base import TruncationStrategy

from mha_viz.core.record import Token
from mha_viz.school.vocabulary import START, UNKNOWN, Vocabulary


@dataclass(frozen=True)
class _Encoding:
    """Where tokens come from, in the words of the library's fast tokenizers; None for a token that nobody typed.

    Attributes:
        sequence_ids: Which text each token is of.
        offsets: From which character to which.
        word_ids: Which word of that text.
        n_sequences: How many texts there are.
    """

    sequence_ids: list[int | None]
    offsets: list[tuple[int, int]]
    word_ids: list[int | None]
    n_sequences: int


class SchoolTokenizer(PreTrainedTokenizer):
    """Reads a text as `Vocabulary` does; names in it, such as `<start>`, are no special tokens but signs and words.

    Args:
        vocabulary: The words.
    """

    model_input_names = ["input_ids", "attention_mask"]  # noqa: RUF012 - the library's own attribute

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        super().__init__(bos_token=START, unk_token=UNKNOWN)

    @property
    def vocab_size(self) -> int:
        """How many words there are."""
        return len(self.vocabulary)

    def get_vocab(self) -> dict[str, int]:
        """Every word and its number."""
        return {word: index for index, word in enumerate(self.vocabulary.words)}

    def _convert_token_to_id(self, token: str) -> int:
        return self.vocabulary.id_of(token)

    def _convert_id_to_token(self, index: int) -> str:
        return self.vocabulary.words[index]

    def _encode_plus(self, *_: object, **given: Any) -> BatchEncoding:  # noqa: ANN401 - the library's many options
        texts = [text for text in (given["text"], given.get("text_pair")) if text is not None]
        tokens = [(0, self.vocabulary.read("")[0])]
        for which, text in enumerate(texts):
            tokens += [(which, token) for token in self.vocabulary.read(text)[1:]]
        if given.get("truncation_strategy") is not TruncationStrategy.DO_NOT_TRUNCATE:
            tokens = tokens[: given.get("max_length")]
        data = {
            "input_ids": [token.id for _, token in tokens],
            "attention_mask": [1] * len(tokens),
            "special_tokens_mask": [int(token.special) for _, token in tokens],
        }
        # Only the library's own tokenizers can make an Encoding of its kind; ours says the same.
        encoding: Any = _encoding(tokens, len(texts))
        return BatchEncoding(
            data, [encoding], tensor_type=given.get("return_tensors"), prepend_batch_axis=True
        )


def _encoding(tokens: list[tuple[int, Token]], n_sequences: int) -> _Encoding:
    return _Encoding(
        sequence_ids=[None if token.special else which for which, token in tokens],
        offsets=[token.span or (0, 0) for _, token in tokens],
        word_ids=[token.piece_of_word for _, token in tokens],
        n_sequences=n_sequences,
    )
