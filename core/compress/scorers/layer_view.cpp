#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <array>
#include <cmath>
#include <string>

#include "core/compress/scorers/scorer.h"

namespace kvantage::inline scorers {
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

/// A view of floats, which must outlive it.
at::Tensor floats_of(const std::vector<float>& floats, at::IntArrayRef shape) {
  return at::from_blob(const_cast<float*>(floats.data()), {static_cast<std::int64_t>(floats.size())}, at::kFloat)
      .view(shape);
}

/// [heads, rows, head_dim] -> [kv_heads, heads/kv_heads, rows, head_dim].
at::Tensor on_heads(const KvShape& shape, const std::vector<float>& floats, int rows) {
  return floats_of(floats, {shape.kv_heads, -1, rows, shape.head_dim});
}

tl::unexpected<Error> rejected(int layer, const std::string& reason) {
  return fail(ErrorCode::rejected_input, "cache layer " + std::to_string(layer) + ": " + reason);
}

Expected<std::vector<LayerView::Repeat>> repeats(const KvCache& cache, int layer, const Observation& observed) {
  const auto index = static_cast<std::size_t>(layer);
  std::vector<LayerView::Repeat> result;
  for (const RepeatChunk& chunk : observed.repeat) {
    if (chunk.queries.size() <= index || chunk.last > cache.sequence_length())
      return rejected(layer, "the repeat pass is of another context; observe it again");
    result.push_back({chunk.first, chunk.last, on_heads(cache.shape(), chunk.queries[index], chunk.rows),
                      on_heads(cache.shape(), chunk.keys[index], chunk.rows).squeeze(1),
                      chunk.hidden_norms.empty() ? at::Tensor() : floats_of(chunk.hidden_norms[index], {chunk.rows})});
  }
  if (result.empty()) return rejected(layer, "this method scores by a repeat pass, and none was made");
  return result;
}

Status calibrate(const KvCache& cache, const Observation& observed, LayerView& view) {
  const auto index = static_cast<std::size_t>(view.layer);
  if (observed.calibration.layers.size() <= index)
    return rejected(view.layer, "this method scores by means over a calibration text, and none were made");
  const QueryMeans::Layer& means = observed.calibration.layers[index];
  const auto tensor = [&](const std::vector<float>& floats) {
    return floats_of(floats, {cache.shape().kv_heads, -1, cache.shape().head_dim / 2});
  };
  view.mean_queries = at::complex(tensor(means.real), tensor(means.imaginary));
  view.mean_magnitudes = tensor(means.magnitude);
  return {};
}

Status show_hidden_states(const KvCache& cache, const Observation& observed, LayerView& view) {
  const HiddenStates& states = observed.hidden_states;
  const auto index = static_cast<std::size_t>(view.layer);
  if (cache.sequence_length() != view.tokens)
    return rejected(view.layer, "tokens were removed before; score the original cache");
  if (states.layers.size() <= index ||
      states.layers[index].size() != static_cast<std::size_t>(view.tokens) * static_cast<std::size_t>(states.hidden))
    return rejected(view.layer, "this method scores by hidden states, and those of this context were not kept");
  view.hidden_states = floats_of(states.layers[index], {view.tokens, states.hidden});
  return {};
}

Status show_output_norms(const KvCache& cache, const Observation& observed, LayerView& view) {
  const auto index = static_cast<std::size_t>(view.layer);
  if (cache.sequence_length() != view.tokens)
    return rejected(view.layer, "tokens were removed before; score the original cache");
  if (observed.output_norms.layers.size() <= index)
    return rejected(view.layer, "this method scores by norms of projected values, and none were computed");
  const OutputNorms::Layer& norms = observed.output_norms.layers[index];
  for (const auto* floats : {&norms.absolute, &norms.euclidean})
    if (floats->empty() || floats->size() % static_cast<std::size_t>(view.kv_heads * view.tokens) != 0)
      return rejected(view.layer, "the norms of projected values are of another context; observe it again");
  const std::array<std::int64_t, 3> shape{view.kv_heads, -1, view.tokens};
  view.absolute_output_norms = floats_of(norms.absolute, shape);
  view.euclidean_output_norms = floats_of(norms.euclidean, shape);
  return {};
}

}  // namespace

Expected<at::Tensor> newest_queries(const KvCache& cache, int layer, const WindowQueries& queries, int wanted) {
  if (queries.layers.size() != static_cast<std::size_t>(cache.shape().layers))
    return rejected(layer, "this method scores with the last queries, but none were kept; prefill the context again");
  const int window = std::min(wanted, static_cast<int>(cache.sequence_length()));
  if (queries.window < window || queries.heads % cache.shape().kv_heads != 0)
    return rejected(layer, "queries of the last " + std::to_string(queries.window) + " tokens were kept, " +
                               std::to_string(window) + " are needed; prefill the context again");
  const at::Tensor all = on_heads(cache.shape(), queries.layers[static_cast<std::size_t>(layer)], queries.window);
  return all.slice(2, queries.window - window).contiguous();
}

Expected<LayerView> view_layer(const KvCache& cache, int layer, const Observation& observed, const ScorerNeeds& needs) {
  LayerView view;
  view.layer = layer;
  view.kv_heads = cache.shape().kv_heads;
  view.tokens = cache.kept(layer, 0);
  view.sequence_length = cache.sequence_length();
  if (view.tokens == 0) return rejected(layer, "holds no tokens; nothing can be scored");
  for (int h = 1; h < view.kv_heads; ++h)
    if (cache.kept(layer, h) != view.tokens)
      return rejected(layer, "its heads hold different numbers of tokens; score the original cache");
  if (needs.keys) view.keys = gather(cache, layer, view.tokens, true);
  if (needs.values) view.values = gather(cache, layer, view.tokens, false);
  for (int h = 0; h < view.kv_heads; ++h) view.heads.push_back(cache.head(layer, h));
  if (needs.positions) {
    view.positions = at::empty({view.kv_heads, view.tokens}, at::kInt);
    for (int h = 0; h < view.kv_heads; ++h)
      cache.gather_head(layer, h, nullptr, nullptr, view.positions[h].data_ptr<std::int32_t>());
  }
  const auto& frequencies = observed.forms.frequencies.empty()
                                ? observed.frequencies
                                : observed.forms.frequencies[static_cast<std::size_t>(layer)];
  if (!frequencies.empty()) view.frequencies = floats_of(frequencies, {-1});
  view.files = &observed.forms.files;
  if (needs.window_queries > 0) {
    if (!observed.queries.empty() && cache.sequence_length() != view.tokens)
      return rejected(layer, "tokens were removed before; score the original cache");
    KV_ASSIGN(auto window, newest_queries(cache, layer, observed.queries, needs.window_queries));
    view.queries = window;
  }
  if (needs.repeat_pass) {
    KV_ASSIGN(auto chunks, repeats(cache, layer, observed));
    view.repeat = std::move(chunks);
  }
  if (needs.calibration) KV_TRY(calibrate(cache, observed, view));
  if (needs.hidden_states) KV_TRY(show_hidden_states(cache, observed, view));
  if (needs.output_norms) KV_TRY(show_output_norms(cache, observed, view));
  return view;
}

at::Tensor same_for_all_heads(const LayerView& view, std::vector<float> scores) {
  return at::tensor(scores).expand({view.kv_heads, view.tokens});
}

at::Tensor score_heads(const LayerView& view,
                       const std::function<void(std::size_t head, std::span<float> scores)>& score) {
  at::Tensor scores = at::empty({view.kv_heads, view.tokens});
  const auto tokens = static_cast<std::size_t>(view.tokens);
  const std::span<float> all(scores.mutable_data_ptr<float>(), view.heads.size() * tokens);
  at::parallel_for(0, view.kv_heads, 1, [&](std::int64_t first, std::int64_t last) {
    for (auto h = static_cast<std::size_t>(first); h < static_cast<std::size_t>(last); ++h)
      score(h, all.subspan(h * tokens, tokens));
  });
  return scores;
}

at::Tensor window_attention(const at::Tensor& queries, const at::Tensor& keys) {
  const std::int64_t rows = queries.size(1), tokens = keys.size(0);
  at::Tensor logits = at::matmul(queries.flatten(0, 1), keys.t());
  logits = logits.div_(std::sqrt(static_cast<double>(keys.size(1)))).view({-1, rows, tokens});
  if (rows > 1) logits.slice(2, tokens - rows).masked_fill_(at::ones({rows, rows}, at::kBool).triu(1), -INFINITY);
  return at::softmax(logits, -1);
}

at::Tensor mean_rotation(int first, int count, const at::Tensor& frequencies) {
  const at::Tensor angles = at::arange(first, first + count, at::kFloat).unsqueeze(1) * frequencies.unsqueeze(0);
  const at::Tensor cosines = angles.cos().mean(0), sines = angles.sin().mean(0);
  return at::cat({at::cat({at::diag(cosines), at::diag(-sines)}, 1), at::cat({at::diag(sines), at::diag(cosines)}, 1)},
                 0);
}

void pin_newest(at::Tensor& scores, std::int64_t first) {
  float pinned = scores.slice(1, 0, first).max().item<float>() + 1;
  auto numbers = scores.accessor<float, 2>();  // a tensor for each number would take as long as many scores
  for (std::int64_t t = first; t < scores.size(1); ++t) {
    for (std::int64_t h = 0; h < scores.size(0); ++h) numbers[h][t] = pinned;
    pinned = std::nextafter(pinned, HUGE_VALF);
  }
}

at::Tensor before_rope(const at::Tensor& rotated, const at::Tensor& positions, const at::Tensor& frequencies) {
  // The inverse rotation uses the negative angle.
  const at::Tensor angles = positions.to(at::kFloat).unsqueeze(-1) * frequencies;
  const at::Tensor cosines = angles.cos(), sines = angles.sin();
  const std::int64_t half = rotated.size(-1) / 2;
  const at::Tensor first = rotated.slice(-1, 0, half), second = rotated.slice(-1, half);
  return at::cat({first * cosines + second * sines, second * cosines - first * sines}, -1);
}

}  // namespace kvantage::inline scorers
