"""All tiny models, and here those that have no attention weights to show truthfully."""

from functools import partial

from tests.model.other_architectures import BART, FILM, OTHER_ARCHITECTURES
from tests.model.text_architectures import GROUPED, SIZES, TEXT_ARCHITECTURES
from tests.model.tiny import (
    VOCABULARY,
    Architecture,
    architecture,
    boxes,
    captions,
    films,
    pictures,
    translation,
    words,
)

refused = partial(architecture, route="refused")
reading = partial(refused, inputs=words)
translating = partial(refused, inputs=translation)
seeing = partial(refused, inputs=pictures)
large = partial(pictures, size=32)

REFUSED = {
    "falcon-alibi": reading("Falcon", SIZES, alibi=True),  # adds its bias twice where it reports
    "diffllama": reading("DiffLlama", GROUPED, num_key_value_heads=2),
    "longformer": reading("Longformer", SIZES, attention_window=[4, 4]),
    "big-bird": reading(
        "BigBird", SIZES, attention_type="block_sparse", block_size=4, num_random_blocks=1
    ),
    "nystromformer": reading("Nystromformer", SIZES, segment_means_seq_len=8, num_landmarks=4),
    "reformer": reading(
        "Reformer",
        SIZES,
        attn_layers=["local", "local"],
        attention_head_size=8,
        axial_pos_shape=[8, 8],
        axial_pos_embds_dim=[16, 32],
        is_decoder=True,
    ),
    "canine": refused("Canine", SIZES, partial(words, n_tokens=32), local_transformer_stride=16),
    "mra": refused("Mra", SIZES, partial(words, n_tokens=64)),
    "yoso": reading("Yoso", SIZES),
    "fnet": reading("FNet", SIZES),
    "mamba": reading("Mamba", SIZES, state_size=4),
    "mamba2": reading("Mamba2", SIZES, state_size=4, num_heads=6, head_dim=16, n_groups=1),
    "falcon-mamba": reading("FalconMamba", SIZES, state_size=4),
    "rwkv": reading("Rwkv", SIZES, attention_hidden_size=48),
    "xlstm": reading("xLSTM", SIZES, num_heads=6, num_blocks=2),
    "led": translating("LED", BART, max_encoder_position_embeddings=64, attention_window=4),
    "bigbird-pegasus": translating("BigBirdPegasus", BART, block_size=4),
    "prophetnet": translating(
        "ProphetNet",
        {"vocab_size": VOCABULARY},
        hidden_size=48,
        num_encoder_layers=2,
        num_decoder_layers=2,
        num_encoder_attention_heads=6,
        num_decoder_attention_heads=6,
        encoder_ffn_dim=40,
        decoder_ffn_dim=40,
    ),
    "timesformer": refused("Timesformer", FILM, films, patch_size=8),
    "swin": seeing(
        "Swin",
        {"image_size": 16},
        patch_size=2,
        embed_dim=16,
        depths=[2, 1],
        num_heads=[2, 4],
        window_size=4,
    ),
    "swinv2": seeing(
        "Swinv2",
        {"image_size": 16},
        patch_size=2,
        embed_dim=16,
        depths=[2, 1],
        num_heads=[2, 4],
        window_size=4,
    ),
    "segformer": seeing(
        "Segformer",
        {"num_encoder_blocks": 2},
        depths=[1, 1],
        sr_ratios=[4, 2],
        hidden_sizes=[16, 32],
        patch_sizes=[3, 3],
        strides=[2, 2],
        num_attention_heads=[1, 2],
    ),
    "pvt": refused(
        "Pvt",
        {"image_size": 32},
        large,
        depths=[1, 1, 1, 1],
        hidden_sizes=[16, 16, 32, 32],
        sequence_reduction_ratios=[4, 2, 1, 1],
        num_attention_heads=[1, 2, 4, 4],
    ),
    "hiera": refused(
        "Hiera",
        {"image_size": [32, 32]},
        large,
        embed_dim=16,
        depths=[1, 1],
        num_heads=[1, 2],
        masked_unit_size=[4, 4],
        masked_unit_attention=[True, False],
        num_query_pool=1,
    ),
    "mobilevit": refused("MobileViT", {"image_size": 32}, large),
    "cvt": refused("Cvt", {"depth": [1, 2, 3]}, large, embed_dim=[16, 16, 32], num_heads=[1, 2, 2]),
    "levit": refused(
        "Levit",
        {"image_size": 32},
        large,
        hidden_sizes=[16, 32, 32],
        depths=[1, 1, 1],
        num_attention_heads=[2, 2, 2],
        key_dim=[8, 8, 8],
    ),
    "convnext": refused("ConvNext", {"depths": [1, 1, 1, 1]}, large, hidden_sizes=[8, 16, 32, 32]),
    "poolformer": refused(
        "PoolFormer",
        {"depths": [1, 1, 1, 1]},
        partial(pictures, size=64),
        hidden_sizes=[8, 16, 16, 32],
    ),
    "vilt": refused("Vilt", SIZES, captions, image_size=16, patch_size=8),
    "lxmert": refused(
        "Lxmert", SIZES, boxes, l_layers=1, x_layers=1, r_layers=1, visual_feat_dim=16
    ),
}

ARCHITECTURES: dict[str, Architecture] = TEXT_ARCHITECTURES | OTHER_ARCHITECTURES | REFUSED
