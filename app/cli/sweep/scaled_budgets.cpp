#include "app/cli/sweep/scaled_budgets.h"

#include <algorithm>

#include "core/base/json.h"
#include "core/experiments/studies/study_cells.h"

namespace kvantage::cli {
namespace {

Expected<std::vector<TierConfig>> scaled_alike(const Engine& engine, std::vector<TierConfig> tiers, double value,
                                               bool of_uncompressed) {
  if (of_uncompressed) return budgets_of_uncompressed(engine, std::move(tiers), value);
  for (TierConfig& tier : tiers)
    if (!tier.budget.is_unlimited())
      tier.budget = static_cast<std::uint64_t>(static_cast<double>(tier.budget.bytes()) * value);
  return tiers;
}

}  // namespace

Expected<std::vector<TierConfig>> scaled_budgets(const Engine& engine, std::vector<TierConfig> tiers,
                                                 const BudgetScale& budget) {
  if (budget.tiers.empty()) return scaled_alike(engine, std::move(tiers), budget.value, budget.of_uncompressed);
  for (const TierScale& scale : budget.tiers) {
    const auto tier = std::ranges::find(tiers, scale.tier, &TierConfig::name);
    if (tier == tiers.end())
      return fail(ErrorCode::usage, "--budgets: the session has no tier '" + printable(scale.tier) +
                                        "'; name one of its tiers, or leave the name out for all of them");
    KV_ASSIGN(const auto own, scaled_alike(engine, {*tier}, scale.value, scale.of_uncompressed));
    *tier = own.front();
  }
  return tiers;
}

}  // namespace kvantage::cli
