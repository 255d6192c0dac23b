#include "ui/experiments/experiment_axes.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <QStringList>
#include <algorithm>
#include <cmath>

#include "core/base/form_text.h"
#include "core/policy/policy.h"
#include "core/ports/decode_eviction.h"
#include "ui/text/core_text.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

struct ExperimentAxes {
  Q_DECLARE_TR_FUNCTIONS(ExperimentAxes)
};

constexpr std::uint64_t max_seeds = 10'000, max_seed = 1'000'000'000, max_limit = 10'000'000;

tl::unexpected<Error> wrong(const QString& message) { return fail(ErrorCode::usage, from_q(message)); }

template <class T>
void add_new(std::vector<T>& all, T value) {
  if (std::ranges::find(all, value) == all.end()) all.push_back(std::move(value));
}

std::vector<QString> items_of(const QString& text) {
  std::vector<QString> items;
  for (const std::string& item : split_list(from_q(text))) items.push_back(to_q(item));
  return items;
}

/// Numbers from `least`, below or up to `most`.
Expected<std::vector<double>> read_numbers(const QString& text, double least, double most, const QString& example) {
  std::vector<double> numbers;
  for (const QString& item : items_of(text)) {
    bool is_number = false;
    const double value = item.toDouble(&is_number);
    if (!is_number || !std::isfinite(value) || value < least || value > most)
      return wrong(ExperimentAxes::tr("“%1” is not a number from %2 to %3. Write it like %4.")
                       .arg(item, number_text(least), number_text(most), example));
    add_new(numbers, value);
  }
  return numbers;
}

Expected<BudgetScale> read_budget(const QString& item) {
  auto scale = parse_budget_scale(from_q(item));
  if (scale) return scale;
  return wrong(ExperimentAxes::tr("“%1” is not a budget. Write a factor of the session's budget like 0.5, or a share "
                                  "of the uncompressed bytes like 20%.")
                   .arg(item));
}

}  // namespace

Expected<std::vector<SweepGrid::PolicyChoice>> read_policies(const QString& text) {
  std::vector<SweepGrid::PolicyChoice> choices;
  for (const std::string& item : split_policies(from_q(text))) {
    const auto policy = make_policy(item);
    if (!policy) return wrong(core_text(policy.error().message));
    const std::string name = (*policy)->name();
    if (std::ranges::find(choices, name, &SweepGrid::PolicyChoice::policy) == choices.end())
      choices.push_back({name, (*policy)->uses_alpha(), (*policy)->is_planner()});
  }
  if (choices.empty()) return wrong(ExperimentAxes::tr("Name at least one policy, like lru, evicpress."));
  return choices;
}

Expected<std::vector<double>> read_alphas(const QString& text) {
  std::vector<double> alphas;
  for (const QString& item : items_of(text)) {
    if (!item.contains(':')) {
      KV_ASSIGN(const auto one, read_numbers(item, 0, 1e9, QStringLiteral("0.1, 1, 10")));
      for (const double alpha : one) add_new(alphas, alpha);
      continue;
    }
    const auto grid = parse_log_grid(from_q(item));
    if (!grid) return wrong(ExperimentAxes::tr("“%1” is not a grid. Write FIRST:LAST:COUNT like 0.01:10:7.").arg(item));
    for (const double alpha : *grid) add_new(alphas, alpha);
  }
  return alphas.empty() ? std::vector<double>{1} : alphas;
}

Expected<std::vector<double>> read_rates(const QString& text) {
  KV_ASSIGN(auto rates, read_numbers(text, 0, 1e9, QStringLiteral("0, 2, 8")));
  return rates.empty() ? std::vector<double>{0} : std::move(rates);
}

Expected<std::vector<std::uint64_t>> read_seeds(const QString& text) {
  std::vector<std::uint64_t> seeds;
  for (const QString& item : items_of(text)) {
    const QStringList ends = item.split('-');
    bool has_first = false, has_last = false;
    const std::uint64_t first = ends.front().trimmed().toULongLong(&has_first),
                        last = ends.back().trimmed().toULongLong(&has_last);
    if (!has_first || !has_last || ends.size() > 2 || last < first || last > max_seed)
      return wrong(ExperimentAxes::tr("“%1” is not a seed. Write it like 0-4, 10.").arg(item));
    if (seeds.size() + (last - first) >= max_seeds)
      return wrong(ExperimentAxes::tr("More than %1 seeds. Write a shorter list.").arg(max_seeds));
    for (std::uint64_t seed = first; seed <= last; ++seed) add_new(seeds, seed);
  }
  return seeds.empty() ? std::vector<std::uint64_t>{0} : seeds;
}

Expected<std::vector<BudgetScale>> read_budgets(const QString& text) {
  std::vector<BudgetScale> budgets;
  for (const QString& item : items_of(text)) {
    KV_ASSIGN(auto budget, read_budget(item));
    add_new(budgets, std::move(budget));
  }
  return budgets;
}

Expected<std::vector<TierScale>> read_tier_budgets(const QString& tier, const QString& text) {
  std::vector<TierScale> budgets;
  for (const QString& item : items_of(text)) {
    if (item.contains('='))
      return wrong(ExperimentAxes::tr("This line is about %1 alone: leave its name out.").arg(tier));
    KV_ASSIGN(const auto budget, read_budget(item));
    add_new(budgets, {from_q(tier), budget.value, budget.of_uncompressed});
  }
  return budgets;
}

std::vector<BudgetScale> combined_budgets(const std::vector<std::vector<TierScale>>& tiers) {
  std::vector<BudgetScale> combined;
  for (const std::vector<TierScale>& tier : tiers) {
    if (tier.empty()) continue;
    if (combined.empty()) combined.emplace_back();
    std::vector<BudgetScale> longer;
    longer.reserve(combined.size() * tier.size());
    for (const BudgetScale& before : combined)
      for (const TierScale& own : tier) longer.emplace_back(before).tiers.push_back(own);
    combined = std::move(longer);
  }
  return combined;
}

Expected<std::vector<std::vector<std::string>>> read_method_sets(
    const QString& text, const std::function<Expected<QString>(const QString& text)>& read) {
  std::vector<std::vector<std::string>> sets;
  for (std::vector<std::string>& methods : parse_method_sets(from_q(text))) {
    for (std::string& method : methods) {
      if (!read) continue;
      const auto canonical = read(to_q(method));
      if (!canonical) return wrong(core_text(canonical.error().message));
      method = from_q(*canonical);
    }
    add_new(sets, std::move(methods));
  }
  return sets;
}

Expected<std::vector<double>> read_removed_fractions(const QString& text) {
  KV_ASSIGN(auto fractions, read_numbers(text, 0, 1, QStringLiteral("0.2, 0.5, 0.8")));
  if (std::ranges::find(fractions, 1.0) != fractions.end())
    return wrong(ExperimentAxes::tr("1 removes every token. Write fractions below 1, like 0.2, 0.5, 0.8."));
  return fractions;
}

Expected<std::vector<std::string>> read_decode_evictions(const QString& text) {
  std::vector<std::string> methods;
  for (const QString& item : items_of(text)) {
    if (from_q(item) == planned_decode_eviction) {
      add_new(methods, from_q(item));
      continue;
    }
    const auto method = parse_decode_eviction(from_q(item));
    if (!method) return wrong(core_text(method.error().message));
    add_new(methods, *method ? (*method)->text() : std::string("none"));
  }
  return methods;
}

QString short_numbers(const std::string& text) {
  static const QRegularExpression whole(QStringLiteral("\\.0(?![0-9])"));
  return to_q(text).remove(whole);
}

Expected<std::uint64_t> read_limit(const QString& text) {
  if (text.trimmed().isEmpty()) return std::uint64_t{0};
  bool is_number = false;
  const std::uint64_t limit = text.trimmed().toULongLong(&is_number);
  if (!is_number || limit > max_limit)
    return wrong(ExperimentAxes::tr("“%1” is not a whole number from 0 to %2.").arg(text.trimmed()).arg(max_limit));
  return limit;
}

}  // namespace kvantage
