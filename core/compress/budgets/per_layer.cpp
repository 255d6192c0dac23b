#include <charconv>

#include "core/base/form_text.h"
#include "core/compress/budgets/budget.h"

namespace kvantage::inline budgets {
namespace {

/// A removed share of its own for every layer, whatever the removed fraction is if it is above 0 (kvpress
/// PerLayerCompressionPress). With as many percents as layers each has its own; with fewer the shares of the layers in
/// between lie on straight lines.
class PerLayerBudget final : public Budget {
 public:
  explicit PerLayerBudget(std::vector<double> percents) : percents_(std::move(percents)) {}
  std::vector<KeptIndices> keep(const LayerScores& scores, double removed_fraction) const override {
    std::vector<KeptIndices> kept;
    kept.reserve(scores.layers.size());
    for (std::size_t l = 0; l < scores.layers.size(); ++l) {
      const double removed = removed_fraction > 0 ? percent(l, scores.layers.size()) / 100 : 0;
      kept.push_back(best_of_each_head(scores.layers[l], kept_tokens(scores.tokens(), removed)));
    }
    return kept;
  }
  bool equal_heads() const override { return false; }  // layers differ

 private:
  double percent(std::size_t layer, std::size_t layers) const {
    if (layers < 2) return percents_.front();
    const double place =
        static_cast<double>(layer) * static_cast<double>(percents_.size() - 1) / static_cast<double>(layers - 1);
    const auto below = static_cast<std::size_t>(place);
    if (below + 1 >= percents_.size()) return percents_.back();
    return percents_[below] + (place - static_cast<double>(below)) * (percents_[below + 1] - percents_[below]);
  }

  std::vector<double> percents_;
};

}  // namespace

Expected<std::unique_ptr<Budget>> make_per_layer(const Parameters& parameters) {
  const std::string text = parameters.text("removed");
  std::vector<double> percents;
  for (const std::string_view piece : split_outside_parentheses(text, '/')) {
    int percent = -1;
    const auto [end, error] = std::from_chars(piece.data(), piece.data() + piece.size(), percent);
    if (error != std::errc{} || end != piece.data() + piece.size() || percent < 0 || percent > 99)
      return fail(ErrorCode::usage, "method 'per_layer': removed=" + text +
                                        ": give percents from 0 to 99 between slashes, those of the first and the "
                                        "last layer or one per layer, e.g. removed=25/75");
    percents.push_back(percent);
  }
  return std::make_unique<PerLayerBudget>(std::move(percents));
}

}  // namespace kvantage::inline budgets
