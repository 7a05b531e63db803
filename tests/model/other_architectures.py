"""Tiny models that translate, listen and see."""

from functools import partial

from tests.model.text_architectures import CAPPED, GPT, IDS, SIZES, WIDE
from tests.model.tiny import (
    IMAGE_TOKEN,
    VOCABULARY,
    Architecture,
    Sizes,
    architecture,
    captions,
    codebooks,
    decisions,
    films,
    frames,
    frequencies,
    illustrated,
    noisy_pictures,
    pictures,
    regions,
    sounds,
    spectrogram,
    speech,
    translation,
    vectors,
)

T5: Sizes = {
    "vocab_size": VOCABULARY,
    "d_model": 48,
    "d_kv": 8,
    "d_ff": 40,
    "num_layers": 2,
    "num_decoder_layers": 2,
    "num_heads": 6,
}
BART: Sizes = {
    "vocab_size": VOCABULARY,
    "d_model": 48,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "encoder_attention_heads": 6,
    "decoder_attention_heads": 6,
    "encoder_ffn_dim": 40,
    "decoder_ffn_dim": 40,
    "max_position_embeddings": 64,
}
LAYERS: Sizes = {
    "hidden_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 6,
    "intermediate_size": 40,
}
EARS: Sizes = {
    "conv_dim": (16, 16),
    "conv_kernel": (4, 4),
    "conv_stride": (4, 4),
    "num_feat_extract_layers": 2,
    "num_conv_pos_embeddings": 4,
    "num_conv_pos_embedding_groups": 2,
}
EYES: Sizes = {**LAYERS, "image_size": 16, "patch_size": 4, "num_channels": 3}
FILM: Sizes = {**LAYERS, "image_size": 16, "num_frames": 2}


seq2seq = partial(architecture, inputs=translation)
hearing = partial(architecture, inputs=sounds)
seeing = partial(architecture, inputs=pictures)

TRANSLATORS = {
    "t5": seq2seq("T5", T5, std=0.2),
    "mt5": seq2seq("MT5", T5, std=0.2),
    "umt5": seq2seq("UMT5", T5, std=0.2),
    "longt5": seq2seq("LongT5", T5, local_radius=3, std=0.2),
    "switch-transformers": seq2seq(
        "SwitchTransformers",
        T5,
        num_experts=2,
        num_sparse_encoder_layers=1,
        num_sparse_decoder_layers=1,
        std=0.2,
    ),
    "t5gemma": seq2seq(
        "T5Gemma", {"encoder": CAPPED}, decoder={**CAPPED, "cross_attention_hidden_size": 48}
    ),
    "bart": seq2seq("Bart", BART),
    "mbart": seq2seq("MBart", BART),
    "marian": seq2seq("Marian", {**BART, **IDS}),
    "pegasus": seq2seq("Pegasus", BART),
    "blenderbot": seq2seq("Blenderbot", BART),
    "m2m-100": seq2seq("M2M100", BART),
    "bert2bert": seq2seq(
        "EncoderDecoder",
        {"encoder": {**SIZES, "model_type": "bert"}},
        decoder={**SIZES, "model_type": "bert", "is_decoder": True, "add_cross_attention": True},
        decoder_start_token_id=1,
        pad_token_id=0,
    ),
    "fsmt": seq2seq(
        "FSMT",
        BART,
        langs=["en", "de"],
        src_vocab_size=VOCABULARY,
        tgt_vocab_size=VOCABULARY,
        use_cache=False,  # with a cache it takes a text for its own continuation, unmasked
        route="reported",
    ),
}

LISTENERS = {
    "whisper": architecture(
        "Whisper",
        {**BART, **IDS},
        frequencies,
        num_mel_bins=8,
        max_source_positions=10,
        max_target_positions=20,
    ),
    "moonshine": architecture(
        "Moonshine",
        {**SIZES, **IDS},
        partial(speech, length=6000),
        encoder_num_hidden_layers=2,
        decoder_num_hidden_layers=2,
        encoder_num_attention_heads=6,
        decoder_num_attention_heads=6,
    ),
    "speecht5": architecture(
        "SpeechT5",
        {**BART, **EARS},
        speech,
        hidden_size=48,
        model="SpeechT5ForSpeechToText",
        route="reported",
    ),
    "musicgen": architecture(
        "MusicgenDecoder",
        SIZES,
        codebooks,
        ffn_dim=40,
        num_codebooks=2,
        pad_token_id=0,
        model="MusicgenModel",
    ),
    "hubert": hearing("Hubert", {**LAYERS, **EARS}),
    "wav2vec2": hearing("Wav2Vec2", {**LAYERS, **EARS}),
    "wav2vec2-bert": architecture(
        "Wav2Vec2Bert",
        LAYERS,
        frames,
        feature_projection_input_dim=16,
        left_max_position_embeddings=4,
        right_max_position_embeddings=4,
    ),
    "wavlm": hearing("WavLM", {**LAYERS, **EARS}, num_buckets=8, route="reported"),
    "sew-d": hearing(
        "SEWD", {**LAYERS, **EARS}, squeeze_factor=1, position_buckets=8, route="reported"
    ),
    "audio-spectrogram": architecture(
        "AST",
        LAYERS,
        spectrogram,
        patch_size=4,
        frequency_stride=4,
        time_stride=4,
        max_length=16,
        num_mel_bins=8,
    ),
}

SEERS = {
    "vit": seeing("ViT", EYES),
    "deit": seeing("DeiT", EYES),
    "beit": seeing("Beit", EYES, use_relative_position_bias=True),
    "dinov2": seeing("Dinov2", EYES),
    "dinov2-registers": seeing("Dinov2WithRegisters", EYES, num_register_tokens=4),
    "dinov3": seeing("DINOv3ViT", EYES, num_register_tokens=4),
    "ijepa": seeing("IJepa", EYES),
    "clip-vision": seeing("CLIPVision", EYES),
    "siglip-vision": seeing("SiglipVision", EYES),
    "vit-mae": architecture("ViTMAE", EYES, noisy_pictures, mask_ratio=0.5),
    "videomae": architecture("VideoMAE", FILM, films, patch_size=8, tubelet_size=1),
    "vivit": architecture("Vivit", FILM, films, tubelet_size=[1, 8, 8]),
}

OF_SEVERAL_SENSES = {
    "clip": architecture(
        "CLIP", {"text_config": {**SIZES, **IDS}}, captions, vision_config=EYES, projection_dim=16
    ),
    "siglip": architecture(
        "Siglip", {"text_config": {**SIZES, **IDS}}, captions, vision_config=EYES
    ),
    "llava": architecture(
        "Llava",
        {"text_config": {**WIDE, "model_type": "llama"}},
        illustrated,
        vision_config={**EYES, "model_type": "clip_vision_model"},
        vision_feature_layer=-1,
        image_token_id=IMAGE_TOKEN,
        route="reported",
    ),
    "git": architecture("Git", SIZES, captions, vision_config=EYES, route="reported"),
    "visual-bert": architecture(
        "VisualBert", SIZES, regions, visual_embedding_dim=16, route="reported"
    ),
    "perceiver": architecture(
        "Perceiver",
        {"num_latents": 5},
        vectors,
        d_latents=16,
        d_model=16,
        num_blocks=1,
        num_self_attends_per_block=2,
        num_self_attention_heads=2,
        num_cross_attention_heads=2,
        route="reported",
    ),
    "decision-transformer": architecture(
        "DecisionTransformer", GPT, decisions, state_dim=5, act_dim=3, hidden_size=48
    ),
}

OTHER_ARCHITECTURES: dict[str, Architecture] = TRANSLATORS | LISTENERS | SEERS | OF_SEVERAL_SENSES
