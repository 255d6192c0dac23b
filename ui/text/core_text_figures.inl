// Rows of the catalog in core_text.cpp.
// Papers and figures of EvicPress, AdaptCache, PagedEviction and token eviction, and their settings.
// clang-format off
QT_TRANSLATE_NOOP("core", "Its figures 1, 5 and 6 are pictures of a pool: step through them in the Pool dock."),
QT_TRANSLATE_NOOP("core", "KV cache token eviction and compaction"),
QT_TRANSLATE_NOOP("core", "Its six LongBench data sets are missing, among them the coding task: contexts are made on "
                          "the machine. The metric code_bleu scores code as the paper does."),
QT_TRANSLATE_NOOP("core", "Figures 1, 2, 4, 5 and 11 are drawings of hardware, design and schedules, without results. "
                          "Figure 14 compares with attention computed on the CPU, which is not reproduced here."),
QT_TRANSLATE_NOOP("core", "Workload"),
QT_TRANSLATE_NOOP("core", "Folder of a workload, or the name of one; throttled tiers make figures of different "
                          "machines comparable"),
QT_TRANSLATE_NOOP("core", "Methods"),
QT_TRANSLATE_NOOP("core", "the workload's candidates"),
QT_TRANSLATE_NOOP("core", "Compression methods as text forms, comma-separated: keydiff, knorm+kivi4, ..."),
QT_TRANSLATE_NOOP("core", "Removed fractions"),
QT_TRANSLATE_NOOP("core", "Fractions of a context's tokens that are removed, comma-separated, each above 0 and below "
                          "1"),
QT_TRANSLATE_NOOP("core", "Budgets"),
QT_TRANSLATE_NOOP("core", "Total tier budget, as a share of the contexts' uncompressed bytes; in a paper's regime the "
                          "budget of the fastest tier"),
QT_TRANSLATE_NOOP("core", "those of the regime; %1 outside of one"),
QT_TRANSLATE_NOOP("core", "those of the regime; five scaled to the profiles outside of one"),
QT_TRANSLATE_NOOP("core", "that of the regime; %1 outside of one"),
QT_TRANSLATE_NOOP("core", "from a half to 9.7 within the mean prefill of a context, in steps of 1.39, of others than "
                          "evicpress from 0.19 to 7; 4,8,16,24 outside of the regime"),
QT_TRANSLATE_NOOP("core", "0.08 in the regime, as 80 GB hold 8.3 % of the KV for Llama-3.1-8B and Mistral-7B, two of "
                          "the figure's three models (5.6 % for Qwen2.5-14B); 0.2 outside of one"),
QT_TRANSLATE_NOOP("core", "Quality metric"),
QT_TRANSLATE_NOOP("core", "cosine, the paper's; token_f1 where its embedder is missing"),
QT_TRANSLATE_NOOP("core", "Quality metric of curves and answers; cosine: similarity in meaning to the answer with "
                          "uncompressed KV, by all-MiniLM-L6-v2"),
QT_TRANSLATE_NOOP("core", "Profile questions"),
QT_TRANSLATE_NOOP("core", "Of each context: 36 forms of every context answer them"),
QT_TRANSLATE_NOOP("core", "Folder of a workload, or the name of one"),
QT_TRANSLATE_NOOP("core", "prefill, lru, each configuration below + LRU, adaptcache(pool=paper) by both readings of "
                          "its utility, evicpress"),
QT_TRANSLATE_NOOP("core", "What an answer is scored by; by_task: F1, ROUGE-L or CodeBLEU by family, as in the "
                          "paper; NAME@prefill compares with the answer after a full prefill"),
QT_TRANSLATE_NOOP("core", "Alphas (s)"),
QT_TRANSLATE_NOOP("core", "Seconds of TTFT that a unit of quality is worth, comma-separated; each is a run of every "
                          "policy that uses alpha"),
QT_TRANSLATE_NOOP("core", "Policies"),
QT_TRANSLATE_NOOP("core", "Policies as text forms, comma-separated: full_prefill, lru, "
                          "fixed(METHOD,REMOVED_FRACTION), evicpress(quality=raw)"),
QT_TRANSLATE_NOOP("core", "Rates (1/s)"),
QT_TRANSLATE_NOOP("core", "Requests per second, Poisson arrivals"),
QT_TRANSLATE_NOOP("core", "Max concurrency"),
QT_TRANSLATE_NOOP("core", "Maximum concurrent requests"),
QT_TRANSLATE_NOOP("core", "Seeds"),
QT_TRANSLATE_NOOP("core", "Request sequences; every policy serves each of them"),
QT_TRANSLATE_NOOP("core", "Requests per run"),
QT_TRANSLATE_NOOP("core", "as many as the workload has"),
QT_TRANSLATE_NOOP("core", "Measured requests per run, after one warm-up request per context"),
QT_TRANSLATE_NOOP("core", "prefill, lru, lfu, s3fifo, gdsf, every fixed configuration + LRU, impress at three "
                          "shares, adaptcache, evicpress by the paper's two rules, that of its authors' code, and "
                          "ours"),
QT_TRANSLATE_NOOP("core", "Full prefill, LRU, LFU, S3-FIFO, GDSF, every fixed configuration + LRU, IMPRESS, "
                          "AdaptCache and evicpress serve the same requests under each budget. IMPRESS stores "
                          "contexts whole, in chunks, and reads those that hold tokens important to the question. "
                          "In the paper's regime evicpress chooses among the paper's methods; codecs are in rows of "
                          "their own. Figures 7, 9, 11 and 12 are views of the same runs, which evicpress/runs "
                          "performs once for all four."),
QT_TRANSLATE_NOOP("core", "compression only, eviction only, both together: two caches, two tiers"),
QT_TRANSLATE_NOOP("core", "The paper's worked example, computed with KVantage's own policies: a 4 GB cache that "
                          "compresses to 5 % without loss, an 8 GB cache that loses quality under any compression, a "
                          "fast tier of 8 GB at 20 GB/s, and a slow tier at 2 GB/s."),
QT_TRANSLATE_NOOP("core", "Compression only is fastest but loses quality; eviction only keeps full quality but is "
                          "slow; both together keep full quality and are nearly as fast."),
QT_TRANSLATE_NOOP("core", "total TTFT 0.3, 2.4 and 0.5 s at a quality of 75, 100 and 100 %"),
QT_TRANSLATE_NOOP("core", "the arithmetic of section 4.2, and sizes of KV caches"),
QT_TRANSLATE_NOOP("core", "Computes each number of the section's examples from the others that it prints, with "
                          "KVantage's own utility and load time, and the sizes of KV caches from the models' shapes."),
QT_TRANSLATE_NOOP("core", "Each printed number follows from the others, within rounding."),
QT_TRANSLATE_NOOP("core", "utilities 0.607 and 0.621 at alpha 1; above alpha 0.3, a ratio of 0.2 is preferred to 0.4"),
QT_TRANSLATE_NOOP("core", "quality drop of each context under the same compression"),
QT_TRANSLATE_NOOP("core", "Measures the quality curves of all contexts and compares their relative quality drop at "
                          "one method and removed fraction, by family."),
QT_TRANSLATE_NOOP("core", "Drops vary widely: some contexts tolerate a compression that severely degrades others. "
                          "They vary less within a family than between families."),
QT_TRANSLATE_NOOP("core", "medians of six datasets from 0.340 (NarrativeQA) to 0.759 (Qasper), coefficients of "
                          "variation within a dataset from 0.078 to 0.394"),
QT_TRANSLATE_NOOP("core", "Method"),
QT_TRANSLATE_NOOP("core", "Removed fraction"),
QT_TRANSLATE_NOOP("core", "the method with the smallest quality drop for each context"),
QT_TRANSLATE_NOOP("core", "For each context, the method with the smallest quality drop at one removed fraction. Ties "
                          "are split evenly and counted."),
QT_TRANSLATE_NOOP("core", "No method is best for all: several lead for a substantial share of the contexts, "
                          "regardless of their length."),
QT_TRANSLATE_NOOP("core", "kvzip 40.3 %, knorm 40.0 %, snapkv 19.7 % of the contexts; their lengths overlap"),
QT_TRANSLATE_NOOP("core", "removed fraction with the best balance of quality and TTFT"),
QT_TRANSLATE_NOOP("core", "For each context, the removed fraction that maximizes quality / uncompressed quality - "
                          "TTFT / uncompressed TTFT on the slowest tier. Times are predicted from that tier's fit."),
QT_TRANSLATE_NOOP("core", "The best fraction differs between families and between contexts of one family."),
QT_TRANSLATE_NOOP("core", "it differs between datasets and between contexts of one dataset: coefficients of "
                          "variation from 0.068 to 0.806"),
QT_TRANSLATE_NOOP("core", "TTFT against quality, all families together"),
QT_TRANSLATE_NOOP("core", "At equal quality, evicpress is faster than every fixed configuration + LRU and than "
                          "IMPRESS. Near full quality, it is faster than prefill and LRU."),
QT_TRANSLATE_NOOP("core", "against fixed compression with LRU 1.43 - 3.77 times lower TTFT at equal quality and "
                          "13.58 - 55.40 % more quality at equal TTFT; against IMPRESS 1.5 - 5.2 times and 14.29 - "
                          "27.00 %; within 3 % of full quality 1.29 - 2.19 times faster than prefill and 1.22 - 1.56 "
                          "times than LRU alone"),
QT_TRANSLATE_NOOP("core", "TTFT and inter-token latency against request rate"),
QT_TRANSLATE_NOOP("core", "Every policy under Poisson arrivals at each rate. Compares the highest rate that each "
                          "sustains at the minimum quality while the mean TTFT, or the mean inter-token latency, "
                          "stays within its bound. Also breaks down the engine's time. Extensions (codecs, "
                          "drop=best) are compared in evicpress/fig7 alone."),
QT_TRANSLATE_NOOP("core", "evicpress sustains a higher rate than any other policy before requests queue."),
QT_TRANSLATE_NOOP("core", "at a quality of 0.8 2.0 - 3.6 times the rate of the best baseline at equal TTFT, 1.9 - "
                          "3.4 times at equal inter-token latency"),
QT_TRANSLATE_NOOP("core", "TTFT bound (s)"),
QT_TRANSLATE_NOOP("core", "twice the mean prefill of a context: the paper prints no level; at this one full "
                          "prefill queues for as long as it is served, and LRU, which takes at most 1.21 "
                          "prefills by section 6.2, can queue as well"),
QT_TRANSLATE_NOOP("core", "Bound on the mean TTFT including queueing, in seconds"),
QT_TRANSLATE_NOOP("core", "Inter-token bound (s)"),
QT_TRANSLATE_NOOP("core", "twice that of requests served one at a time, doubled until another policy than evicpress "
                          "meets it at the minimum quality"),
QT_TRANSLATE_NOOP("core", "Bound on the mean inter-token latency, in seconds"),
QT_TRANSLATE_NOOP("core", "Minimum quality"),
QT_TRANSLATE_NOOP("core", "Minimum mean quality, 0 to 1"),
QT_TRANSLATE_NOOP("core", "Budget"),
QT_TRANSLATE_NOOP("core", "80 GB of DRAM and 800 GB of SSD"),
QT_TRANSLATE_NOOP("core", "DRAM as a share of all KV, such as the 0.4 of the authors' simulator; SSD is ten times "
                          "that"),
QT_TRANSLATE_NOOP("core", "requests served by each tier, and quality"),
QT_TRANSLATE_NOOP("core", "At equal or higher quality more requests are served by the fast tier than under fixed "
                          "configurations."),
QT_TRANSLATE_NOOP("core", "evicpress hits the fast tier more often at higher quality; the slow tier less often"),
QT_TRANSLATE_NOOP("core", "quality and latency over time, with and without re-profiling"),
QT_TRANSLATE_NOOP("core", "Requests arrive as in Azure's trace of conversations, and questions about each context "
                          "drift in the middle of the run; served once with re-profiling and once without, in eight "
                          "parts of the run. Quality leaves out questions that re-profiling had used."),
QT_TRANSLATE_NOOP("core", "Without re-profiling, quality falls with the drift and stays low; with it, quality "
                          "recovers, and latency rises only while profiling runs."),
QT_TRANSLATE_NOOP("core", "with re-profiling, quality rises over time by about 11 %; latency rises briefly while "
                          "profiling runs (Azure arrivals, threshold 0.3, one profiling question per context)"),
QT_TRANSLATE_NOOP("core", "Rate (1/s)"),
QT_TRANSLATE_NOOP("core", "Mean requests per second, to which the workload's recorded arrival times are scaled; "
                          "without such times, Poisson arrivals"),
QT_TRANSLATE_NOOP("core", "Profile questions"),
QT_TRANSLATE_NOOP("core", "methods and removed fractions chosen on each tier"),
QT_TRANSLATE_NOOP("core", "Several methods at many removed fractions are in use, and slower tiers hold more strongly "
                          "compressed caches."),
QT_TRANSLATE_NOOP("core", "a broad mix; slower tiers hold more strongly compressed caches; keydiff is chosen most "
                          "often, the others for a substantial share of the contexts"),
QT_TRANSLATE_NOOP("core", "TTFT against quality by family"),
QT_TRANSLATE_NOOP("core", "Ahead of the fixed configurations in nearly every family."),
QT_TRANSLATE_NOOP("core", "better than keydiff with LRU on 11 of 12 datasets, by most on short contexts"),
QT_TRANSLATE_NOOP("core", "figures 7, 9, 11 and 12 from the same runs"),
QT_TRANSLATE_NOOP("core", "See evicpress/fig7, evicpress/fig9, evicpress/fig11 and evicpress/fig12."),
QT_TRANSLATE_NOOP("core", "see evicpress/fig7, evicpress/fig9, evicpress/fig11 and evicpress/fig12"),
QT_TRANSLATE_NOOP("core", "limits of joint decisions"),
QT_TRANSLATE_NOOP("core", "LRU, fixed configurations and evicpress with all budget in DRAM, with abundant DRAM, with "
                          "tiers of equal bandwidth, and with the bandwidth cut to a quarter halfway through the run."),
QT_TRANSLATE_NOOP("core", "The advantage shrinks when everything fits into the fast tier, and when tiers have "
                          "similar bandwidth."),
QT_TRANSLATE_NOOP("core", "with abundant DRAM, and with tiers of similar bandwidth, the advantage diminishes; "
                          "rapidly changing bandwidth makes decisions suboptimal (section 8, no figures)"),
QT_TRANSLATE_NOOP("core", "TTFT against quality at the scale of the paper, simulated"),
QT_TRANSLATE_NOOP("core", "Simulates every policy on 555 contexts of 13,175 tokens on average, 80 GB of DRAM, 800 "
                          "GB of SSD and unlimited remote storage, with the authors' seconds per token of "
                          "Qwen3-30B-A3B and its 98,304 bytes of KV per token. Each context takes the measured "
                          "quality curves of a context of the workload. Its length is a log-normal draw with the "
                          "mean of its data set in table 1 and the variation in table 2. Beside it, the same "
                          "simulation of the workload's own contexts. No claim gets a verdict from these."),
QT_TRANSLATE_NOOP("core", "At equal quality, evicpress is faster than every fixed configuration + LRU; near full "
                          "quality, it is faster than prefill and LRU, by as much at both scales."),
QT_TRANSLATE_NOOP("core", "measured, with five models: against fixed compression with LRU 1.43 - 3.77 times lower "
                          "TTFT at equal quality and 13.58 - 55.40 % more quality at equal TTFT; within 3 % of "
                          "full quality 1.29 - 2.19 times faster than prefill and 1.22 - 1.56 times than LRU alone"),
QT_TRANSLATE_NOOP("core", "median seconds to load a context from remote storage, times 0.1, 0.3, 1, 3, 10"),
QT_TRANSLATE_NOOP("core", "prefill, lru, every fixed configuration + LRU, evicpress by the paper's two rules, that "
                          "of its authors' code, and ours"),
QT_TRANSLATE_NOOP("core", "10 per context; the paper has 50"),
QT_TRANSLATE_NOOP("core", "Simulated requests per run, after one warm-up request per context"),
QT_TRANSLATE_NOOP("core", "Rows that a head may hold after an eviction, as a share of the prompt's tokens"),
QT_TRANSLATE_NOOP("core", "Page (tokens)"),
QT_TRANSLATE_NOOP("core", "Rows per block of the pool, comma-separated"),
QT_TRANSLATE_NOOP("core", "Eviction methods"),
QT_TRANSLATE_NOOP("core", "Decode-time eviction methods, comma-separated; `kvantage-cli methods` lists them"),
QT_TRANSLATE_NOOP("core", "Ledgers"),
QT_TRANSLATE_NOOP("core", "Contexts, with one question each"),
QT_TRANSLATE_NOOP("core", "Texts of each kind"),
QT_TRANSLATE_NOOP("core", "Ledgers, news and stories each, with one question per text"),
QT_TRANSLATE_NOOP("core", "Context (tokens)"),
QT_TRANSLATE_NOOP("core", "Length of a ledger"),
QT_TRANSLATE_NOOP("core", "Length of a text"),
QT_TRANSLATE_NOOP("core", "Answer (tokens)"),
QT_TRANSLATE_NOOP("core", "Minimum length of a reference answer, and number of timed decode steps"),
QT_TRANSLATE_NOOP("core", "Compaction interval (steps)"),
QT_TRANSLATE_NOOP("core", "Decoded tokens between compaction passes"),
QT_TRANSLATE_NOOP("core", "Seed of the ledgers"),
QT_TRANSLATE_NOOP("core", "Seed of the texts"),
QT_TRANSLATE_NOOP("core", "Blocks"),
QT_TRANSLATE_NOOP("core", "Number of blocks: each times every cell once, in an order drawn for it; intervals are "
                          "over the blocks"),
QT_TRANSLATE_NOOP("core", "AdaptCache versus one method and rate for all contexts, Poisson arrivals"),
QT_TRANSLATE_NOOP("core", "AdaptCache's policy against KIVI at 8, 4 and 2 bits and StreamingLLM at its rates, "
                          "each with LRU, under Poisson arrivals; also hits of the fast tier (its figure 1). "
                          "The same runs serve the paper's three tasks, each by its own metric against the "
                          "answer with uncompressed KV: F1 of short answers, ROUGE-L of long ones, CodeBLEU of "
                          "code. The model is reference-mha."),
QT_TRANSLATE_NOOP("core", "Lower TTFT than any fixed configuration of equal quality, higher quality than any of "
                          "equal TTFT, and a higher hit rate of the fast tier."),
QT_TRANSLATE_NOOP("core", "1.43 - 2.4 times lower TTFT at equal quality and 6 - 55 % higher quality at equal TTFT "
                          "than fixed compression; TTFT 69 % lower than KIVI's at equal quality"),
QT_TRANSLATE_NOOP("core", "The coding task: AdaptCache versus one method and rate for all contexts"),
QT_TRANSLATE_NOOP("core", "The study of adaptcache/fig2 on modules of Python, each asked for its next statement. "
                          "Quality is CodeBLEU against the answer with uncompressed KV; the model is reference-mha."),
QT_TRANSLATE_NOOP("core", "A higher hit rate of the fast tier than 2-bit KIVI with LRU, and a lower one the more "
                          "quality is worth."),
QT_TRANSLATE_NOOP("core", "DRAM hit rate 81, 56, 44 and 11 % for four weights between delay and quality, versus 38 % "
                          "of 2-bit KIVI with LRU"),
QT_TRANSLATE_NOOP("core", "AdaptCache at the scale of the paper, simulated"),
QT_TRANSLATE_NOOP("core", "Simulates AdaptCache, KIVI and StreamingLLM with LRU, LRU and prefill on 1,100 "
                          "contexts of six data sets, 100 GB of DRAM and 400 GB of SSD at 1 GB/s, Poisson "
                          "arrivals, with the authors' seconds per token of Llama-3.1-8B and its 131,072 bytes "
                          "of KV per token. Each context takes the measured quality curves of a context of the "
                          "workload that has its task. The paper prints no lengths, so they are assumed: "
                          "log-normal draws with LongBench's mean of each data set, which counts words, at four "
                          "tokens to three words. No claim gets a verdict from these."),
QT_TRANSLATE_NOOP("core", "Lower TTFT than any fixed configuration of equal quality, higher quality than any of "
                          "equal TTFT, and a higher hit rate of DRAM."),
QT_TRANSLATE_NOOP("core", "measured: 1.43 - 2.4 times lower TTFT at equal quality and 6 - 55 % higher quality "
                          "at equal TTFT than fixed compression; DRAM hit rate 81, 56, 44 and 11 % for four "
                          "weights in the coding task, versus 38 % of 2-bit KIVI with LRU"),
QT_TRANSLATE_NOOP("core", "100 GB of DRAM and 400 GB of SSD"),
QT_TRANSLATE_NOOP("core", "DRAM as a share of all KV; SSD is four times that"),
QT_TRANSLATE_NOOP("core", "median prefill of a context, times 0.1, 1, 2, 10"),
QT_TRANSLATE_NOOP("core", "4 per context"),
QT_TRANSLATE_NOOP("core", "Model"),
QT_TRANSLATE_NOOP("core", "Hugging Face model folder, or reference-mha"),
QT_TRANSLATE_NOOP("core", "Folder of a workload, or the name of a sample"),
QT_TRANSLATE_NOOP("core", "Seconds of TTFT that a unit of quality is worth, comma-separated"),
QT_TRANSLATE_NOOP("core", "prefill, lru, each configuration below + LRU, adaptcache"),
QT_TRANSLATE_NOOP("core", "Policies as text forms, comma-separated"),
QT_TRANSLATE_NOOP("core", "Compression methods as text forms, comma-separated"),
QT_TRANSLATE_NOOP("core", "Fractions of a context's tokens that StreamingLLM removes: the paper's rates"),
QT_TRANSLATE_NOOP("core", "score against cache budget"),
QT_TRANSLATE_NOOP("core", "Decodes answers about ledgers, which are long, and about news and stories, which are "
                          "short, while each eviction method keeps every head within its budget. Scores them by "
                          "ROUGE-L and token F1 against the reference answer. Budgets are shares of the prompt. "
                          "The five data sets of the paper have prompts of 7,500 tokens on average: its budgets of "
                          "256, 512, 1,024, 2,048 and 4,096 tokens are 3.4, 6.8, 14, 27 and 55 % of them. "
                          "GovReport's prompts have 11,600 tokens, of which 1,024 and 4,096 are 9 and 35 %; "
                          "MultiNews' have 2,800, of which 1,024 are 36 %, and 4,096 hold all. Each number of the "
                          "paper is compared at the nearest budget here."),
QT_TRANSLATE_NOOP("core", "Scores rise with the budget up to the full cache's; PagedEviction is ahead at small "
                          "budgets."),
QT_TRANSLATE_NOOP("core", "GovReport, LLaMA-3.2-1B, budget 1024: PagedEviction about 24.5, StreamingLLM 21, "
                          "KeyDiff 21.2; at 4096 29.5 where the full cache has 30. MultiNews, 3B, 1024: 23.6 "
                          "against 22.5 (inverse key L2) and 22.0 (StreamingLLM); at 4096 it nearly matches the "
                          "full cache, about 24.5"),
QT_TRANSLATE_NOOP("core", "throughput and time per output token against cache budget"),
QT_TRANSLATE_NOOP("core", "The same number of decoding steps for every eviction method and budget, timed in "
                          "blocks. As many requests as the batch decode side by side, with prompts of random "
                          "tokens; the paper serves 64, which is too many for two cores. The paper's full cache "
                          "has 5,120 tokens on average while it decodes; its budgets of 256 to 4,096 tokens are 5 "
                          "to 80 % of them, and 6.25 to 100 % of the prompt here."),
QT_TRANSLATE_NOOP("core", "Page-wise eviction methods are about as fast as StreamingLLM and faster than the full "
                          "cache; unstructured ones gain little."),
QT_TRANSLATE_NOOP("core", "LLaMA-1B, budget 1024: PagedEviction about 3020 tokens/s, StreamingLLM 2920, inverse key "
                          "L2 and KeyDiff 2170, full cache 2200 (37 % more); time per output token 12, 10 and 11 % "
                          "below the full cache's at 1B, 3B and 8B"),
QT_TRANSLATE_NOOP("core", "throughput and score against page size"),
QT_TRANSLATE_NOOP("core", "Scores and times at half the prompt as budget, with pages of 8 to 128 tokens. Times are "
                          "in blocks, of as many requests as the batch side by side, with prompts of random tokens."),
QT_TRANSLATE_NOOP("core", "Page size has little effect on throughput and even less on scores; PagedEviction scores a "
                          "few percent below the full cache."),
QT_TRANSLATE_NOOP("core", "up to 3.1 times the full cache's throughput, close to StreamingLLM at pages of 16 and 32; "
                          "less than 3 - 5 % of ROUGE lost, where KeyDiff and inverse key L2 lose up to 20 %"),
QT_TRANSLATE_NOOP("core", "every eviction method on long answers at equal budget"),
QT_TRANSLATE_NOOP("core", "Nine eviction methods and Quest's page selection decode the same ledgers at equal "
                          "budgets: scores, times, blocks, score buffers."),
QT_TRANSLATE_NOOP("core", "Eviction methods that use attention weights score best and are slowest; Quest reads fewer "
                          "rows and frees none."),
QT_TRANSLATE_NOOP("core", "Qwen3-8B, AIME 2024 at a budget of 2048: full attention 57.1 %, TriAttention 42.1, SnapKV "
                          "34.6, R-KV 25.4; AIME 2025: 40.8, 32.9, 20.0, 17.5"),
QT_TRANSLATE_NOOP("core", "paging overheads: blocks that a paged pool frees, score buffers that fused kernels do not "
                          "have"),
QT_TRANSLATE_NOOP("core", "The article's own cases in the real pool, with and without compaction; scores that "
                          "attention holds at once, as a full matrix and in tiles; and the overhead of scoring "
                          "one context during prefill, by method, in blocks."),
QT_TRANSLATE_NOOP("core", "Scattered eviction frees nothing until compaction fills the free slots; methods that need "
                          "attention weights slow prefill down and need buffers."),
QT_TRANSLATE_NOOP("core", "scattered eviction of 90 % frees 0 of 1000 blocks, repack 900, an aligned block 1, one "
                          "survivor per block 0; one decode round: repack 18 copies, hole filling 3 for the same "
                          "block; peak score buffer 16 times smaller when fused"),
QT_TRANSLATE_NOOP("core", "every method that removes tokens"),
QT_TRANSLATE_NOOP("core", "Scorers whose cost is measured, comma-separated"),
QT_TRANSLATE_NOOP("core", "Length of the ledger that is scored"),
QT_TRANSLATE_NOOP("core", "Minimum length of the ledger's reference answer"),
QT_TRANSLATE_NOOP("core", "Seed of the ledger"),
QT_TRANSLATE_NOOP("core", "blocks held and slot copies with and without compaction"),
QT_TRANSLATE_NOOP("core", "Every eviction method decodes the same steps with repack, with hole filling and "
                          "without compaction, by page size: blocks freed, copies, time per pass."),
QT_TRANSLATE_NOOP("core", "Without compaction, unstructured eviction frees few blocks; with it, all evicted blocks "
                          "are freed. Hole filling needs far fewer copies."),
QT_TRANSLATE_NOOP("core", "TriAttention compacts about every 128 decoded tokens; decoding 32K tokens at a budget of "
                          "3,072 2.5 times as fast (563.5 against 222.8 tokens/s) with 10.7 times less KV memory"),
QT_TRANSLATE_NOOP("core", "Budgets (tokens)"),
QT_TRANSLATE_NOOP("core", "Rows that a head may hold after an eviction"),
QT_TRANSLATE_NOOP("core", "Rows per block of the pool"),
QT_TRANSLATE_NOOP("core", "Length of each prompt, of random tokens"),
QT_TRANSLATE_NOOP("core", "Output (tokens)"),
QT_TRANSLATE_NOOP("core", "Tokens that each request decodes"),
QT_TRANSLATE_NOOP("core", "Hidden size of the random model, a multiple of 256"),
QT_TRANSLATE_NOOP("core", "Seed of weights and prompts"),
QT_TRANSLATE_NOOP("core", "Side by side"),
QT_TRANSLATE_NOOP("core", "Requests side by side; the pool has room for them"),
QT_TRANSLATE_NOOP("core", "throughput of many requests side by side"),
QT_TRANSLATE_NOOP("core", "The paper's throughput setup scaled to this machine: prompts of random tokens and long "
                          "outputs on a random-weight Llama of 4 layers. First the same number of requests side by "
                          "side, which shows what the kernels gain; then the same pool, in which smaller caches "
                          "leave room for larger batches. Eviction of single tokens runs without compaction, as in "
                          "vLLM, where a block is freed when all of its tokens are evicted, and with it."),
QT_TRANSLATE_NOOP("core", "PagedEviction is faster than the full cache and about as fast as StreamingLLM; eviction "
                          "of single tokens gains little without compaction. In the same pool the gain is larger."),
QT_TRANSLATE_NOOP("core", "LLaMA-3.2-1B on an A100, 64 requests of 1,024 + 8,192 tokens, budget 1,024: PagedEviction "
                          "about 3020 tokens/s, StreamingLLM 2920, inverse key L2 and KeyDiff 2170, full cache 2200; "
                          "time per output token 10 to 12 % below the full cache's"),
QT_TRANSLATE_NOOP("core", "a generation of 32K tokens at a budget of 3,072"),
QT_TRANSLATE_NOOP("core", "One request decodes 32K tokens on a random-weight Llama of 4 layers, with the full cache "
                          "and with each eviction method at the budget, without compaction and with repack: speed, "
                          "KV memory, time of compaction."),
QT_TRANSLATE_NOOP("core", "The full cache slows down as it grows; at a budget the speed stays the same. Without "
                          "compaction, eviction of single tokens frees few blocks."),
QT_TRANSLATE_NOOP("core", "TriAttention, decoding 32K tokens at a budget of 3,072: 2.5 times as fast (563.5 against "
                          "222.8 tokens/s) with 10.7 times less KV memory"),
QT_TRANSLATE_NOOP("core", "Requests"),
QT_TRANSLATE_NOOP("core", "Number of requests, all at once where the pool has room for them"),
QT_TRANSLATE_NOOP("core", "Re-profile when"),
QT_TRANSLATE_NOOP("core", "When a context is re-profiled: the quality of its answers falls short of their "
                          "profile by a difference, absolute(0.3), or by a share, relative(0.3), or is below a "
                          "value, below(0.7)"),
QT_TRANSLATE_NOOP("core", "Questions per context for the initial quality curve, as in the paper; 0: all"),
    // clang-format on
