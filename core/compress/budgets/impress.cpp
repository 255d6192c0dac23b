#include <algorithm>

#include "core/compress/budgets/budget.h"
#include "core/compress/budgets/probe_agreement.h"

namespace kvantage::inline budgets {
namespace {

/// Whether a few heads decide for all (IMPRESS, Chen et al. 2025). Where the best tokens of the first `probes` KV heads
/// are similar, all heads of the layer keep their union; otherwise the layer keeps everything (probe_agreement.h).
class ImpressBudget final : public Budget {
 public:
  explicit ImpressBudget(std::size_t probes) : probes_(probes) {}
  std::vector<KeptIndices> keep(const LayerScores& scores, double removed_fraction) const override {
    const std::size_t tokens = scores.tokens(), count = kept_tokens(tokens, removed_fraction);
    std::vector<KeptIndices> kept;
    kept.reserve(scores.layers.size());
    for (const auto& heads : scores.layers) {
      std::vector<std::vector<std::int32_t>> best;
      for (std::size_t h = 0; h < std::min(probes_, heads.size()); ++h) best.push_back(best_tokens(heads[h], count));
      const auto agreed = agreed_tokens(best, count, tokens);
      kept.push_back(agreed ? KeptIndices(heads.size(), *agreed) : best_of_each_head(heads, tokens));
    }
    return kept;
  }
  bool equal_heads() const override { return false; }  // layers differ

 private:
  std::size_t probes_;
};

}  // namespace

Expected<std::unique_ptr<Budget>> make_impress(const Parameters& parameters) {
  KV_ASSIGN(const auto probes, parameters.integer("probes", 1, 4096));
  return std::make_unique<ImpressBudget>(static_cast<std::size_t>(probes));
}

}  // namespace kvantage::inline budgets
