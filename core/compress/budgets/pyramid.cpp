#include <algorithm>
#include <cmath>

#include "core/compress/budgets/budget.h"

namespace kvantage::inline budgets {
namespace {

/// More tokens for lower layers, fewer for higher ones, decreasing linearly (Cai et al. 2024, counted as in kvpress
/// PyramidKVPress):
///   C = S (1 - removed);  least = C / beta;  most = 2C - least, at most S - window
/// Where least would be below the window, every layer keeps round(C).
class PyramidBudget final : public Budget {
 public:
  PyramidBudget(double beta, double window) : beta_(beta), window_(window) {}
  std::vector<KeptIndices> keep(const LayerScores& scores, double removed_fraction) const override {
    std::vector<KeptIndices> kept;
    for (std::size_t l = 0; l < scores.layers.size(); ++l)
      kept.push_back(best_of_each_head(scores.layers[l], count(l, scores, removed_fraction)));
    return kept;
  }
  bool equal_heads() const override { return false; }  // layers differ

 private:
  std::size_t count(std::size_t layer, const LayerScores& scores, double removed_fraction) const {
    const auto tokens = static_cast<double>(scores.tokens());
    const double mean = window_ + tokens * (1 - removed_fraction) - window_;  // rounded as in kvpress
    double least = mean / beta_;
    double most = mean * 2 - least;
    if (most >= tokens - window_) {
      most = tokens - window_;
      least = mean * 2 - most;
    }
    if (!(tokens >= most && most >= least && least >= window_))
      return static_cast<std::size_t>(std::max(1.0, std::nearbyint(tokens * (1 - removed_fraction))));
    const std::size_t layers = scores.layers.size();
    const double step = layers > 1 ? (most - least) / static_cast<double>(layers - 1) : 0;
    return static_cast<std::size_t>(std::nearbyint(most - static_cast<double>(layer) * step));
  }

  double beta_, window_;
};

}  // namespace

Expected<std::unique_ptr<Budget>> make_pyramid(const Parameters& parameters) {
  KV_ASSIGN(const auto beta, parameters.integer("beta", 1, 1'000'000));
  KV_ASSIGN(const auto window, parameters.integer("window", 0, 4096));
  return std::make_unique<PyramidBudget>(beta, window);
}

}  // namespace kvantage::inline budgets
