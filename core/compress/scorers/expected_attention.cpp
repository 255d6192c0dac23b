#include <ATen/ATen.h>

#include <cmath>

#include "core/compress/scorers/scorers.h"
#include "core/compress/scorers/weights_file.h"

namespace kvantage::inline scorers {
namespace {

/// Expected attention of future queries (Devoto et al. 2025). Queries before RoPE are modeled as normal with the mean
/// and covariance of the context's, or of a file of statistics, rotated by the mean rotation R of the next `future`
/// positions:
///   z[t] = k.mu'/sqrt(d) + k' Sigma' k/(2d);  p = softmax over t;  s = (mean over the group of p + epsilon) * ||v||
/// The first `sinks` tokens stay and are excluded from all sums. Without covariance z has its first term alone; without
/// vnorm s is the mean of p.
class ExpectedAttention final : public Scorer {
 public:
  struct Settings {
    int future = 512, sinks = 4;
    double epsilon = 0;
    bool covariance = true, vnorm = true;
    std::shared_ptr<const WeightsFile> statistics;  // null: of the context
  };
  explicit ExpectedAttention(Settings settings) : settings_(std::move(settings)) {}
  ScorerNeeds needs() const override {
    if (settings_.statistics != nullptr) return {.keys = true, .values = true, .window_queries = 1};
    return {.keys = true, .values = true, .positions = true, .window_queries = every_query};
  }
  std::string file_digest() const override {
    return settings_.statistics == nullptr ? std::string() : settings_.statistics->digest();
  }

  at::Tensor score(const LayerView& view) const override { return try_score(view).value(); }
  Expected<at::Tensor> try_score(const LayerView& view) const override {
    const std::int64_t sinks = std::min<std::int64_t>(settings_.sinks, view.tokens - 1), dim = view.keys.size(2);
    KV_ASSIGN(const auto moments, settings_.statistics == nullptr ? of_context(view, sinks) : of_file(view));
    const at::Tensor rotation = mean_rotation(view.tokens, settings_.future, view.frequencies);
    const at::Tensor mu = at::matmul(moments.mean, rotation.t());
    const at::Tensor keys = view.keys.slice(1, sinks).unsqueeze(1);  // [kv_heads, 1, scored, head_dim]
    at::Tensor logits = at::matmul(keys, mu.transpose(2, 3)).squeeze(3) / std::sqrt(static_cast<double>(dim));
    if (settings_.covariance) {
      const at::Tensor sigma = at::matmul(rotation, at::matmul(moments.covariance, rotation.t()));
      logits += (at::matmul(keys, sigma) * keys).sum(3) / static_cast<double>(2 * dim);
    }
    at::Tensor expected = at::softmax(logits, -1).mean(1);
    if (settings_.vnorm) expected = (expected + settings_.epsilon) * view.values.slice(1, sinks).norm(2, -1);
    at::Tensor scores = at::empty({view.kv_heads, view.tokens});
    scores.slice(1, sinks).copy_(expected);
    if (sinks > 0) scores.slice(1, 0, sinks).fill_(scores.slice(1, sinks).max().item<float>() + 1);
    return scores;
  }
  std::size_t score_buffer_bytes(const LayerView& view) const override {
    return static_cast<std::size_t>(view.kv_heads * view.queries.size(1) * view.tokens) * sizeof(float);
  }

 private:
  struct Moments {
    at::Tensor mean;        // [kv_heads, group, 1, head_dim]
    at::Tensor covariance;  // [kv_heads, group, head_dim, head_dim]; undefined where it is not read
  };

  Expected<Moments> of_context(const LayerView& view, std::int64_t sinks) const {
    const at::Tensor positions = view.positions[0].slice(0, sinks);
    const at::Tensor queries = before_rope(view.queries.slice(2, sinks), positions, view.frequencies);
    Moments moments{queries.mean(2, true), {}};
    if (!settings_.covariance) return moments;
    const at::Tensor centered = queries - moments.mean;
    moments.covariance = at::matmul(centered.transpose(2, 3), centered) / static_cast<double>(view.tokens - sinks);
    return moments;
  }
  /// query_mean [layers, heads, head_dim] and query_cov [layers, heads, head_dim, head_dim], as kvpress publishes them:
  /// before RoPE, channels as in transformers, without the model's factors.
  Expected<Moments> of_file(const LayerView& view) const {
    const WeightsFile& file = *settings_.statistics;
    const std::int64_t dim = view.keys.size(2), group = view.queries.size(1), heads = view.kv_heads * group;
    KV_ASSIGN(const auto means, file.tensor("query_mean", {-1, heads, dim}));
    KV_ASSIGN(const auto covariances, file.tensor("query_cov", {-1, heads, dim, dim}));
    if (view.layer >= means.size(0) || view.layer >= covariances.size(0))
      return file.rejected("holds statistics of " + std::to_string(means.size(0)) +
                           " layers, fewer than this model has; give those of this model");
    KV_ASSIGN(auto mean, WeightsFile::in_order_of(view, "expected_attention", means[view.layer]));
    KV_ASSIGN(auto covariance, WeightsFile::in_order_of(view, "expected_attention", covariances[view.layer], true));
    if (view.files != nullptr && !view.files->query_factors.empty()) {
      const at::Tensor factors = at::tensor(view.files->query_factors[static_cast<std::size_t>(view.layer)]);
      mean = mean * factors;
      covariance = covariance * factors.unsqueeze(0) * factors.unsqueeze(1);
    }
    return Moments{mean.view({view.kv_heads, group, 1, dim}), covariance.view({view.kv_heads, group, dim, dim})};
  }

  Settings settings_;
};

}  // namespace

Expected<std::unique_ptr<Scorer>> make_expected_attention(const Parameters& parameters) {
  ExpectedAttention::Settings settings;
  KV_ASSIGN(settings.future, parameters.integer("future", 1, 1'000'000));
  KV_ASSIGN(settings.sinks, parameters.integer("sinks", 0, 4096));
  KV_ASSIGN(settings.epsilon, parameters.real("epsilon", 0, 1e6));
  for (const char* key : {"covariance", "vnorm"}) {
    const auto word = parameters.word(key, {"yes", "no"});
    if (!word) return tl::unexpected(word.error());
    (key == std::string_view("vnorm") ? settings.vnorm : settings.covariance) = *word == "yes";
  }
  if (parameters.text("stats") != "context") {
    KV_ASSIGN(settings.statistics, WeightsFile::open(parameters, "stats"));
  }
  return std::make_unique<ExpectedAttention>(std::move(settings));
}

}  // namespace kvantage::inline scorers
