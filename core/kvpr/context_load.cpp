#include "core/kvpr/context_load.h"

#include <algorithm>

#include "core/base/clock.h"
#include "core/kvpr/layer_rows.h"

namespace kvantage::inline kvpr {

Expected<ContextLoad> load_offloaded(Transformer& model, const OffloadedPrompt& prompt, BufferLender& lender,
                                     KvCache& cache, SplitMode mode, const RecomputeProfile& profile) {
  const Clock& clock = prompt.tier().clock();
  const double start = clock.seconds();
  const int layers = model.config().layers;
  const RecomputeShape shape = recompute_shape(model, prompt.codec(), prompt.chunk_tokens());
  if (mode == SplitMode::solved) KV_TRY(check_recompute_pays(RecomputeSchedule::column, shape));
  const RecomputeCosts costs = recompute_costs(RecomputeSchedule::column, TransferOverlap::across_layers, shape,
                                               profile.link, profile.recompute, 1, {}, profile.rest_seconds);
  ContextLoad load;
  if (mode == SplitMode::recompute_only) load.recomputed_tokens = prompt.tokens();
  if (mode == SplitMode::solved)
    load.recomputed_tokens =
        solve_split(costs, prompt.tokens(), prompt.tokens(), prompt.chunk_tokens()).recomputed_tokens;
  load.predicted_seconds = costs.seconds(load.recomputed_tokens, prompt.tokens()) * layers;
  load.predicted_bytes =
      static_cast<std::uint64_t>(layers * (shape.input_bytes_per_token() * load.recomputed_tokens +
                                           shape.kv_bytes_per_token() * (prompt.tokens() - load.recomputed_tokens)));

  LayerStream stream(prompt.tier(), lender);
  RowCodec codec = prompt.codec();
  KvRecompute recompute(model, prompt.chunk_tokens());
  int asked = 0;
  for (int layer = 0; layer < layers; ++layer) {
    for (; asked < std::min(layers, layer + 2); ++asked)
      KV_TRY(stream.request(prompt.layer(asked), {}, {.recomputed = load.recomputed_tokens}));
    while (stream.blocks_left() > 0) {
      KV_ASSIGN(auto block, stream.take());
      KV_ASSIGN(const auto rows, keys_values_of(block, layer, recompute, codec, clock, load.recompute_seconds));
      KV_TRY(append_rows(cache, layer, rows.keys, rows.values, block.first, block.tokens));
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

}  // namespace kvantage::inline kvpr
