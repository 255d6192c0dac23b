#include <ATen/ATen.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "core/compress/leverage/leverage.h"

namespace kvantage::inline leverage_scorers {
namespace {

/// Outliers that are attended to (Chari and Van Durme 2025, as in kvpress): s = blending * leverage + attention within
/// chunks, of the tokens between the first `sinks` and the last `recent`, which get max(s). Without a number, blending
/// is the removed fraction.
class Compactor final : public Scorer {
 public:
  struct Settings {
    int sinks = 8, recent = 4, chunk = 256, sketch = 48, seed = 0;
    std::optional<double> blending;
  };
  explicit Compactor(const Settings& settings) : settings_(settings) {}
  ScorerNeeds needs() const override {
    return {.keys = true, .values = true, .positions = true, .window_queries = every_query};
  }

  at::Tensor score(const LayerView& view) const override {
    const auto [first, last] = scored(view.tokens);
    if (first == last) return at::ones({view.kv_heads, view.tokens});
    at::Tensor between = non_causal_scores(view.queries.slice(2, first, last), view.keys.slice(1, first, last),
                                           view.values.slice(1, first, last), settings_.chunk);
    if (settings_.blending) between = between + *settings_.blending * outliers(view, first, last);
    at::Tensor scores = at::full({view.kv_heads, view.tokens}, between.max().item<float>());
    scores.slice(1, first, last).copy_(between);
    return scores;
  }
  at::Tensor weights(const LayerView& view) const override {
    const auto [first, last] = scored(view.tokens);
    if (settings_.blending || first == last) return {};
    at::Tensor weights = at::zeros({view.kv_heads, view.tokens});
    weights.slice(1, first, last).copy_(outliers(view, first, last));
    return weights;
  }
  bool depends_on_fraction() const override { return !settings_.blending.has_value(); }
  void score_at(double removed_fraction, LayerScores& scores) const override {
    const auto [first, last] = scored(static_cast<std::int64_t>(scores.tokens()));
    if (first == last) return;  // all stay as long as the budget allows, in their order
    for (auto& heads : scores.layers) {
      float most = -HUGE_VALF;
      for (LayerScores::Head& head : heads)
        for (auto t = static_cast<std::size_t>(first); t < static_cast<std::size_t>(last); ++t) {
          head.scores[t] += static_cast<float>(removed_fraction) * head.weights[t];
          most = std::max(most, head.scores[t]);
        }
      for (LayerScores::Head& head : heads)
        for (std::size_t t = 0; t < head.scores.size(); ++t)
          if (t < static_cast<std::size_t>(first) || t >= static_cast<std::size_t>(last)) head.scores[t] = most;
    }
  }
  std::size_t score_buffer_bytes(const LayerView& view) const override {
    return non_causal_bytes(view, settings_.chunk);
  }

 private:
  /// Tokens [first, last) are scored; the others stay.
  std::pair<std::int64_t, std::int64_t> scored(std::int64_t tokens) const {
    const std::int64_t first = std::min<std::int64_t>(settings_.sinks, tokens);
    return {first, std::max(first, tokens - settings_.recent)};
  }
  at::Tensor outliers(const LayerView& view, std::int64_t first, std::int64_t last) const {
    const at::Tensor keys =
        before_rope(view.keys.slice(1, first, last), view.positions.slice(1, first, last), view.frequencies);
    return leverage_scores(keys, settings_.sketch, settings_.seed, view.layer);
  }

  Settings settings_;
};

}  // namespace

Expected<std::unique_ptr<Scorer>> make_compactor(const Parameters& parameters) {
  Compactor::Settings settings;
  KV_ASSIGN(settings.sinks, parameters.integer("sinks", 0, 4096));
  KV_ASSIGN(settings.recent, parameters.integer("recent", 0, 4096));
  KV_ASSIGN(settings.chunk, parameters.integer("chunk", 1, 4096));
  KV_ASSIGN(settings.sketch, parameters.integer("sketch", 1, 1024));
  KV_ASSIGN(settings.seed, parameters.integer("seed", 0, 1'000'000'000));
  if (const std::string blending = parameters.text("blending"); blending != "removed") {
    double number = 0;
    const auto [end, error] = std::from_chars(blending.data(), blending.data() + blending.size(), number);
    if (error != std::errc{} || end != blending.data() + blending.size() || !(number >= 0 && number <= 1000))
      return fail(ErrorCode::usage, "method 'compactor': blending=" + blending +
                                        " is neither 'removed' nor a number from 0 to 1000 with a point, e.g. 0.35");
    settings.blending = number;
  }
  return std::make_unique<Compactor>(settings);
}

}  // namespace kvantage::inline leverage_scorers
