#include "core/report/report.h"

#include <utility>

namespace kvantage::inline report {

namespace {

std::vector<MetricDefinition> request_times() {
  return {
      {"ttft_seconds", "s", "t(first answer token) - t(arrival)", "Time to first token, queueing included."},
      {"ttft_service_seconds", "s", "ttft_seconds - queue_seconds", "Time to first token from the start of serving."},
      {"queue_seconds", "s", "t(start of serving) - t(arrival)", "Waiting for earlier requests."},
      {"lookup_seconds", "s", "", "Finding the longest stored prefix of the context."},
      {"load_seconds", "s", "", "Waiting for bytes of a tier that the model needs next."},
      {"device_seconds", "s", "",
       "The tier's own time for a request's bytes, throttling included; part of it overlaps with compute."},
      {"decode_seconds", "s", "", "Verifying loaded bytes and unpacking them into the cache (not answer decoding)."},
      {"context_prefill_seconds", "s", "", "Computing the context, or its part beyond a stored prefix."},
      {"question_prefill_seconds", "s", "", "Computing the question over the cache, up to the first answer token."},
      {"other_seconds", "s", "ttft_service_seconds - (lookup + load + decode + both prefill seconds)",
       "Between the steps of a request."},
      {"itl_seconds", "s", "(t(last) - t(first answer token)) / (answer tokens - 1)",
       "Inter-token latency of a request with two or more answer tokens."},
      {"token_gap_seconds", "s", "t(answer token) - t(answer token before)",
       "Inter-token latency over all gaps of all requests: its percentiles are of tokens, not of requests."},
      {"peak_kv_bytes", "B", "max(bytes of the request's blocks)",
       "Memory of a request's KV cache while it decodes its answer."},
      {"held_kv_bytes", "B", "", "Memory of a request's KV cache at the last token of its answer."},
      {"evicted_answers, evicted_entries, deciding_seconds", "", "",
       "Answers decoded with decode-time eviction; KV entries evicted over all layers and heads, and the time to "
       "choose them, summed over these answers."},
      {"eviction_blocks_freed, compaction_passes, compaction_blocks_freed, compaction_seconds", "", "",
       "Summed over answers decoded with decode-time eviction: blocks freed by eviction itself; compaction passes, "
       "blocks freed by them, and their time."},
      {"decode_option_quality, decode_option_itl_seconds, decode_option_peak_kv_bytes", "", "",
       "Planned decode-time eviction: quality, inter-token latency and memory of the requests that an option was "
       "chosen for."},
      {"decode_option_predicted_quality, decode_option_predicted_itl_seconds", "", "",
       "What the profile of a request's context promised of its option, over its uncompressed cache."},
      {"offload_step_seconds, offload_predicted_seconds", "s", "",
       "With decode_offload: a decoded token, waits for the tier included; the same as the split predicted it."},
      {"offload_recomputed_tokens, offload_read_bytes", "", "",
       "With decode_offload, per decoded token: tokens of each layer recomputed from layer inputs; bytes read: layer "
       "inputs, keys, values and streamed matrices."},
      {"tokens_per_pass, drafted_tokens, accepted_tokens", "", "",
       "With speculation, of a request: answer tokens after the first one per decoding pass; tokens drafted; of these, "
       "those that the model chose as well."},
      {"way_requests, way_seconds, way_predicted_seconds", "", "",
       "Requests by the way their context came to them, their TTFT, and what was predicted: load, load and recompute "
       "from "
       "layer inputs, hybrid prefill, recompute of a stored context, prefill."},
      {"way_computed_tokens", "", "", "By the same way: tokens whose keys and values were computed for a request."},
      {"e2e_seconds", "s", "t(end of answer) - t(arrival)", "Whole request."}};
}

std::vector<MetricDefinition> engine_metrics() {
  return {{"busy_seconds", "s", "serving + placing + profiling",
           "Time of the engine's thread except waiting and scoring answers."},
          {"profiling_busy_fraction, reprofiling_busy_fraction", "1", "time of measuring quality curves / busy_seconds",
           "Missing curves; curves re-profiled after questions drifted."},
          {"drifts, reprofiles", "", "",
           "Contexts whose answers fell short of their profile by the threshold; curves re-profiled since."},
          {"requeued", "", "", "Requests restarted because KV blocks ran out."},
          {"longest_profile_step_seconds, longest_prefill_step_seconds", "s", "",
           "Longest time that a profiling step, or a layer of a chunk, took on the engine's thread."},
          {"most_running", "", "", "Maximum number of requests in flight."},
          {"cache_held_bytes, cache_total_bytes", "B", "",
           "Memory for KV caches on the device that computes the model: in use at the end, and in total."},
          {"uploaded_bytes, downloaded_bytes", "B", "",
           "KV entries of contexts copied to the device that computes the model; entries computed there and copied "
           "back. In whole blocks, as transferred."},
          {"upload_rate, download_rate", "B/s",
           "uploaded_bytes (downloaded_bytes) / time that the copies took on the device",
           "From the device's own events, without queueing of copies."},
          {"upload_rate_peak, download_rate_peak", "B/s", "max(bytes / seconds)",
           "Best of large copies of page-locked memory."},
          {"upload_hidden", "1", "1 - time that compute waited for a layer's copy / time of the copies to the device",
           "Share of the copy time that overlaps reads or compute of other layers."}};
}

std::vector<MetricDefinition> quality_metrics() {
  return {
      {"p50, p95, p99", "", "x[floor h] + (h - floor h) * (x[floor h + 1] - x[floor h]), h = (n - 1) * p",
       "Percentiles of the sorted samples x[0..n-1], linear between neighbors (Hyndman and Fan's type 7)."},
      {"interval_95", "", "2.5 % and 97.5 % percentiles of the means of 2000 resamples",
       "Bootstrap that draws whole contexts with replacement, seed fixed; none with fewer than two contexts."},
      {"p95_interval_95", "", "2.5 % and 97.5 % percentiles of the p95 of 2000 resamples",
       "As interval_95: whole contexts are drawn, not requests. Comparisons draw the same contexts for both runs."},
      {"token_f1", "1", "2 * precision * recall / (precision + recall)",
       "Word overlap of the answer and the reference answer after SQuAD's normalization; mean over held-out requests."},
      {"exact_match", "1", "1 if normalized answer = normalized reference answer, else 0",
       "Mean over held-out requests: the share of exact answers."},
      {"rouge_l", "1", "2 * precision * recall / (precision + recall) of the longest common subsequence of words",
       "As in the package rouge-score, without a stemmer."},
      {"exact_match@prefill, token_f1@prefill, rouge_l@prefill", "1",
       "the metric with the answer with uncompressed KV as the only reference answer",
       "Likeness to the answer with uncompressed KV, whatever the workload's reference answer: AdaptCache's quality."},
      {"cosine", "1", "max(0, e(answer) . e(answer with uncompressed KV)), e: all-MiniLM-L6-v2, length 1",
       "Similarity in meaning to the answer with uncompressed KV; equal texts score 1."},
      {"code_bleu", "1", "(ngram_match + weighted_ngram_match + syntax_match + dataflow_match) / 4",
       "Similarity of Python code to the answer with uncompressed KV, as in the package codebleu; equal texts score "
       "1."},
      {"logit_kl", "1", "exp(-mean over answer tokens of KL(p uncompressed || p compressed))",
       "The model reads its answer with uncompressed KV over either cache; KL in nats is -ln of a question's score."},
      {"top1_agreement", "1", "answer tokens whose most probable token is the same over either cache / answer tokens",
       "As logit_kl, by the most probable token alone."},
      {"by_task", "1", "code_bleu for code, rouge_l@prefill for long answers, token_f1@prefill for all others",
       "By the family of the context, each against the answer with uncompressed KV: AdaptCache's three metrics."},
      {"uncompressed", "1", "the metric of the answers with uncompressed KV to the same questions",
       "Score of reuse without compression: the maximum that compression can keep, except for chance."},
      {"chance", "1",
       "mean of the metric over the expected answers of the family's other questions (at most 256, evenly drawn)",
       "Score of an answer to another question; for logit_kl and top1_agreement: of reading without the context."}};
}

std::vector<MetricDefinition> reuse_metrics() {
  return {
      {"prefetch_seconds", "s", "",
       "Time from the start of reading a queued request's cache to its service; no other metric includes it. 0: no "
       "prefetch."},
      {"measuring_seconds", "s", "", "Scoring an answer after it is complete; no other metric includes it."},
      {"hit_rate", "1", "requests served from any tier / all requests", "With a bootstrap interval over contexts."},
      {"hit_rate_requests", "1", "requests served from the source / all requests",
       "A request is served from a tier when any part of its context's cache was loaded from there, else by prefill."},
      {"hit_rate_tokens", "1", "context tokens supplied by the source / context tokens of all requests",
       "A compressed entry covers all tokens it was made from; tokens beyond a stored prefix count as prefill."},
      {"hit_rate_bytes", "1", "bytes supplied by the source / bytes supplied by all sources",
       "Loaded bytes as stored, headers included; prefill counts as computed tokens times uncompressed bytes per "
       "token."},
      {"source_requests, source_tokens, source_bytes", "", "",
       "Requests, tokens and bytes per source; hit rates are shares of these."}};
}

std::vector<MetricDefinition> tier_metrics() {
  return {
      {"tier_used_bytes", "B", "", "Bytes of all entries on the tier, headers and padding included, at the end."},
      {"tier_peak_bytes", "B", "", "Largest tier_used_bytes seen during the run."},
      {"tier_budget_bytes", "B", "", "Capacity of the tier."},
      {"tier_reads, tier_writes", "", "",
       "Reads whose parts all arrived intact; entries that became durable and visible. Warm-up included."},
      {"tier_misses, tier_failed_writes", "", "",
       "Reads of held entries that failed and writes that were refused, by reason. A request whose context no tier "
       "holds reads nothing."},
      {"faults_struck", "", "", "Injected faults that affected calls of the tier's device, by kind."},
      {"fit_error_median, fit_error_p95", "1", "|device_seconds - fitted| / device_seconds over the newest 64 loads",
       "Deviation of loads from latency + bytes / bandwidth, the cost model that predictions use."},
      {"fitted_loads", "", "", "Loads that the fit errors are computed from."},
      {"requests_per_second", "1/s", "answered requests / (t(last end) - t(first start))", "Throughput in requests."},
      {"output_tokens_per_second", "1/s", "answer tokens / (t(last end) - t(first start))", "Throughput in tokens."},
      {"lp_gap", "1", "(LP upper bound - achieved) / (LP upper bound - utility of prefilling everything)",
       "Predicted, of policies that plan: share of the maximum gain from storing that their final placements do not "
       "achieve; of optimal, to the bound of its search; 0: proven optimal."},
      {"alpha", "s", "utility = (alpha * quality - ttft) * frequency", "Seconds that one unit of quality is worth."}};
}

}  // namespace

const std::vector<MetricDefinition>& metric_definitions() {
  static const std::vector<MetricDefinition> definitions = [] {
    std::vector<MetricDefinition> all;
    for (auto* part : {request_times, engine_metrics, quality_metrics, reuse_metrics, tier_metrics})
      for (MetricDefinition& definition : part()) all.push_back(std::move(definition));
    return all;
  }();
  return definitions;
}

}  // namespace kvantage::inline report
