#include "core/compress/decode/eviction_loop.h"

#include <algorithm>
#include <climits>

#include "core/compress/scorers/row_math.h"

namespace kvantage::inline decode_eviction {
namespace {

std::int64_t rows_in(const KeptIndices& rows) {
  std::int64_t count = 0;
  for (const auto& head : rows) count += static_cast<std::int64_t>(head.size());
  return count;
}

}  // namespace

EvictionOptions eviction_options(const DecodeEvictionSetting& eviction, int budget_tokens) {
  return {.budget_tokens = budget_tokens,
          .cadence = eviction.cadence,
          .compaction = eviction.compaction,
          .compact_every = eviction.compact_every,
          .compact_seconds = eviction.compact_ms * 1e-3};
}

EvictionSetting eviction_setting(const Transformer& model, BlockTableScope table) {
  const ModelConfig& config = model.config();
  return {config.layers,   config.kv_heads, config.heads,
          config.head_dim, table,           {model.rope().begin(), model.rope().end()}};
}

EvictionCounts& EvictionCounts::operator+=(const EvictionCounts& more) {
  steps += more.steps;
  tokens_evicted += more.tokens_evicted;
  blocks_freed_by_eviction += more.blocks_freed_by_eviction;
  blocks_freed_by_compaction += more.blocks_freed_by_compaction;
  slot_copies += more.slot_copies;
  passes += more.passes;
  compaction_seconds += more.compaction_seconds;
  deciding_seconds += more.deciding_seconds;
  score_buffer_bytes = std::max(score_buffer_bytes, more.score_buffer_bytes);
  peak_blocks = std::max(peak_blocks, more.peak_blocks);
  return *this;
}

KeptIndices other_rows(const KvCache& cache, int layer, const KeptIndices& rows) {
  KeptIndices others(rows.size());
  for (std::size_t h = 0; h < rows.size(); ++h) {
    std::size_t next = 0;
    for (std::int32_t i = 0; i < cache.kept(layer, static_cast<int>(h)); ++i) {
      if (next < rows[h].size() && rows[h][next] == i)
        ++next;
      else
        others[h].push_back(i);
    }
  }
  return others;
}

std::vector<float> step_attention(const KvCache& cache, int layer, int kv_head, std::span<const float> queries,
                                  int hidden) {
  HeadView head = cache.head(layer, kv_head);
  head.kept -= hidden;
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

void EvictionLoop::weigh(const KvCache& cache, int layer, std::span<const float> queries, int hidden) {
  const auto per_head = queries.size() / static_cast<std::size_t>(setting_.kv_heads);
  std::size_t bytes = 0;
  attention_.clear();
  for (int h = 0; h < setting_.kv_heads; ++h) {
    attention_.push_back(
        step_attention(cache, layer, h, queries.subspan(static_cast<std::size_t>(h) * per_head, per_head), hidden));
    bytes += attention_.back().size() * sizeof(float);
  }
  counts_.score_buffer_bytes = std::max(counts_.score_buffer_bytes, bytes);
}

void EvictionLoop::note_queries(int layer, std::span<const float> queries) {
  if (needs_.window_queries == 0) return;
  auto& window = window_[static_cast<std::size_t>(layer)];
  window.emplace_back(queries.begin(), queries.end());
  if (window.size() > static_cast<std::size_t>(needs_.window_queries)) window.pop_front();
}

StepView EvictionLoop::step_of(const KvCache& cache, int layer, std::span<const std::vector<float>> queries) const {
  return {cache, layer, setting_.heads / setting_.kv_heads, attention_, queries};
}

// Every head of a layer drops the same number of rows, so the shortest one decides.
int EvictionLoop::excess_of(const KvCache& cache, int layer) const {
  int fewest = INT_MAX;
  for (int h = 0; h < setting_.kv_heads; ++h) fewest = std::min(fewest, cache.kept(layer, h));
  return fewest - options_.budget_tokens;
}

int EvictionLoop::prompt_queries(int question) const {
  return needs_.attention ? question : std::min(question, needs_.window_queries);
}

void EvictionLoop::observe_prompt(const KvCache& cache, int layer, const WindowQueries& queries) {
  const auto heads = static_cast<std::size_t>(setting_.heads), dim = static_cast<std::size_t>(setting_.head_dim);
  const auto window = static_cast<std::size_t>(queries.window);
  std::vector<float> one(heads * dim);
  for (std::size_t r = 0; r < window; ++r) {
    for (std::size_t h = 0; h < heads; ++h)  // [heads, window, head_dim]
      std::copy_n(&queries.layers[static_cast<std::size_t>(layer)][(h * window + r) * dim], dim, &one[h * dim]);
    note_queries(layer, one);
    if (!needs_.attention) continue;
    const int hidden = queries.window - 1 - static_cast<int>(r);
    weigh(cache, layer, one, hidden);
    StepView step = step_of(cache, layer, {});
    step.hidden = hidden;
    eviction_method_->see(step);
  }
}

Status EvictionLoop::begin_layer(KvCache& cache, int layer, const WindowQueries& queries) {
  const std::int64_t start = clock_.monotonic_ns();
  if (layer >= observed_layers_) {
    if (!queries.empty()) observe_prompt(cache, layer, queries);
    observed_layers_ = layer + 1;
  }
  if (const int excess = excess_of(cache, layer); excess > 0) {
    const auto& window = window_[static_cast<std::size_t>(layer)];
    const std::vector<std::vector<float>> last(window.begin(), window.end());
    KV_ASSIGN(const auto victims, eviction_method_->prompt_victims(step_of(cache, layer, last), excess));
    const std::size_t live = cache.pool().live_blocks();
    KV_TRY(cache.keep(layer, other_rows(cache, layer, victims)));
    eviction_method_->dropped(layer, victims);
    counts_.tokens_evicted += rows_in(victims);
    counts_.blocks_freed_by_eviction +=
        static_cast<std::int64_t>(live) - static_cast<std::int64_t>(std::min(live, cache.pool().live_blocks()));
  }
  counts_.deciding_seconds += static_cast<double>(clock_.monotonic_ns() - start) * 1e-9;
  return {};
}

Status EvictionLoop::evict(KvCache& cache, const StepView& step) {
  const int excess = excess_of(cache, step.layer);
  if (excess <= 0 && !needs_.below_budget) return {};
  KV_ASSIGN(const auto victims, eviction_method_->victims(step, excess));
  const std::size_t live = cache.pool().live_blocks();
  KV_TRY(cache.evict(step.layer, victims));
  eviction_method_->dropped(step.layer, victims);
  counts_.tokens_evicted += rows_in(victims);
  counts_.blocks_freed_by_eviction += static_cast<std::int64_t>(live - cache.pool().live_blocks());
  return {};
}

CompactionPlan EvictionLoop::plan_pass(const KvCache& cache, const CompactionScope& scope) const {
  return options_.compaction == CompactionKind::repack ? plan_repack(cache, scope)
                                                       : plan_hole_fill(cache, scope, round_start_);
}

// At least a layer in each step, so that every pass ends.
Status EvictionLoop::compact(KvCache& cache) {
  const std::int64_t start = clock_.monotonic_ns();
  const auto seconds = [&] { return static_cast<double>(clock_.monotonic_ns() - start) * 1e-9; };
  if (!pass_) pass_ = RunningPass{0, cache.sequence_length(), {.step = counts_.steps}};
  const bool at_once = options_.compact_seconds <= 0;
  do {
    const CompactionScope scope{.layer = at_once ? std::nullopt : std::optional(pass_->next_layer)};
    KV_ASSIGN(const auto report, commit(cache, plan_pass(cache, scope), clock_));
    pass_->so_far.blocks_freed += static_cast<std::int64_t>(report.blocks_freed);
    pass_->so_far.slot_copies += static_cast<std::int64_t>(report.slot_copies);
    counts_.blocks_freed_by_compaction += static_cast<std::int64_t>(report.blocks_freed);
    counts_.slot_copies += static_cast<std::int64_t>(report.slot_copies);
    pass_->next_layer = at_once ? setting_.layers : pass_->next_layer + 1;
  } while (pass_->next_layer < setting_.layers && seconds() < options_.compact_seconds);
  const double taken = seconds();
  pass_->so_far.seconds += taken;
  counts_.compaction_seconds += taken;
  if (pass_->next_layer < setting_.layers) return {};
  ++counts_.passes;
  round_start_ = pass_->begun_at;
  passes_.push_back(std::exchange(pass_, std::nullopt)->so_far);
  return {};
}

Status EvictionLoop::after_layer(KvCache& cache, int layer, std::span<const float> queries) {
  const bool last = layer + 1 == setting_.layers;
  if (round_start_ < 0) round_start_ = cache.sequence_length();
  if (layer == 0) ++counts_.steps;
  const std::int64_t start = clock_.monotonic_ns();
  note_queries(layer, queries);
  if (needs_.attention) weigh(cache, layer, queries);
  const auto& window = window_[static_cast<std::size_t>(layer)];
  const std::vector<std::vector<float>> last_queries(window.begin(), window.end());
  const StepView step = step_of(cache, layer, last_queries);
  eviction_method_->see(step);
  if (needs_.every_step || counts_.steps % options_.cadence == 0) {
    if (!needs_.whole_sequence) KV_TRY(evict(cache, step));
    for (int l = 0; needs_.whole_sequence && last && l < setting_.layers; ++l)
      KV_TRY(evict(cache, step_of(cache, l, {})));
  }
  counts_.deciding_seconds += static_cast<double>(clock_.monotonic_ns() - start) * 1e-9;
  counts_.peak_blocks = std::max(counts_.peak_blocks, cache.pool().live_blocks());
  const bool due = options_.compaction != CompactionKind::none && counts_.steps % options_.compact_every == 0;
  if (last && (due || pass_)) return compact(cache);
  return {};
}

}  // namespace kvantage::inline decode_eviction
