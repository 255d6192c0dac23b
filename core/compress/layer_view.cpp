#include <ATen/ATen.h>

#include <string>

#include "core/compress/scorer.h"

namespace kvantage {
namespace {

/// [kv_heads, tokens, head_dim] as fp32, keys or values.
at::Tensor gather(const KvCache& cache, int layer, int tokens, bool keys) {
  const KvShape& shape = cache.shape();
  at::Tensor rows =
      at::empty({shape.kv_heads, tokens, shape.head_dim}, shape.type == KvType::bf16 ? at::kBFloat16 : at::kFloat);
  for (int h = 0; h < shape.kv_heads; ++h) {
    auto* target = static_cast<std::byte*>(rows[h].data_ptr());
    cache.gather_head(layer, h, keys ? target : nullptr, keys ? nullptr : target, nullptr);
  }
  return rows.to(at::kFloat);
}

tl::unexpected<Error> rejected(int layer, const std::string& reason) {
  return fail(ErrorCode::rejected_input, "cache layer " + std::to_string(layer) + ": " + reason);
}

Expected<at::Tensor> last_queries(const KvCache& cache, int layer, const WindowQueries* queries, int tokens,
                                  int wanted) {
  if (queries == nullptr || queries->layers.size() != static_cast<std::size_t>(cache.shape().layers))
    return rejected(layer, "this method scores by the last queries, and none were kept; prefill the context again");
  if (cache.sequence_length() != tokens) return rejected(layer, "tokens were removed before; score the original cache");
  const int window = std::min(wanted, tokens);
  if (queries->window < window || queries->heads % cache.shape().kv_heads != 0)
    return rejected(layer, "queries of the last " + std::to_string(queries->window) + " tokens were kept, " +
                               std::to_string(window) + " are needed; prefill the context again");
  const auto& floats = queries->layers[static_cast<std::size_t>(layer)];
  const at::Tensor all = at::from_blob(
      const_cast<float*>(floats.data()),
      {cache.shape().kv_heads, queries->heads / cache.shape().kv_heads, queries->window, cache.shape().head_dim},
      at::kFloat);
  return all.slice(2, queries->window - window).contiguous();
}

}  // namespace

Expected<LayerView> view_layer(const KvCache& cache, int layer, const WindowQueries* queries,
                               const ScorerNeeds& needs) {
  LayerView view;
  view.layer = layer;
  view.kv_heads = cache.shape().kv_heads;
  view.tokens = cache.kept(layer, 0);
  if (view.tokens == 0) return rejected(layer, "holds no tokens; nothing can be scored");
  for (int h = 1; h < view.kv_heads; ++h)
    if (cache.kept(layer, h) != view.tokens)
      return rejected(layer, "its heads hold different numbers of tokens; score the original cache");
  if (needs.keys) view.keys = gather(cache, layer, view.tokens, true);
  if (needs.values) view.values = gather(cache, layer, view.tokens, false);
  if (needs.window_queries > 0) {
    auto window = last_queries(cache, layer, queries, view.tokens, needs.window_queries);
    if (!window) return tl::unexpected(std::move(window).error());
    view.queries = *window;
  }
  return view;
}

at::Tensor same_for_all_heads(const LayerView& view, std::vector<float> scores) {
  return at::tensor(scores).expand({view.kv_heads, view.tokens});
}

}  // namespace kvantage
