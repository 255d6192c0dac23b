#include <algorithm>
#include <cmath>
#include <set>

#include "core/compress/budgets/budget.h"

namespace kvantage::inline budgets {
namespace {

/// Whether a few heads decide for all (IMPRESS, Chen et al. 2025). Where the best tokens of the first `probes` KV heads
/// are similar, all heads of the layer keep their union; otherwise the layer keeps everything. Similar: the mean
/// pairwise Jaccard index is at least j^0.6, where j = (k/n) / (2 - k/n) is that of random choices of k among n.
class ImpressBudget final : public Budget {
 public:
  explicit ImpressBudget(std::size_t probes) : probes_(probes) {}
  std::vector<KeptIndices> keep(const LayerScores& scores, double removed_fraction) const override {
    const std::size_t tokens = scores.tokens(), count = kept_tokens(tokens, removed_fraction);
    const double share = static_cast<double>(count) / static_cast<double>(tokens);
    const double alike = std::pow(share / (2 - share), 0.6);
    std::vector<KeptIndices> kept;
    for (const auto& heads : scores.layers) {
      std::vector<std::vector<std::int32_t>> best;
      for (std::size_t h = 0; h < std::min(probes_, heads.size()); ++h) best.push_back(best_tokens(heads[h], count));
      std::set<std::int32_t> all;
      for (const auto& one : best) all.insert(one.begin(), one.end());
      kept.push_back(mean_jaccard(best) >= alike ? KeptIndices(heads.size(), {all.begin(), all.end()})
                                                 : best_of_each_head(heads, tokens));
    }
    return kept;
  }
  bool equal_heads() const override { return false; }  // layers differ

 private:
  static double mean_jaccard(const std::vector<std::vector<std::int32_t>>& sets) {
    double sum = 0;
    int pairs = 0;
    for (std::size_t a = 0; a < sets.size(); ++a)
      for (std::size_t b = a + 1; b < sets.size(); ++b, ++pairs) {
        std::vector<std::int32_t> both;
        std::ranges::set_intersection(sets[a], sets[b], std::back_inserter(both));
        sum += static_cast<double>(both.size()) / static_cast<double>(sets[a].size() + sets[b].size() - both.size());
      }
    return pairs == 0 ? 1 : sum / pairs;
  }

  std::size_t probes_;
};

}  // namespace

Expected<std::unique_ptr<Budget>> make_impress(const Parameters& parameters) {
  KV_ASSIGN(const auto probes, parameters.integer("probes", 1, 4096));
  return std::make_unique<ImpressBudget>(static_cast<std::size_t>(probes));
}

}  // namespace kvantage::inline budgets
