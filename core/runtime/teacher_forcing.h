// The model's predictions at each token of a given answer (teacher forcing), and the difference of two such readings.
// Costs one short prefill of question and answer over a cache, instead of one decode step per token.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/kv/kv_cache.h"
#include "core/runtime/model_runtime.h"
#include "core/text/quality.h"

namespace kvantage::inline runtime {

/// Log-probabilities before each token of an answer, and before its end token if it has one: [positions, vocab_size],
/// nats.
struct ForcedReading {
  std::vector<float> log_probabilities;
  std::size_t positions = 0;
};

/// The same in steps of a layer.
class ForcedReadTask {
 public:
  /// As read_forced(); the cache must outlive the task.
  ForcedReadTask(ModelRuntime& runtime, const KvCache& cache, std::span<const std::int32_t> question,
                 std::span<const std::int32_t> answer, bool ended);
  Status step();
  bool done() const { return prefill_ == nullptr; }
  /// The pass, for step_together() with those of other readings; settle() follows its end. Null: it has ended.
  PrefillTask* pass() { return prefill_ != nullptr && !prefill_->done() ? prefill_.get() : nullptr; }
  /// Takes the log-probabilities once the pass has ended: done().
  void settle();
  ForcedReading take() { return std::move(reading_); }

 private:
  ModelRuntime& runtime_;
  KvCache working_;
  std::size_t question_tokens_ = 0;
  bool has_positions_ = false;
  std::unique_ptr<PrefillTask> prefill_;
  ForcedReading reading_;
};

/// Reads `answer` after `question` over `cache`, which is unchanged. ended: a stop token ended the answer; it is then a
/// position of its own. stop(): polled once per layer; true aborts (cancelled). Other errors as PrefillTask.
Expected<ForcedReading> read_forced(ModelRuntime& runtime, const KvCache& cache, std::span<const std::int32_t> question,
                                    std::span<const std::int32_t> answer, bool ended,
                                    const std::function<bool()>& stop = {});

/// Mean KL(p || q) and share of equal argmax tokens; p is from the uncompressed cache. Both readings must be of the
/// same answer.
LogitMetrics compare_readings(const ForcedReading& uncompressed, const ForcedReading& compressed);

/// A cache with the prompt form around an empty context: the model's prior for the question, for the chance baseline.
Expected<KvCache> cache_without_context(ModelRuntime& runtime, const std::function<bool()>& stop = {});

}  // namespace kvantage::inline runtime
