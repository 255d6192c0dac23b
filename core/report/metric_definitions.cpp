#include "core/report/report.h"

namespace kvantage {

const std::vector<MetricDefinition>& metric_definitions() {
  static const std::vector<MetricDefinition> definitions{
      {"ttft_seconds", "s", "t(first answer token) - t(arrival)", "Time to first token, queueing included."},
      {"ttft_service_seconds", "s", "ttft_seconds - queue_seconds", "Time to first token from the start of serving."},
      {"queue_seconds", "s", "t(start of serving) - t(arrival)", "Waiting for the requests before."},
      {"lookup_seconds", "s", "", "Finding the longest stored prefix of the context."},
      {"load_seconds", "s", "", "Waiting for bytes of a tier that the model needs next."},
      {"device_seconds", "s", "", "The tier's own time for a request's bytes, shaping included; part hides behind compute."},
      {"decode_seconds", "s", "", "Checking loaded bytes and unpacking them into the cache (not answer decoding)."},
      {"context_prefill_seconds", "s", "", "Computing the context, or its part beyond a stored prefix."},
      {"question_prefill_seconds", "s", "", "Computing the question over the cache, up to the first answer token."},
      {"other_seconds", "s", "ttft_service_seconds - the five parts above", "Between the steps of a request."},
      {"itl_seconds", "s", "(t(last) - t(first answer token)) / (answer tokens - 1)",
       "Inter-token latency of a request with two or more answer tokens."},
      {"e2e_seconds", "s", "t(end of answer) - t(arrival)", "Whole request."},
      {"p50, p95, p99", "", "x[floor h] + (h - floor h) * (x[floor h + 1] - x[floor h]), h = (n - 1) * p",
       "Percentiles of the sorted samples x[0..n-1], linear between neighbours (Hyndman and Fan's type 7)."},
      {"interval_95", "", "2.5 % and 97.5 % percentiles of the means of 2000 resamples",
       "Bootstrap that draws whole contexts with replacement, seed fixed; none with fewer than two contexts."},
      {"token_f1", "1", "2 * precision * recall / (precision + recall)",
       "Overlap of the words of answer and gold answer, after SQuAD's normalisation; mean over held-out requests."},
      {"exact_match", "1", "1 if normalised answer = normalised gold answer, else 0",
       "Mean over held-out requests: the share of exact answers."},
      {"rouge_l", "1", "2 * precision * recall / (precision + recall) of the longest common subsequence of words",
       "As the package rouge-score gives it, without a stemmer."},
      {"cosine", "1", "max(0, e(answer) . e(answer with uncompressed KV)), e: all-MiniLM-L6-v2, length 1",
       "Similarity in meaning to the answer with uncompressed KV; equal texts score 1."},
      {"logit_kl", "1", "exp(-mean over answer tokens of KL(p uncompressed || p compressed))",
       "The model reads its answer with uncompressed KV over either cache; KL in nats is -ln of a question's score."},
      {"top1_agreement", "1", "answer tokens whose most probable token is the same over either cache / answer tokens",
       "As logit_kl, by the most probable token alone."},
      {"uncompressed", "1", "the metric of the answers with uncompressed KV to the same questions",
       "What reuse without compression scores: the most that compression can keep, but for luck."},
      {"chance", "1", "mean of the metric over the expected answers of the family's other questions (at most 256, evenly drawn)",
       "What an answer to another question scores; for logit_kl and top1_agreement: reading without the context."},
      {"prefetch_seconds", "s", "", "How long before a queued request was served its cache began to be read; waiting that it hid is in no figure. 0: not ahead."},
      {"measuring_seconds", "s", "", "Scoring an answer, after it is out; no part of any other figure."},
      {"hit_rate_requests", "1", "requests served from the source / all requests",
       "A request is served from a tier when any part of its context's cache was loaded from there, else by prefill."},
      {"hit_rate_tokens", "1", "context tokens covered by what the source gave / context tokens of all requests",
       "A compressed entry covers all tokens it was made from; what lies beyond a stored prefix counts for prefill."},
      {"hit_rate_bytes", "1", "bytes the source gave / bytes all sources gave",
       "Loaded bytes as stored, headers included; prefill gives computed tokens times uncompressed bytes a token."},
      {"tier_used_bytes", "B", "", "Bytes of all entries on the tier, headers and padding included, at the end."},
      {"tier_peak_bytes", "B", "", "Largest tier_used_bytes seen during the run."},
      {"tier_budget_bytes", "B", "", "What the tier may hold at most."},
      {"requests_per_second", "1/s", "answered requests / (t(last end) - t(first start))", "Throughput in requests."},
      {"output_tokens_per_second", "1/s", "answer tokens / (t(last end) - t(first start))", "Throughput in tokens."},
      {"alpha", "s", "utility = (alpha * quality - ttft) * frequency", "Seconds that one unit of quality is worth."}};
  return definitions;
}

}  // namespace kvantage
