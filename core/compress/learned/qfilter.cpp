#include <ATen/ATen.h>

#include "core/compress/learned/learned.h"
#include "core/compress/scorers/weights_file.h"

namespace kvantage::inline learned_scorers {
namespace {

/// s[t] = -f . k_t with one filter f per KV head (Godey et al. 2025). A file holds `q_filters` [layers, kv_heads,
/// head_dim], channels as in transformers. Without one, f is the first right singular vector of the context's own
/// queries, all heads of the group together, on the side of their mean: how the paper computes filters from a
/// calibration text.
class QFilter final : public Scorer {
 public:
  explicit QFilter(std::shared_ptr<const WeightsFile> file) : file_(std::move(file)) {}
  ScorerNeeds needs() const override { return {.keys = true, .window_queries = file_ == nullptr ? every_query : 0}; }
  std::string file_digest() const override { return file_ == nullptr ? std::string() : file_->digest(); }

  at::Tensor score(const LayerView& view) const override { return try_score(view).value(); }
  Expected<at::Tensor> try_score(const LayerView& view) const override {
    KV_ASSIGN(const auto filters, file_ == nullptr ? directions(view) : of_file(view));
    return -at::matmul(view.keys, filters.unsqueeze(2)).squeeze(2);
  }

 private:
  Expected<at::Tensor> of_file(const LayerView& view) const {
    KV_ASSIGN(const auto filters, file_->tensor("q_filters", {-1, view.kv_heads, view.keys.size(2)}));
    if (view.layer >= filters.size(0))
      return file_->rejected("holds filters of " + std::to_string(filters.size(0)) +
                             " layers, fewer than this model has; give those of this model");
    return WeightsFile::in_order_of(view, "qfilter", filters[view.layer]);
  }
  static Expected<at::Tensor> directions(const LayerView& view) {
    at::Tensor filters = at::empty({view.kv_heads, view.keys.size(2)});
    for (std::int64_t h = 0; h < view.kv_heads; ++h) {
      const at::Tensor queries = view.queries[h].flatten(0, 1).to(at::kDouble);
      at::Tensor power = at::matmul(queries.t(), queries);
      for (int squarings = 0; squarings < 24; ++squarings) {  // towards the projection on the first direction
        power = at::matmul(power, power);
        power = power / power.norm().clamp_min(1e-300);
      }
      const at::Tensor mean = queries.mean(0);
      at::Tensor direction = at::matmul(power, mean);  // on the side of the mean
      if (!(direction.norm().item<double>() > 1e-12 * mean.norm().item<double>()))
        direction = power.select(1, power.diagonal().argmax().item<std::int64_t>());
      filters[h].copy_(direction / direction.norm().clamp_min(1e-300));
    }
    return filters;
  }

  std::shared_ptr<const WeightsFile> file_;
};

}  // namespace

Expected<std::unique_ptr<Scorer>> make_qfilter(const Parameters& parameters) {
  std::shared_ptr<const WeightsFile> file;
  if (parameters.text("filters") != "context") {
    KV_ASSIGN(file, WeightsFile::open(parameters, "filters"));
  }
  return std::make_unique<QFilter>(std::move(file));
}

}  // namespace kvantage::inline learned_scorers
