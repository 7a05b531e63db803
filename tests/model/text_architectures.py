"""Tiny models that read text: encoders, decoders, and hybrids with recurrent layers."""

from functools import partial

from tests.model.tiny import VOCABULARY, Architecture, Sizes, architecture, looking_across, words

SIZES: Sizes = {
    "vocab_size": VOCABULARY,
    "hidden_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 6,
    "intermediate_size": 40,
    "max_position_embeddings": 64,
}
IDS: Sizes = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
GROUPED: Sizes = {**SIZES, **IDS, "num_key_value_heads": 3}
WIDE: Sizes = {**GROUPED, "head_dim": 8}
WINDOW: Sizes = {"sliding_window": 4, "layer_types": ["sliding_attention", "full_attention"]}
CAPPED: Sizes = {**WIDE, **WINDOW, "attn_logit_softcapping": 2.0, "query_pre_attn_scalar": 8}
GPT: Sizes = {**IDS, "vocab_size": VOCABULARY, "n_embd": 48, "n_layer": 2, "n_head": 6}
EXPERTS: Sizes = {"num_experts": 2, "num_experts_per_tok": 1, "moe_intermediate_size": 16}
ROUTED: Sizes = {**EXPERTS, "shared_expert_intermediate_size": 16}
RELATIVE_TERMS: Sizes = {"relative_attention": True, "pos_att_type": ["c2p", "p2c"]}
LATENT: Sizes = {
    **SIZES,
    **IDS,
    "q_lora_rank": 8,
    "kv_lora_rank": 8,
    "qk_rope_head_dim": 4,
    "qk_nope_head_dim": 8,
    "v_head_dim": 6,
    "num_key_value_heads": 6,
    "first_k_dense_replace": 1,
    "n_routed_experts": 2,
    "n_shared_experts": 1,
    "num_experts_per_tok": 1,
    "moe_intermediate_size": 16,
    "n_group": 1,
    "topk_group": 1,
}
LINEAR: Sizes = {
    **WIDE,
    "layer_types": ["linear_attention", "full_attention"],
    "linear_num_value_heads": 2,
    "linear_num_key_heads": 2,
    "linear_key_head_dim": 8,
    "linear_value_head_dim": 8,
}


encoder = partial(architecture, inputs=words)
relative = partial(architecture, inputs=words, positions="relative")
absolute = partial(architecture, inputs=words, positions="absolute")

ENCODERS = {
    "bert": encoder("Bert", SIZES),
    "bert-12-heads": encoder("Bert", SIZES, num_attention_heads=12),
    "roberta": encoder("Roberta", SIZES),
    "xlm-roberta": encoder("XLMRoberta", SIZES),
    "camembert": encoder("Camembert", SIZES),
    "distilbert": encoder(
        "DistilBert", {"vocab_size": VOCABULARY}, dim=48, n_layers=2, n_heads=6, hidden_dim=40
    ),
    "albert": encoder("Albert", SIZES, embedding_size=16),
    "electra": encoder("Electra", SIZES, embedding_size=16),
    "layoutlm": encoder("LayoutLM", SIZES, max_2d_position_embeddings=64),
    "data2vec-text": encoder("Data2VecText", SIZES),
    "jina-embeddings-v3": encoder("JinaEmbeddingsV3", SIZES),
    "xmod": encoder("Xmod", SIZES, languages=["en_XX"], default_language="en_XX"),
    "markuplm": encoder("MarkupLM", SIZES, max_depth=4, xpath_unit_hidden_size=8),
    "align-text": encoder("AlignText", SIZES),
    "clap-text": encoder("ClapText", SIZES),
    "clip-text": encoder("CLIPText", {**SIZES, **IDS}),
    "gte": encoder("Gte", SIZES),
    "modernbert": encoder(
        "ModernBert", {**SIZES, **IDS}, num_hidden_layers=3, local_attention=4, cls_token_id=1
    ),
    "deberta": encoder("Deberta", {**SIZES, **RELATIVE_TERMS}, route="reported"),
    "deberta-v2": encoder(
        "DebertaV2", {**SIZES, **RELATIVE_TERMS}, position_buckets=8, route="reported"
    ),
    "rembert": encoder("RemBert", SIZES, input_embedding_size=16, route="reported"),
    "megatron-bert": encoder("MegatronBert", SIZES, route="reported"),
    "ibert": encoder("IBert", SIZES, route="reported"),
    "mpnet": encoder("MPNet", SIZES, route="reported"),
    "roformer": encoder("RoFormer", SIZES, route="reported"),
    "blip-text": encoder(
        "BlipText", {**SIZES, **IDS}, encoder_hidden_size=48, is_decoder=False, route="reported"
    ),
    "xlnet": encoder(
        "XLNet", {"vocab_size": VOCABULARY}, d_model=48, n_layer=2, n_head=6, route="reported"
    ),
    "xlm": encoder(
        "XLM", {"vocab_size": VOCABULARY}, emb_dim=48, n_layers=2, n_heads=6, route="reported"
    ),
}

DECODERS = {
    "bert-as-decoder": absolute("Bert", SIZES, is_decoder=True),
    "bert-generation": absolute(
        "BertGeneration", SIZES, is_decoder=True, model="BertGenerationEncoder"
    ),
    "gpt2": absolute("GPT2", GPT),
    "gpt2-reorder-upcast": absolute(
        "GPT2", GPT, reorder_and_upcast_attn=True, scale_attn_by_inverse_layer_idx=True
    ),
    "gpt2-cross": architecture("GPT2", GPT, looking_across, add_cross_attention=True),
    "gpt-bigcode": absolute("GPTBigCode", GPT, multi_query=True),
    "gpt-neo": absolute(
        "GPTNeo",
        SIZES,
        num_layers=2,
        num_heads=6,
        attention_types=[[["global", "local"], 1]],
        window_size=4,
        route="reported",
    ),
    "imagegpt": encoder("ImageGPT", GPT, vocab_size=VOCABULARY + 1, route="reported"),
    "biogpt": absolute("BioGpt", SIZES),
    "opt": absolute("OPT", SIZES, ffn_dim=40, word_embed_proj_dim=48),
    "xglm": absolute(
        "XGLM",
        IDS,
        vocab_size=VOCABULARY,
        d_model=48,
        num_layers=2,
        attention_heads=6,
        ffn_dim=40,
        route="reported",
    ),
    "gpt-neox": relative("GPTNeoX", SIZES),
    "gpt-neox-japanese": relative("GPTNeoXJapanese", SIZES, route="reported"),
    "gptj": relative("GPTJ", GPT, rotary_dim=4),
    "codegen": relative("CodeGen", GPT, n_head=4, rotary_dim=4),
    "bloom": relative(
        "Bloom", {"vocab_size": VOCABULARY}, hidden_size=48, n_layer=2, n_head=6, route="reported"
    ),
    "mpt": relative(
        "Mpt", {"vocab_size": VOCABULARY}, d_model=48, n_layers=2, n_heads=6, route="reported"
    ),
    "falcon": relative("Falcon", SIZES, route="reported"),
    "llama": relative("Llama", WIDE),
    "llama-for-causal-lm": relative("Llama", WIDE, model="LlamaForCausalLM"),
    "mistral-sliding": relative("Mistral", WIDE, sliding_window=4),
    "ministral": relative("Ministral", WIDE, sliding_window=4),
    "mixtral": relative("Mixtral", WIDE, num_local_experts=2, num_experts_per_tok=1),
    "qwen2": relative(
        "Qwen2", GROUPED, use_sliding_window=True, sliding_window=4, max_window_layers=1
    ),
    "qwen2-moe": relative("Qwen2Moe", {**GROUPED, **ROUTED}),
    "qwen3": relative("Qwen3", WIDE),
    "qwen3-moe": relative("Qwen3Moe", {**WIDE, **EXPERTS}),
    "gemma": relative("Gemma", WIDE, num_key_value_heads=1),
    "gemma2-softcap": relative("Gemma2", CAPPED),
    "gemma3-text": relative("Gemma3Text", {**WIDE, **WINDOW}, query_pre_attn_scalar=8),
    "gemma3n-text": relative(
        "Gemma3nText",
        WIDE,
        num_hidden_layers=4,
        sliding_window=4,
        num_kv_shared_layers=2,
        layer_types=["sliding_attention", "full_attention"] * 2,
        laurel_rank=4,
        vocab_size_per_layer_input=VOCABULARY,
        hidden_size_per_layer_input=8,
        activation_sparsity_pattern=[0.0] * 4,
        std=0.15,
    ),
    "gemma4-text": relative(
        "Gemma4Text",
        {**WIDE, **WINDOW},
        global_head_dim=8,
        num_kv_shared_layers=0,
        vocab_size_per_layer_input=VOCABULARY,
        hidden_size_per_layer_input=8,
    ),
    "gpt-oss-sinks": relative(
        "GptOss",
        {**WIDE, **WINDOW},
        num_local_experts=2,
        num_experts_per_tok=1,
        rope_parameters={"rope_type": "default", "rope_theta": 10000.0},
    ),
    "deepseek-v2": relative("DeepseekV2", LATENT),
    "deepseek-v3": relative("DeepseekV3", LATENT),
    "phi": relative("Phi", GROUPED),
    "phi3": relative("Phi3", GROUPED),
    "olmo": relative("Olmo", GROUPED),
    "olmo2": relative("Olmo2", GROUPED),
    "olmo3": relative("Olmo3", {**GROUPED, **WINDOW}),
    "olmoe": relative("Olmoe", {**GROUPED, **EXPERTS}),
    "cohere": relative("Cohere", GROUPED),
    "cohere2": relative("Cohere2", {**GROUPED, **WINDOW}),
    "granite": relative("Granite", GROUPED),
    "stablelm": relative("StableLm", GROUPED),
    "starcoder2": relative("Starcoder2", GROUPED, sliding_window=4),
    "smollm3": relative("SmolLM3", GROUPED),
    "glm4": relative("Glm4", WIDE),
    "bitnet": relative("BitNet", GROUPED),
    "apertus": relative("Apertus", GROUPED),
    "arcee": relative("Arcee", WIDE),
    "seed-oss": relative("SeedOss", WIDE),
    "hunyuan-dense": absolute("HunYuanDenseV1", WIDE),
    "nanochat": relative("NanoChat", WIDE),
    "persimmon": relative("Persimmon", SIZES),
    "nemotron": relative("Nemotron", GROUPED, std=0.25),
    "dbrx": relative(
        "Dbrx",
        {"vocab_size": VOCABULARY},
        d_model=48,
        n_heads=6,
        n_layers=2,
        attn_config={"kv_n_heads": 3, "clip_qkv": 8.0, "rope_theta": 10000.0},
        ffn_config={"ffn_hidden_size": 16, "moe_num_experts": 2, "moe_top_k": 1},
    ),
    "jetmoe": relative(
        "JetMoe",
        SIZES,
        num_key_value_heads=3,
        kv_channels=8,
        num_local_experts=2,
        num_experts_per_tok=2,
    ),
    "doge-dynamic-mask": relative("Doge", GROUPED, keep_window_size=4),
}

HYBRIDS = {
    "recurrent-gemma": encoder(
        "RecurrentGemma",
        WIDE,
        num_hidden_layers=3,
        num_key_value_heads=1,
        lru_width=48,
        attention_window_size=4,
        block_types=["recurrent", "recurrent", "attention"],
    ),
    "qwen3.5": relative("Qwen3_5Text", LINEAR, std=0.25),
    "qwen3-next": relative("Qwen3Next", {**LINEAR, **ROUTED}),
    "jamba": relative(
        "Jamba",
        GROUPED,
        attn_layer_period=2,
        attn_layer_offset=1,
        num_experts=2,
        num_experts_per_tok=1,
        mamba_d_state=4,
        mamba_d_conv=2,
        use_mamba_kernels=False,
    ),
    "bamba": relative(
        "Bamba",
        GROUPED,
        attn_layer_indices=[1],
        mamba_n_heads=6,
        mamba_d_head=16,
        mamba_d_state=4,
        mamba_chunk_size=8,
    ),
    "nemotron-h": relative(
        "NemotronH",
        WIDE,
        hybrid_override_pattern="M*",
        ssm_state_size=4,
        mamba_num_heads=4,
        mamba_head_dim=16,
        n_groups=1,
        conv_kernel=2,
        chunk_size=8,
    ),
    "zamba2": relative(
        "Zamba2",
        {**SIZES, **IDS},
        num_hidden_layers=3,
        hybrid_layer_ids=[1],
        layers_block_type=["mamba", "hybrid", "mamba"],
        attention_head_dim=16,
        n_mamba_heads=6,
        mamba_d_state=4,
        mamba_headdim=16,
        mamba_ngroups=1,
        chunk_size=8,
        num_mem_blocks=1,
        use_mamba_kernels=False,
    ),
}

TEXT_ARCHITECTURES: dict[str, Architecture] = ENCODERS | DECODERS | HYBRIDS
