"""One small tokenizer of each kind, made on the spot: nothing is fetched, and the vocabularies are known by heart."""

from tokenizers import (
    AddedToken,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)
from transformers import PreTrainedTokenizerFast

ENGLISH = ["hello world", "the cat saw the other cat", "a dog and a bird went home"]


def byte_level(**options: object) -> PreTrainedTokenizerFast:
    """As GPT-2: trained on ASCII, so that every other character falls into its bytes."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=320,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        special_tokens=["<|endoftext|>"],
        show_progress=False,
    )
    tokenizer.train_from_iterator(ENGLISH * 5, trainer)
    end = "<|endoftext|>"
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, eos_token=end, unk_token=end, **options
    )


def word_piece(**options: object) -> PreTrainedTokenizerFast:
    """As BERT."""
    words = [
        "[PAD]",
        "[UNK]",
        "[CLS]",
        "[SEP]",
        "[MASK]",
        "the",
        "cat",
        "token",
        "##ization",
        "#",
        "un",
        "able",
    ]
    vocabulary = {word: number for number, word in enumerate(words)}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
        **options,
    )


def byte_fallback(**options: object) -> PreTrainedTokenizerFast:
    """As Llama 2: the whole text is one word to it, and what it does not know is spelled in bytes."""
    items = [
        "<unk>",
        "<s>",
        "</s>",
        *(f"<0x{byte:02X}>" for byte in range(256)),
        "▁",
        *"helowrd",
        "▁w",
        "lo",
    ]
    vocabulary = {item: number for number, item in enumerate(items)}
    merges = [("▁", "w"), ("l", "o")]
    tokenizer = Tokenizer(models.BPE(vocabulary, merges, byte_fallback=True, unk_token="<unk>"))
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]
    )
    tokenizer.decoder = decoders.Sequence(
        [
            decoders.Replace("▁", " "),
            decoders.ByteFallback(),
            decoders.Fuse(),
            decoders.Strip(" ", 1, 0),
        ]
    )
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A", special_tokens=[("<s>", 1)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, unk_token="<unk>", bos_token="<s>", eos_token="</s>", **options
    )


def unigram(**options: object) -> PreTrainedTokenizerFast:
    """As T5: spaces are marked, and characters that it does not know become one unknown token."""
    items = [
        ("<pad>", 0.0),
        ("</s>", 0.0),
        ("<unk>", 0.0),
        ("▁the", -1.0),
        ("▁cat", -2.0),
        ("s", -3.0),
        ("▁", -4.0),
    ]
    tokenizer = Tokenizer(models.Unigram(items, unk_id=2))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="$A </s>", special_tokens=[("</s>", 1)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token="<pad>",
        eos_token="</s>",
        unk_token="<unk>",
        **options,
    )


def ends_of_words() -> PreTrainedTokenizerFast:
    """As CLIP: the last piece of a word is marked, the others are not."""
    vocabulary = {"a": 0, "b": 1, "a</w>": 2, "b</w>": 3, "<end>": 4}
    tokenizer = Tokenizer(models.BPE(vocabulary, [], end_of_word_suffix="</w>", unk_token="<end>"))
    tokenizer.add_special_tokens([AddedToken("<end>", special=True)])
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.decoder = decoders.BPEDecoder("</w>")
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="<end>")
