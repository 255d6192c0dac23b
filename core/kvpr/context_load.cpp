#include "core/kvpr/context_load.h"

#include <algorithm>

#include "core/base/clock.h"
#include "core/kvpr/layer_rows.h"

namespace kvantage {

Expected<ContextLoad> load_offloaded(Transformer& model, const OffloadedPrompt& prompt, BufferLender& lender, KvCache& cache,
                                     SplitMode mode, const RecomputeProfile& profile) {
  const SystemClock clock;
  const double start = clock.seconds();
  const int layers = model.config().layers;
  const RecomputeShape shape = recompute_shape(model);
  if (mode == SplitMode::solved) KV_TRY(check_recompute_pays(RecomputeSchedule::column, shape));
  const RecomputeCosts costs = recompute_costs(RecomputeSchedule::column, TransferOverlap::across_layers, shape, profile.link, profile.recompute, 1, {}, profile.rest_seconds);
  ContextLoad load;
  if (mode == SplitMode::recompute_only) load.recomputed_tokens = prompt.tokens();
  if (mode == SplitMode::solved) load.recomputed_tokens = solve_split(costs, prompt.tokens(), prompt.tokens(), prompt.chunk_tokens()).recomputed_tokens;
  load.predicted_seconds = costs.seconds(load.recomputed_tokens, prompt.tokens()) * layers;

  LayerStream stream(prompt.tier(), lender, layer_input_bytes(model), layer_row_bytes(model.kv_shape()));
  KvRecompute recompute(model, prompt.chunk_tokens());
  int asked = 0;
  for (int layer = 0; layer < layers; ++layer) {
    for (; asked < std::min(layers, layer + 2); ++asked) KV_TRY(stream.request(prompt.layer(asked), {}, load.recomputed_tokens));
    while (stream.blocks_left() > 0) {
      auto block = stream.take();
      if (!block) return tl::unexpected(std::move(block).error());
      std::span<const std::byte> keys = block->rows().first(block->bytes / 2), values = block->rows().subspan(block->bytes / 2);
      if (block->is_inputs) {
        const double begun = clock.seconds();
        KV_TRY(recompute.run(layer, block->rows(), block->first, block->tokens));
        load.recompute_seconds += clock.seconds() - begun;
        keys = recompute.keys();
        values = recompute.values();
      }
      KV_TRY(append_rows(cache, layer, keys, values, block->first, block->tokens));
    }
    stream.next_layer();
  }
  cache.set_sequence_length(prompt.tokens());
  load.input_bytes = stream.input_bytes();
  load.kv_bytes = stream.kv_bytes();
  load.waited_seconds = stream.waited_seconds();
  load.seconds = clock.seconds() - start;
  return load;
}

}  // namespace kvantage
