// The table of scorers, one row each: name, parameters with their defaults, what it keeps, its inputs, the cost of
// scoring beyond the prefill that fills the cache, source. The factory of NAME is make_NAME in the scorer's own file;
// scorers.h declares it from this list, registry.cpp builds its table from it.
KVANTAGE_SCORER(none, "", "keeps every token", "nothing", "nothing", "the uncompressed cache")
KVANTAGE_SCORER(random, "seed=0", "keeps tokens at random, the baseline", "nothing", "nothing", "kvpress RandomPress")
KVANTAGE_SCORER(knorm, "keep=low", "keeps keys of low (or high) L2 norm", "keys", "one pass over the keys",
                "Devoto et al. 2024, arXiv 2406.11430; kvpress KnormPress")
KVANTAGE_SCORER(keydiff, "", "keeps keys unlike the mean key", "keys", "one pass over the keys",
                "Park et al. 2025, arXiv 2504.15364; kvpress KeyDiffPress")
KVANTAGE_SCORER(snapkv, "window=64,kernel=5", "keeps tokens that the last queries attend to",
                "keys, queries of the last window", "attention of the window",
                "Li et al. 2024, arXiv 2404.14469; kvpress SnapKVPress")
KVANTAGE_SCORER(streaming_llm, "sinks=4", "keeps the first tokens and the most recent ones", "positions", "nothing",
                "Xiao et al. 2023, arXiv 2309.17453; kvpress StreamingLLMPress")
KVANTAGE_SCORER(tova, "", "keeps tokens that the last query attends to", "keys, the last query",
                "attention of one token", "Oren et al. 2024, arXiv 2401.06104; kvpress TOVAPress")
KVANTAGE_SCORER(observed_attention, "", "keeps tokens with the most attention per query that sees them",
                "keys, all queries", "the attention of a second prefill", "kvpress ObservedAttentionPress")
KVANTAGE_SCORER(h2o, "", "keeps heavy hitters and the most recent tokens, half each", "keys, all queries",
                "the attention of a second prefill", "Zhang et al. 2023, arXiv 2306.14048")
KVANTAGE_SCORER(scissorhands, "history=400,recent=10",
                "keeps tokens that often get more than an equal share of attention",
                "keys, queries of the last history", "recomputed attention of those queries",
                "Liu et al. 2023, arXiv 2305.17118")
KVANTAGE_SCORER(expected_attention, "future=512,sinks=4,epsilon=0.0",
                "keeps tokens that future queries are expected to attend to", "keys, values, all queries",
                "moments of the queries, products with every key",
                "Devoto et al. 2025, arXiv 2510.00636; kvpress ExpectedAttentionPress")
KVANTAGE_SCORER(kvzip, "sinks=4", "keeps tokens that are attended to when the context is repeated",
                "keys, a repeat pass", "about two prefills per context",
                "Kim et al. 2025, arXiv 2505.23416; kvpress KVzipPress is global(kvzip)")
KVANTAGE_SCORER(lagkv, "sinks=4,lag=128", "keeps tokens that stand out against the next chunk", "keys, values",
                "one pass over keys and values", "Liang et al. 2025, arXiv 2504.04704; kvpress LagKVPress")
KVANTAGE_SCORER(r_kv, "window=8,kernel=7,lambda=0.07", "keeps tokens that are attended to and not redundant",
                "keys, queries of the last window", "cosines of every key to every key",
                "Cai et al. 2025, arXiv 2505.24133")
KVANTAGE_SCORER(triattention, "", "keeps keys aligned with the mean query before RoPE", "keys, a calibration pass",
                "one prefill per model, keys un-rotated once", "Mao et al. 2026, arXiv 2604.04921")
KVANTAGE_SCORER(paged_eviction, "", "keeps tokens with large values and small keys", "keys, values",
                "one pass over keys and values", "Chitty-Venkata et al. 2025, arXiv 2509.04377, Algorithm 1")
