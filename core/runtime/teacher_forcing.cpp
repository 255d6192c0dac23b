#include "core/runtime/teacher_forcing.h"

#include <algorithm>
#include <cmath>

namespace kvantage::inline runtime {
namespace {

Status run_watched(PrefillTask& task, const std::function<bool()>& stop) {
  while (!task.done()) {
    KV_TRY(task.step());
    if (stop && !task.done() && stop()) return fail(ErrorCode::cancelled, "reading an answer was stopped");
  }
  return {};
}

void log_softmax(std::span<const float> logits, std::span<float> result) {
  const float largest = *std::ranges::max_element(logits);
  double sum = 0;
  for (const float logit : logits) sum += std::exp(static_cast<double>(logit - largest));
  const auto shift = static_cast<float>(static_cast<double>(largest) + std::log(sum));
  std::ranges::transform(logits, result.begin(), [shift](float logit) { return logit - shift; });
}

}  // namespace

ForcedReadTask::ForcedReadTask(ModelRuntime& runtime, const KvCache& cache, std::span<const std::int32_t> question,
                               std::span<const std::int32_t> answer, bool ended)
    : runtime_(runtime),
      working_(cache.share()),
      question_tokens_(question.size()),
      has_positions_(ended || !answer.empty()) {
  // The prediction after the last token of a truncated answer does not count.
  const std::size_t read = ended || answer.empty() ? answer.size() : answer.size() - 1;
  std::vector<std::int32_t> tokens(question.begin(), question.end());
  tokens.insert(tokens.end(), answer.begin(), answer.begin() + static_cast<std::ptrdiff_t>(read));
  if (tokens.empty()) return;
  prefill_ = std::make_unique<PrefillTask>(*runtime.model, working_, std::move(tokens), cache.sequence_length(),
                                           PrefillOptions{.chunk_tokens = runtime.chunk_tokens(),
                                                          .window_queries = 0,
                                                          .logits = PrefillLogits::all,
                                                          .rows_may_stay = true});
}

Status ForcedReadTask::step() {
  if (done()) return {};
  KV_TRY(prefill_->step());
  settle();
  return {};
}

void ForcedReadTask::settle() {
  if (done() || !prefill_->done()) return;
  const auto vocabulary = static_cast<std::size_t>(runtime_.model->config().vocab_size);
  const std::span<const float> logits = prefill_->logits();
  const std::size_t first =
      question_tokens_ == 0 ? 0 : question_tokens_ - 1;  // the last question token predicts the answer's first
  const std::size_t rows = logits.size() / vocabulary;
  reading_.positions = has_positions_ ? rows - first : 0;
  reading_.log_probabilities.resize(reading_.positions * vocabulary);
  for (std::size_t i = 0; i < reading_.positions; ++i)
    log_softmax(logits.subspan((first + i) * vocabulary, vocabulary),
                std::span(reading_.log_probabilities).subspan(i * vocabulary, vocabulary));
  prefill_.reset();
}

Expected<ForcedReading> read_forced(ModelRuntime& runtime, const KvCache& cache, std::span<const std::int32_t> question,
                                    std::span<const std::int32_t> answer, bool ended,
                                    const std::function<bool()>& stop) {
  ForcedReadTask task(runtime, cache, question, answer, ended);
  while (!task.done()) {
    KV_TRY(task.step());
    if (stop && !task.done() && stop()) return fail(ErrorCode::cancelled, "reading an answer was stopped");
  }
  return task.take();
}

LogitMetrics compare_readings(const ForcedReading& uncompressed, const ForcedReading& compressed) {
  LogitMetrics metrics;
  const std::size_t positions = std::min(uncompressed.positions, compressed.positions);
  if (positions == 0) return metrics;
  const std::size_t vocabulary = uncompressed.log_probabilities.size() / uncompressed.positions;
  double kl = 0;
  std::size_t same = 0;
  for (std::size_t i = 0; i < positions; ++i) {
    const auto p = std::span(uncompressed.log_probabilities).subspan(i * vocabulary, vocabulary);
    const auto q = std::span(compressed.log_probabilities).subspan(i * vocabulary, vocabulary);
    double sum = 0;
    for (std::size_t token = 0; token < vocabulary; ++token)
      sum += std::exp(static_cast<double>(p[token])) * (static_cast<double>(p[token]) - static_cast<double>(q[token]));
    kl += std::max(sum, 0.0);  // rounding may give a slightly negative sum
    same += std::ranges::max_element(p) - p.begin() == std::ranges::max_element(q) - q.begin() ? 1 : 0;
  }
  metrics.tokens = static_cast<int>(positions);
  metrics.kl_nats = kl / static_cast<double>(positions);
  metrics.top1_agreement = static_cast<double>(same) / static_cast<double>(positions);
  return metrics;
}

Expected<KvCache> cache_without_context(ModelRuntime& runtime, const std::function<bool()>& stop) {
  KvCache cache(*runtime.pool);
  std::vector<std::int32_t> tokens = runtime.prompt->encode_context("");
  if (tokens.empty()) return cache;
  PrefillTask task(*runtime.model, cache, std::move(tokens), 0,
                   {.chunk_tokens = runtime.chunk_tokens(), .window_queries = 0, .logits = PrefillLogits::none});
  KV_TRY(run_watched(task, stop));
  return cache;
}

}  // namespace kvantage::inline runtime
