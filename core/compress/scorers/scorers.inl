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
KVANTAGE_SCORER(expected_attention, "future=512,sinks=4,epsilon=0.0,covariance=yes,vnorm=yes,stats=context,digest=any",
                "keeps tokens that future queries are expected to attend to", "keys, values, all queries",
                "moments of the queries, products with every key",
                "Devoto et al. 2025, arXiv 2510.00636; kvpress ExpectedAttentionPress")
KVANTAGE_SCORER(kvzip, "sinks=4", "keeps tokens that are attended to when the context is repeated",
                "keys, a repeat pass", "about two prefills per context",
                "Kim et al. 2025, arXiv 2505.23416; kvpress KVzipPress is global(kvzip)")
KVANTAGE_SCORER(kvzip_plus, "sinks=4", "keeps what adds most to the output when the context is repeated",
                "keys, a repeat pass, norms of projected values, hidden states",
                "about two prefills per context, and its values times the output matrix",
                "Kim et al. 2025, KVzip+; kvpress KVzipPress(kvzip_plus_normalization=True) is global(kvzip_plus)")
KVANTAGE_SCORER(finch, "window=64,normalize=yes", "keeps tokens that the last queries attend to, counted by position",
                "keys, queries of the last window", "attention of the window",
                "Corallo and Papotti 2024, TACL 12; kvpress FinchPress is rerotate(finch)")
KVANTAGE_SCORER(simlayerkv, "threshold=0.9,last=1,recent=1024,initial=4",
                "keeps everything but in lazy layers, which keep the first and most recent tokens",
                "keys, the last query", "attention of one token",
                "Zhang et al. 2024, arXiv 2410.13846; kvpress SimLayerKVPress")
KVANTAGE_SCORER(duo_attention, "pattern=context,sinks=128,recent=256,seed=0,digest=any",
                "keeps everything in some heads, the first and most recent tokens in the others",
                "a pattern of heads, or keys and all queries", "mean queries and keys before RoPE",
                "Xiao et al. 2024, arXiv 2410.10819; kvpress DuoAttentionPress")
KVANTAGE_SCORER(lagkv, "sinks=4,lag=128,cross=no", "keeps tokens that stand out against the next chunk", "keys, values",
                "one pass over keys and values", "Liang et al. 2025, arXiv 2504.04704; kvpress LagKVPress")
KVANTAGE_SCORER(r_kv, "window=8,kernel=7,lambda=0.07", "keeps tokens that are attended to and not redundant",
                "keys, queries of the last window", "cosines of every key to every key",
                "Cai et al. 2025, arXiv 2505.24133")
KVANTAGE_SCORER(triattention, "", "keeps keys aligned with the mean query before RoPE", "keys, a calibration pass",
                "one prefill per model, keys un-rotated once", "Mao et al. 2026, arXiv 2604.04921")
KVANTAGE_SCORER(paged_eviction, "", "keeps tokens with large values and small keys", "keys, values",
                "one pass over keys and values", "Chitty-Venkata et al. 2025, arXiv 2509.04377, Algorithm 1")
