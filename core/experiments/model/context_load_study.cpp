#include "core/experiments/model/context_load_study.h"

#include <algorithm>

namespace kvantage::inline model_experiments {
namespace {

/// Keys, values and positions of every head.
bool same_rows(const KvCache& one, const KvCache& other) {
  struct Rows {
    std::vector<std::byte> keys, values;
    std::vector<std::int32_t> positions;
    Rows(const KvCache& cache, int layer, int head)
        : keys(static_cast<std::size_t>(cache.kept(layer, head) * cache.shape().head_dim) *
               bytes_of(cache.shape().type)),
          values(keys.size()),
          positions(static_cast<std::size_t>(cache.kept(layer, head))) {
      cache.gather_head(layer, head, keys.data(), values.data(), positions.data());
    }
    bool operator==(const Rows&) const = default;
  };
  if (one.sequence_length() != other.sequence_length()) return false;
  for (int layer = 0; layer < one.shape().layers; ++layer)
    for (int head = 0; head < one.shape().kv_heads; ++head)
      if (!(Rows(one, layer, head) == Rows(other, layer, head))) return false;
  return true;
}

}  // namespace

Expected<std::vector<ContextLoadRun>> compare_context_loads(Transformer& model, StorageTier& tier, BufferLender& lender,
                                                            const std::vector<std::int32_t>& prompt,
                                                            const ContextLoadStudyOptions& options) {
  if (options.rounds < 1 || options.rounds % 2 == 0)
    return fail(ErrorCode::usage, "context-load: " + std::to_string(options.rounds) +
                                      " rounds have no median; give an odd number, e.g. 3");
  if (std::ranges::find(options.modes, SplitMode::solved) != options.modes.end())
    KV_TRY(check_recompute_pays(RecomputeSchedule::column, recompute_shape(model)));
  KV_ASSIGN(const auto prefilled, prefill_offloaded(model, tier, prompt, options.chunk_tokens, "context load"));
  const KvShape shape = model.kv_shape();
  const std::size_t rows = (prompt.size() + 64) * static_cast<std::size_t>(shape.layers * shape.kv_heads);
  BlockPool pool(shape, 64, 2 * rows * (shape.bytes_per_head_token() + 64) + (std::size_t{16} << 20));
  KvCache plain(pool), loaded(pool);
  PrefillTask prefill(model, plain, prompt, 0, {.chunk_tokens = options.chunk_tokens});
  KV_TRY(prefill.run());
  std::vector<std::vector<ContextLoad>> loads(options.modes.size());
  for (int round = 0; round <= options.rounds; ++round)
    for (std::size_t m = 0; m < options.modes.size(); ++m) {
      if (options.stop && options.stop()) return fail(ErrorCode::cancelled, "loading a context: cancelled");
      loaded.clear();
      KV_ASSIGN(const auto load,
                load_offloaded(model, *prefilled.prompt, lender, loaded, options.modes[m], options.profile));
      if (!same_rows(loaded, plain))
        return fail(ErrorCode::internal,
                    "loading a context: loaded or recomputed rows differ from those of the prefill; report it");
      if (round > 0) loads[m].push_back(load);  // the first round touches memory for the first time
    }
  std::vector<ContextLoadRun> runs;
  for (std::size_t m = 0; m < options.modes.size(); ++m) {
    std::ranges::sort(loads[m], {}, &ContextLoad::seconds);
    runs.push_back({options.modes[m], loads[m][loads[m].size() / 2]});
  }
  return runs;
}

}  // namespace kvantage::inline model_experiments
