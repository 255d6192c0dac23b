// The rows of scorers.inl for this folder, in the same form.
KVANTAGE_SCORER(cur, "sinks=4,leverage=kv_product,window=16", "keeps tokens whose keys and values weigh most locally",
                "keys, values", "one pass over keys and values",
                "Sengupta et al. 2025, CurDKV, arXiv 2509.15038; kvpress CURPress")
KVANTAGE_SCORER(leverage, "sketch=48,seed=0", "keeps outliers among the keys before RoPE", "keys",
                "a sketch of every key, one small inverse per head",
                "Chari and Van Durme 2025, Compactor, arXiv 2507.08143; kvpress LeverageScorePress")
KVANTAGE_SCORER(non_causal_attention, "chunk=256", "keeps tokens that their chunk attends to, before and after them",
                "keys, values, all queries", "attention within chunks",
                "Chari and Van Durme 2025, Compactor, arXiv 2507.08143; kvpress NonCausalAttnPress")
KVANTAGE_SCORER(compactor, "sinks=8,recent=4,chunk=256,sketch=48,seed=0,blending=removed",
                "keeps outliers that their chunk attends to", "keys, values, all queries",
                "attention within chunks, a sketch of every key",
                "Chari and Van Durme 2025, arXiv 2507.08143; kvpress CompactorPress")
KVANTAGE_SCORER(capkv, "tau=5.0,future=512,sinks=4,epsilon=0.000001",
                "keeps values that span most, weighted by future queries", "keys, values, all queries",
                "one inverse of head_dim x head_dim per query head", "CapKV, arXiv 2604.25975; kvpress CapPress")
