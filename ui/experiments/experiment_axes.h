// The lists of an experiment's form, from text: each function reads one line. Errors are for the line that holds the
// text. Equal elements count once.
#pragma once

#include <QString>
#include <functional>
#include <vector>

#include "core/sweep/sweep_plan.h"

namespace kvantage {

/// "lru, evicpress"
Expected<std::vector<SweepGrid::PolicyChoice>> read_policies(const QString& text);
/// "0.1, 1" and grids "0.01:10:7", mixed.
Expected<std::vector<double>> read_alphas(const QString& text);
/// Requests per second from 0, where 0 is a closed loop.
Expected<std::vector<double>> read_rates(const QString& text);
/// "0-4, 10"; at most 10,000 of them.
Expected<std::vector<std::uint64_t>> read_seeds(const QString& text);
/// "0.5, 20%, dram=10%+ssd=40%"
Expected<std::vector<BudgetScale>> read_budgets(const QString& text);
/// Of one tier: "0.5, 20%".
Expected<std::vector<TierScale>> read_tier_budgets(const QString& tier, const QString& text);
/// Every combination of the tiers' lists; lists that are empty are left out.
std::vector<BudgetScale> combined_budgets(const std::vector<std::vector<TierScale>>& tiers);
/// "keydiff, snapkv | kivi4": sets. `read`: canonical text of a method; may be empty.
Expected<std::vector<std::vector<std::string>>> read_method_sets(
    const QString& text, const std::function<Expected<QString>(const QString& text)>& read);
/// Fractions from 0 to below 1.
Expected<std::vector<double>> read_removed_fractions(const QString& text);
/// "none, planned, knorm(budget=25%)", canonical.
Expected<std::vector<std::string>> read_decode_evictions(const QString& text);
/// "10.0%" as "10%": whole numbers without a fraction.
QString short_numbers(const std::string& text);
/// 0 to 10 million; empty: 0.
Expected<std::uint64_t> read_limit(const QString& text);

}  // namespace kvantage
