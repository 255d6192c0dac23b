// Decode-time methods, one row each: name, parameters with their defaults, whether it needs the attention weights of
// every step, steps between two evictions (the authors' value where they evict by steps), what it does, source. The
// factory of NAME is make_NAME_eviction in its own file in core/compress/decode; declarations follow from the row.
// KV_PAGE_METHOD evicts whole pages, when one is full. KV_PAGE_SELECTOR evicts nothing and has no factory.
KV_DECODE_METHOD(streaming_llm, "sinks=4", false, 1, "keeps the first tokens, drops the oldest of the others",
                 "Xiao et al. 2023, arXiv 2309.17453")
KV_DECODE_METHOD(h2o, "", true, 1, "drops tokens with the least attention so far, keeps the recent half",
                 "Zhang et al. 2023, arXiv 2306.14048")
KV_DECODE_METHOD(scissorhands, "history=400,recent=10", true, 1,
                 "drops tokens that seldom got an equal share of attention",
                 "Liu et al. 2023, arXiv 2305.17118 (there half the budget at a time)")
KV_DECODE_METHOD(tova, "", true, 1, "drops tokens that the newest token attends to least",
                 "Oren et al. 2024, arXiv 2401.06104")
KV_DECODE_METHOD(r_kv, "window=8,kernel=7,lambda=0.07", false, 128, "drops redundant tokens with little attention",
                 "Cai et al. 2025, arXiv 2505.24133")
KV_DECODE_METHOD(triattention, "", false, 128, "drops keys far from the mean query before RoPE",
                 "Mao et al. 2026, arXiv 2604.04921")
KV_PAGE_METHOD(paged_eviction, "evict_when=above_budget,page=0",
               "drops the page of lowest mean ||v|| / ||k|| when the newest page is full and the budget is exceeded",
               "Chitty-Venkata et al. 2025, arXiv 2509.04377, Algorithm 3")
KV_DECODE_METHOD(knorm, "keep=low", false, 1, "drops keys of high L2 norm (inverse key L2)",
                 "Devoto et al. 2024, arXiv 2406.11430")
KV_DECODE_METHOD(cur, "sinks=4,leverage=kv_product,window=16", false, 128,
                 "drops rows whose keys and values weigh least locally",
                 "Sengupta et al. 2025, arXiv 2509.15038; kvpress DecodingPress(CURPress)")
KV_DECODE_METHOD(keydiff, "", false, 1, "drops keys like the mean key", "Park et al. 2025, arXiv 2504.15364")
KV_PAGE_SELECTOR(quest, "page=16,dense=2", "reads the pages that matter to a query; keeps all rows",
                 "Tang et al. 2024, arXiv 2406.10774")
