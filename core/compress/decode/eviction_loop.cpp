#include "core/compress/decode/eviction_loop.h"

#include <algorithm>

#include "core/compress/scorers/row_math.h"

namespace kvantage::inline decode_eviction {
std::vector<float> step_attention(const KvCache& cache, int layer, int kv_head, std::span<const float> queries) {
  const HeadView head = cache.head(layer, kv_head);
  const std::size_t group = queries.size() / static_cast<std::size_t>(cache.shape().head_dim);
  std::vector<float> weights(group * static_cast<std::size_t>(head.kept));
  attention_weights(head, queries, weights);
  return weights;
}

EvictionLoop::EvictionLoop(std::unique_ptr<DecodeEviction> eviction_method, const EvictionSetting& setting,
                           const EvictionOptions& options, const Clock& clock)
    : eviction_method_(std::move(eviction_method)),
      setting_(setting),
      options_(options),
      clock_(clock),
      needs_(eviction_method_->needs()),
      window_(static_cast<std::size_t>(setting.layers)) {}

void EvictionLoop::weigh(const KvCache& cache, int layer, std::span<const float> queries) {
  const auto per_head = queries.size() / static_cast<std::size_t>(setting_.kv_heads);
  std::size_t bytes = 0;
  attention_.clear();
  for (int h = 0; h < setting_.kv_heads; ++h) {
    attention_.push_back(
        step_attention(cache, layer, h, queries.subspan(static_cast<std::size_t>(h) * per_head, per_head)));
    bytes += attention_.back().size() * sizeof(float);
  }
  counts_.score_buffer_bytes = std::max(counts_.score_buffer_bytes, bytes);
}

Status EvictionLoop::evict(KvCache& cache, int layer, const StepView& step) {
  const int excess = cache.kept(layer, 0) - options_.budget_tokens;
  if (excess <= 0) return {};
  KV_ASSIGN(const auto victims, eviction_method_->victims(step, excess));
  const std::size_t live = cache.pool().live_blocks();
  KV_TRY(cache.evict(layer, victims));
  eviction_method_->dropped(layer, victims);
  for (const auto& rows : victims) counts_.tokens_evicted += static_cast<std::int64_t>(rows.size());
  counts_.blocks_freed_by_eviction += static_cast<std::int64_t>(live - cache.pool().live_blocks());
  return {};
}

Status EvictionLoop::compact(KvCache& cache) {
  const std::int64_t start = clock_.monotonic_ns();
  const CompactionPlan plan =
      options_.compaction == CompactionKind::repack ? plan_repack(cache) : plan_hole_fill(cache, {}, round_start_);
  KV_ASSIGN(const auto report, commit(cache, plan, clock_));
  ++counts_.passes;
  counts_.blocks_freed_by_compaction += static_cast<std::int64_t>(report.blocks_freed);
  counts_.slot_copies += static_cast<std::int64_t>(report.slot_copies);
  counts_.compaction_seconds += static_cast<double>(clock_.monotonic_ns() - start) * 1e-9;
  round_start_ = cache.sequence_length();
  return {};
}

Status EvictionLoop::after_layer(KvCache& cache, int layer, std::span<const float> queries) {
  const bool last = layer + 1 == setting_.layers;
  if (round_start_ < 0) round_start_ = cache.sequence_length();
  if (layer == 0) ++counts_.steps;
  const std::int64_t start = clock_.monotonic_ns();
  auto& window = window_[static_cast<std::size_t>(layer)];
  if (needs_.window_queries > 0) {
    window.emplace_back(queries.begin(), queries.end());
    if (window.size() > static_cast<std::size_t>(needs_.window_queries)) window.pop_front();
  }
  if (needs_.attention) weigh(cache, layer, queries);
  const std::vector<std::vector<float>> last_queries(window.begin(), window.end());
  const StepView step{cache, layer, setting_.heads / setting_.kv_heads, attention_, last_queries};
  eviction_method_->see(step);
  if (needs_.every_step || counts_.steps % options_.cadence == 0) KV_TRY(evict(cache, layer, step));
  counts_.deciding_seconds += static_cast<double>(clock_.monotonic_ns() - start) * 1e-9;
  counts_.peak_blocks = std::max(counts_.peak_blocks, cache.pool().live_blocks());
  if (last && options_.compaction != CompactionKind::none && counts_.steps % options_.compact_every == 0)
    return compact(cache);
  return {};
}

}  // namespace kvantage::inline decode_eviction
