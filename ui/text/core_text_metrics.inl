// Rows of the catalog in core_text.cpp. Meanings and formulas of metrics.
// clang-format off
QT_TRANSLATE_NOOP("core", "t(first answer token) - t(arrival)"),
QT_TRANSLATE_NOOP("core", "Time to first token, queueing included."),
QT_TRANSLATE_NOOP("core", "Time to first token from the start of serving."),
QT_TRANSLATE_NOOP("core", "t(start of serving) - t(arrival)"),
QT_TRANSLATE_NOOP("core", "Waiting for earlier requests."),
QT_TRANSLATE_NOOP("core", "Finding the longest stored prefix of the context."),
QT_TRANSLATE_NOOP("core", "Waiting for bytes of a tier that the model needs next."),
QT_TRANSLATE_NOOP("core", "The tier's own time for a request's bytes, throttling included; part of it overlaps with "
                          "compute."),
QT_TRANSLATE_NOOP("core", "Verifying loaded bytes and unpacking them into the cache (not answer decoding)."),
QT_TRANSLATE_NOOP("core", "Computing the context, or its part beyond a stored prefix."),
QT_TRANSLATE_NOOP("core", "Computing the question over the cache, up to the first answer token."),
QT_TRANSLATE_NOOP("core", "ttft_service_seconds - (lookup + load + decode + both prefill seconds)"),
QT_TRANSLATE_NOOP("core", "Between the steps of a request."),
QT_TRANSLATE_NOOP("core", "(t(last) - t(first answer token)) / (answer tokens - 1)"),
QT_TRANSLATE_NOOP("core", "Inter-token latency of a request with two or more answer tokens."),
QT_TRANSLATE_NOOP("core", "t(answer token) - t(answer token before)"),
QT_TRANSLATE_NOOP("core", "Inter-token latency over all gaps of all requests: its percentiles are of tokens, not of "
                          "requests."),
QT_TRANSLATE_NOOP("core", "max(bytes of the request's blocks)"),
QT_TRANSLATE_NOOP("core", "Memory of a request's KV cache while it decodes its answer."),
QT_TRANSLATE_NOOP("core", "Memory of a request's KV cache at the last token of its answer."),
QT_TRANSLATE_NOOP("core", "Answers decoded with decode-time eviction; KV entries evicted over all layers and heads, "
                          "and the time to choose them, summed over these answers."),
QT_TRANSLATE_NOOP("core", "Summed over answers decoded with decode-time eviction: blocks freed by eviction itself; "
                          "compaction passes, blocks freed by them, and their time."),
QT_TRANSLATE_NOOP("core", "Requests by the way their context came to them, their TTFT, and what was predicted: load, "
                          "load and recompute from layer inputs, hybrid prefill, recompute of a stored context, "
                          "prefill."),
QT_TRANSLATE_NOOP("core", "By the same way: tokens whose keys and values were computed for a request."),
QT_TRANSLATE_NOOP("core", "Planned decode-time eviction: quality, inter-token latency and memory of the requests that "
                          "an option was chosen for."),
QT_TRANSLATE_NOOP("core", "What the profile of a request's context promised of its option, over its uncompressed "
                          "cache."),
QT_TRANSLATE_NOOP("core", "With decode_offload: a decoded token, waits for the tier included; the same as the split "
                          "predicted it."),
QT_TRANSLATE_NOOP("core", "With speculation, of a request: answer tokens after the first one per decoding pass; tokens "
                          "drafted; of these, those that the model chose as well."),
QT_TRANSLATE_NOOP("core", "With decode_offload, per decoded token: tokens of each layer recomputed from layer inputs; "
                          "bytes read: layer inputs, keys, values and streamed matrices."),
QT_TRANSLATE_NOOP("core", "t(end of answer) - t(arrival)"),
QT_TRANSLATE_NOOP("core", "Whole request."),
QT_TRANSLATE_NOOP("core", "serving + placing + profiling"),
QT_TRANSLATE_NOOP("core", "Time of the engine's thread except waiting and scoring answers."),
QT_TRANSLATE_NOOP("core", "time of measuring quality curves / busy_seconds"),
QT_TRANSLATE_NOOP("core", "Missing curves; curves re-profiled after questions drifted."),
QT_TRANSLATE_NOOP("core", "Contexts whose answers fell short of their profile by the threshold; curves re-profiled "
                          "since."),
QT_TRANSLATE_NOOP("core", "Requests restarted because KV blocks ran out."),
QT_TRANSLATE_NOOP("core", "Longest time that a profiling step, or a layer of a chunk, took on the engine's thread."),
QT_TRANSLATE_NOOP("core", "Maximum number of requests in flight."),
QT_TRANSLATE_NOOP("core", "Memory for KV caches on the device that computes the model: in use at the end, and in "
                          "total."),
QT_TRANSLATE_NOOP("core", "KV entries of contexts copied to the device that computes the model; entries computed "
                          "there and copied back. In whole blocks, as transferred."),
QT_TRANSLATE_NOOP("core", "uploaded_bytes (downloaded_bytes) / time that the copies took on the device"),
QT_TRANSLATE_NOOP("core", "From the device's own events, without queueing of copies."),
QT_TRANSLATE_NOOP("core", "Best of large copies of page-locked memory."),
QT_TRANSLATE_NOOP("core", "1 - time that compute waited for a layer's copy / time of the copies to the device"),
QT_TRANSLATE_NOOP("core", "Share of the copy time that overlaps reads or compute of other layers."),
QT_TRANSLATE_NOOP("core", "Percentiles of the sorted samples x[0..n-1], linear between neighbors (Hyndman and Fan's "
                          "type 7)."),
QT_TRANSLATE_NOOP("core", "2.5 % and 97.5 % percentiles of the means of 2000 resamples"),
QT_TRANSLATE_NOOP("core", "Bootstrap that draws whole contexts with replacement, seed fixed; none with fewer than "
                          "two contexts."),
QT_TRANSLATE_NOOP("core", "2.5 % and 97.5 % percentiles of the p95 of 2000 resamples"),
QT_TRANSLATE_NOOP("core", "As interval_95: whole contexts are drawn, not requests. Comparisons draw the same "
                          "contexts for both runs."),
QT_TRANSLATE_NOOP("core", "Word overlap of the answer and the reference answer after SQuAD's normalization; mean "
                          "over held-out requests."),
QT_TRANSLATE_NOOP("core", "1 if normalized answer = normalized reference answer, else 0"),
QT_TRANSLATE_NOOP("core", "Mean over held-out requests: the share of exact answers."),
QT_TRANSLATE_NOOP("core", "2 * precision * recall / (precision + recall) of the longest common subsequence of words"),
QT_TRANSLATE_NOOP("core", "As in the package rouge-score, without a stemmer."),
QT_TRANSLATE_NOOP("core", "the metric with the answer with uncompressed KV as the only reference answer"),
QT_TRANSLATE_NOOP("core", "Likeness to the answer with uncompressed KV, whatever the workload's reference answer: "
                          "AdaptCache's quality."),
QT_TRANSLATE_NOOP("core", "max(0, e(answer) . e(answer with uncompressed KV)), e: all-MiniLM-L6-v2, length 1"),
QT_TRANSLATE_NOOP("core", "Similarity in meaning to the answer with uncompressed KV; equal texts score 1."),
QT_TRANSLATE_NOOP("core", "(ngram_match + weighted_ngram_match + syntax_match + dataflow_match) / 4"),
QT_TRANSLATE_NOOP("core", "Similarity of Python code to the answer with uncompressed KV, as in the package codebleu; "
                          "equal texts score 1."),
QT_TRANSLATE_NOOP("core", "exp(-mean over answer tokens of KL(p uncompressed || p compressed))"),
QT_TRANSLATE_NOOP("core", "The model reads its answer with uncompressed KV over either cache; KL in nats is -ln of a "
                          "question's score."),
QT_TRANSLATE_NOOP("core", "answer tokens whose most probable token is the same over either cache / answer tokens"),
QT_TRANSLATE_NOOP("core", "As logit_kl, by the most probable token alone."),
QT_TRANSLATE_NOOP("core", "code_bleu for code, rouge_l@prefill for long answers, token_f1@prefill for all others"),
QT_TRANSLATE_NOOP("core", "By the family of the context, each against the answer with uncompressed KV: AdaptCache's "
                          "three metrics."),
QT_TRANSLATE_NOOP("core", "the metric of the answers with uncompressed KV to the same questions"),
QT_TRANSLATE_NOOP("core", "Score of reuse without compression: the maximum that compression can keep, except for "
                          "chance."),
QT_TRANSLATE_NOOP("core", "mean of the metric over the expected answers of the family's other questions (at most "
                          "256, evenly drawn)"),
QT_TRANSLATE_NOOP("core", "Score of an answer to another question; for logit_kl and top1_agreement: of reading "
                          "without the context."),
QT_TRANSLATE_NOOP("core", "Time from the start of reading a queued request's cache to its service; no other metric "
                          "includes it. 0: no prefetch."),
QT_TRANSLATE_NOOP("core", "Scoring an answer after it is complete; no other metric includes it."),
QT_TRANSLATE_NOOP("core", "requests served from any tier / all requests"),
QT_TRANSLATE_NOOP("core", "With a bootstrap interval over contexts."),
QT_TRANSLATE_NOOP("core", "requests served from the source / all requests"),
QT_TRANSLATE_NOOP("core", "A request is served from a tier when any part of its context's cache was loaded from "
                          "there, else by prefill."),
QT_TRANSLATE_NOOP("core", "context tokens supplied by the source / context tokens of all requests"),
QT_TRANSLATE_NOOP("core", "A compressed entry covers all tokens it was made from; tokens beyond a stored prefix "
                          "count as prefill."),
QT_TRANSLATE_NOOP("core", "bytes supplied by the source / bytes supplied by all sources"),
QT_TRANSLATE_NOOP("core", "Loaded bytes as stored, headers included; prefill counts as computed tokens times "
                          "uncompressed bytes per token."),
QT_TRANSLATE_NOOP("core", "Requests, tokens and bytes per source; hit rates are shares of these."),
QT_TRANSLATE_NOOP("core", "Bytes of all entries on the tier, headers and padding included, at the end."),
QT_TRANSLATE_NOOP("core", "Largest tier_used_bytes seen during the run."),
QT_TRANSLATE_NOOP("core", "Capacity of the tier."),
QT_TRANSLATE_NOOP("core", "Reads whose parts all arrived intact; entries that became durable and visible. Warm-up "
                          "included."),
QT_TRANSLATE_NOOP("core", "Reads of held entries that failed and writes that were refused, by reason. A request "
                          "whose context no tier holds reads nothing."),
QT_TRANSLATE_NOOP("core", "Injected faults that affected calls of the tier's device, by kind."),
QT_TRANSLATE_NOOP("core", "|device_seconds - fitted| / device_seconds over the newest 64 loads"),
QT_TRANSLATE_NOOP("core", "Deviation of loads from latency + bytes / bandwidth, the cost model that predictions use."),
QT_TRANSLATE_NOOP("core", "Loads that the fit errors are computed from."),
QT_TRANSLATE_NOOP("core", "answered requests / (t(last end) - t(first start))"),
QT_TRANSLATE_NOOP("core", "Throughput in requests."),
QT_TRANSLATE_NOOP("core", "answer tokens / (t(last end) - t(first start))"),
QT_TRANSLATE_NOOP("core", "Throughput in tokens."),
QT_TRANSLATE_NOOP("core", "(LP upper bound - achieved) / (LP upper bound - utility of prefilling everything)"),
QT_TRANSLATE_NOOP("core", "Predicted, of policies that plan: share of the maximum gain from storing that their final "
                          "placements do not achieve; of optimal, to the bound of its search; 0: proven optimal."),
QT_TRANSLATE_NOOP("core", "Seconds that one unit of quality is worth."),
    // clang-format on
