// Runs one decode-time eviction method through one generation: computes the attention it needs, evicts rows at its
// cadence, closes holes by compaction passes, and counts all of it.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/compress/decode/eviction_method.h"
#include "core/kv/compaction.h"
#include "core/model/decode_hooks.h"

namespace kvantage::inline decode_eviction {

enum class CompactionKind { none, repack, hole_fill };

struct EvictionOptions {
  int budget_tokens = 512;  // rows per head of a layer after an eviction
  int cadence = 1;          // steps between evictions; page-based methods evict per page instead
  CompactionKind compaction = CompactionKind::repack;
  int compact_every = 128;  // steps between compaction passes
};

struct EvictionCounts {
  std::int64_t steps = 0;           // tokens decoded
  std::int64_t tokens_evicted = 0;  // rows over all layers and heads
  std::int64_t blocks_freed_by_eviction = 0;
  std::int64_t blocks_freed_by_compaction = 0;
  std::int64_t slot_copies = 0;
  std::int64_t passes = 0;             // compaction passes
  double compaction_seconds = 0;       // planning and commit
  double deciding_seconds = 0;         // attention weights and victims
  std::size_t score_buffer_bytes = 0;  // peak attention weights in memory
  std::size_t peak_blocks = 0;         // of the cache's pool
};

class EvictionLoop final : public DecodeHooks {
 public:
  /// group: query heads per KV head. The eviction method must have begun on this cache.
  EvictionLoop(std::unique_ptr<DecodeEviction> eviction_method, const EvictionSetting& setting,
               const EvictionOptions& options, const Clock& clock);
  Status after_layer(KvCache& cache, int layer, std::span<const float> queries) override;
  const EvictionCounts& counts() const { return counts_; }

 private:
  void weigh(const KvCache& cache, int layer, std::span<const float> queries);
  Status evict(KvCache& cache, int layer, const StepView& step);
  Status compact(KvCache& cache);

  std::unique_ptr<DecodeEviction> eviction_method_;
  EvictionSetting setting_;
  EvictionOptions options_;
  const Clock& clock_;
  EvictionNeeds needs_;
  std::vector<std::vector<float>> attention_;           // [kv_heads][group, kept]
  std::vector<std::deque<std::vector<float>>> window_;  // [layers], last queries
  std::int32_t round_start_ = -1;                       // position after the last compaction pass
  EvictionCounts counts_;
};

/// softmax(q K^T / sqrt(head_dim)) of one step over all rows of one KV head, in fp32, in the pool's row order. queries
/// [group, head_dim] -> [group, kept].
std::vector<float> step_attention(const KvCache& cache, int layer, int kv_head, std::span<const float> queries);

}  // namespace kvantage::inline decode_eviction
