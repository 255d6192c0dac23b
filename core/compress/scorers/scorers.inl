// The table of scorers, one line each: name, parameters with their defaults, what it keeps, source. The factory of NAME is
// make_NAME in the scorer's own file; scorers.h declares it from this list, registry.cpp makes its table of it.
// clang-format off
KVANTAGE_SCORER(none,               "",                               "keeps every token",                                      "the uncompressed cache")
KVANTAGE_SCORER(random,             "seed=0",                         "keeps tokens at random, the baseline",                   "kvpress RandomPress")
KVANTAGE_SCORER(knorm,              "keep=low",                       "keeps keys of low (or high) L2 norm",                    "Devoto et al. 2024, arXiv 2406.11430; kvpress KnormPress")
KVANTAGE_SCORER(keydiff,            "",                               "keeps keys unlike the mean key",                         "Park et al. 2025, arXiv 2504.15364; kvpress KeyDiffPress")
KVANTAGE_SCORER(snapkv,             "window=64,kernel=5",             "keeps what the last queries attend to",                  "Li et al. 2024, arXiv 2404.14469; kvpress SnapKVPress")
KVANTAGE_SCORER(streaming_llm,      "sinks=4",                        "keeps the first tokens and the most recent ones",        "Xiao et al. 2023, arXiv 2309.17453; kvpress StreamingLLMPress")
KVANTAGE_SCORER(tova,               "",                               "keeps what the last token attends to",                   "Oren et al. 2024, arXiv 2401.06104; kvpress TOVAPress")
KVANTAGE_SCORER(observed_attention, "",                               "keeps what drew most attention of those who saw it",     "kvpress ObservedAttentionPress")
KVANTAGE_SCORER(h2o,                "",                               "keeps heavy hitters and the most recent, half and half", "Zhang et al. 2023, arXiv 2306.14048")
KVANTAGE_SCORER(scissorhands,       "history=400,recent=10",          "keeps what often drew more than an equal share",         "Liu et al. 2023, arXiv 2305.17118")
KVANTAGE_SCORER(expected_attention, "future=512,sinks=4,epsilon=0.0", "keeps what queries to come are expected to attend to",   "Devoto et al. 2025, arXiv 2510.00636; kvpress ExpectedAttentionPress")
KVANTAGE_SCORER(kvzip,              "sinks=4",                        "keeps what is read when the context is repeated",        "Kim et al. 2025, arXiv 2505.23416; kvpress KVzipPress is global(kvzip)")
KVANTAGE_SCORER(lagkv,              "sinks=4,lag=128",                "keeps what stands out against the part that follows",    "Liang et al. 2025, arXiv 2504.04704; kvpress LagKVPress")
KVANTAGE_SCORER(r_kv,               "window=8,kernel=7,lambda=0.07",  "keeps what is attended to and not said again",           "Cai et al. 2025, arXiv 2505.24133")
KVANTAGE_SCORER(triattention,       "",                               "keeps keys that lie well to the mean query before RoPE", "Mao et al. 2026, arXiv 2604.04921")
KVANTAGE_SCORER(paged_eviction,     "",                               "keeps large values with small keys",                     "Chitty-Venkata et al. 2025, arXiv 2509.04377, Algorithm 1")
// clang-format on
