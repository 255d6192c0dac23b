// Runs one decode-time eviction method through one generation: computes the attention it needs, evicts rows at its
// cadence, closes holes by compaction passes, and counts all of it.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/clock.h"
#include "core/compress/decode/eviction_method.h"
#include "core/kv/compaction.h"
#include "core/model/decode_hooks.h"
#include "core/model/transformer.h"

namespace kvantage::inline decode_eviction {

struct EvictionOptions {
  int budget_tokens = 512;  // rows per head of a layer after an eviction
  int cadence = 1;          // steps between evictions; page-based methods evict per page instead
  CompactionKind compaction = CompactionKind::repack;
  int compact_every = 128;     // steps between compaction passes
  double compact_seconds = 0;  // of a pass in one step, which then resumes in the next; 0: all of it at once
};
/// Of a setting whose budget is `budget_tokens` rows per head of a layer.
EvictionOptions eviction_options(const DecodeEvictionSetting& eviction, int budget_tokens);
EvictionSetting eviction_setting(const Transformer& model, BlockTableScope table);

struct EvictionCounts {
  std::int64_t steps = 0;           // tokens decoded
  std::int64_t tokens_evicted = 0;  // rows over all layers and heads, of the prompt and of the answer
  std::int64_t blocks_freed_by_eviction = 0;
  std::int64_t blocks_freed_by_compaction = 0;
  std::int64_t slot_copies = 0;
  std::int64_t passes = 0;             // compaction passes
  double compaction_seconds = 0;       // planning and commit
  double deciding_seconds = 0;         // attention weights and victims
  std::size_t score_buffer_bytes = 0;  // peak attention weights in memory
  std::size_t peak_blocks = 0;         // of the cache's pool

  /// Sums; of score_buffer_bytes and peak_blocks the maximum.
  EvictionCounts& operator+=(const EvictionCounts& more);
};

/// One compaction pass.
struct CompactionPass {
  std::int64_t step = 0;  // tokens decoded before it
  std::int64_t blocks_freed = 0, slot_copies = 0;
  double seconds = 0;  // planning and commit
};

class EvictionLoop final : public DecodeHooks {
 public:
  /// The eviction method must have begun on the cache, or begin() must be called.
  EvictionLoop(std::unique_ptr<DecodeEviction> eviction_method, const EvictionSetting& setting,
               const EvictionOptions& options, const Clock& clock);

  bool needs_calibration() const { return needs_.calibration; }
  /// Starts the method on the cache after the prompt.
  Status begin(const KvCache& cache, const Observation& observed) { return eviction_method_->begin(cache, observed); }
  /// Number of the prompt's last queries that begin_layer() needs; 0: none. `question` tokens: how many there are.
  int prompt_queries(int question) const;
  /// One layer of the prompt, in ascending order, before the first token is decoded: the method observes the last
  /// queries as if their tokens had been decoded, then the layer is cut to the budget. queries: of the prompt's last
  /// prompt_queries() tokens. no_space leaves the layer as it was, and may be called again.
  Status begin_layer(KvCache& cache, int layer, const WindowQueries& queries);
  Status after_layer(KvCache& cache, int layer, std::span<const float> queries) override;
  const EvictionCounts& counts() const { return counts_; }
  /// The passes since the last call, oldest first.
  std::vector<CompactionPass> take_passes() { return std::exchange(passes_, {}); }

 private:
  void observe_prompt(const KvCache& cache, int layer, const WindowQueries& queries);
  void weigh(const KvCache& cache, int layer, std::span<const float> queries, int hidden = 0);
  void note_queries(int layer, std::span<const float> queries);
  StepView step_of(const KvCache& cache, int layer, std::span<const std::vector<float>> queries) const;
  int excess_of(const KvCache& cache, int layer) const;
  Status evict(KvCache& cache, const StepView& step);
  Status compact(KvCache& cache);
  CompactionPlan plan_pass(const KvCache& cache, const CompactionScope& scope) const;

  std::unique_ptr<DecodeEviction> eviction_method_;
  EvictionSetting setting_;
  EvictionOptions options_;
  const Clock& clock_;
  EvictionNeeds needs_;
  std::vector<std::vector<float>> attention_;           // [kv_heads][group, kept]
  std::vector<std::deque<std::vector<float>>> window_;  // [layers], last queries
  int observed_layers_ = 0;                             // of the prompt
  std::int32_t round_start_ = -1;                       // position where the last compaction pass began
  EvictionCounts counts_;
  struct RunningPass {
    int next_layer = 0;
    std::int32_t begun_at = 0;  // position
    CompactionPass so_far;
  };
  std::optional<RunningPass> pass_;
  std::vector<CompactionPass> passes_;  // not taken yet
};

/// The rows of a layer that are not in `rows`, per KV head ascending.
KeptIndices other_rows(const KvCache& cache, int layer, const KeptIndices& rows);

/// softmax(q K^T / sqrt(head_dim)) of one step over the rows of one KV head but the newest `hidden`, in fp32, in the
/// pool's row order. queries [group, head_dim] -> [group, kept - hidden].
std::vector<float> step_attention(const KvCache& cache, int layer, int kv_head, std::span<const float> queries,
                                  int hidden = 0);

}  // namespace kvantage::inline decode_eviction
