#include "core/kvpr/prefilled_prompt.h"

#include <utility>

namespace kvantage::inline kvpr {

RecomputeShape recompute_shape(const Transformer& model) {
  const ModelConfig& config = model.config();
  return {config.hidden, config.kv_heads, config.head_dim,
          static_cast<double>(layer_input_bytes(model)) / config.hidden,
          static_cast<double>(bytes_of(model.kv_shape().type))};
}

RecomputeShape recompute_shape(const Transformer& model, const RowCodec& codec, int chunk_tokens) {
  RecomputeShape shape = recompute_shape(model);
  shape.kv_bytes =
      static_cast<double>(codec.bytes(chunk_tokens)) / (2.0 * chunk_tokens * shape.kv_heads * shape.head_dim);
  return shape;
}

Expected<PrefilledPrompt> prefill_offloaded(Transformer& model, StorageTier& tier,
                                            const std::vector<std::int32_t>& prompt, int chunk_tokens,
                                            const std::string& name, std::shared_ptr<const Codec> codec) {
  KV_ASSIGN(const auto rows_on_tier, RowCodec::make(model.kv_shape(), std::move(codec)));
  const auto tokens = static_cast<int>(prompt.size());
  const std::size_t rows =
      static_cast<std::size_t>(tokens + 64) * static_cast<std::size_t>(model.config().layers * model.config().kv_heads);
  BlockPool pool(model.kv_shape(), 64, rows * (model.kv_shape().bytes_per_head_token() + 64) + (std::size_t{16} << 20));
  KvCache cache(pool);
  LayerInputs inputs(model, tokens);
  PrefillTask task(model, cache, prompt, 0, {.chunk_tokens = chunk_tokens});
  {
    const CaptureLayerInputs capture(model, inputs);
    KV_TRY(task.run());
  }
  KV_ASSIGN(auto written, OffloadedPrompt::write(model, cache, inputs, tokens, chunk_tokens, rows_on_tier, tier, name));
  return PrefilledPrompt{std::move(written), {task.logits().begin(), task.logits().end()}};
}

}  // namespace kvantage::inline kvpr
