#include "core/policy/explain/target_cuts.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/policy/lp_bound.h"

namespace kvantage::inline explain {

namespace {

constexpr double cut_rounding = 1e-9;                // of sums of the same numbers in another order
constexpr double shares_of_budgets[] = {0, 0.5, 1};  // where prices are taken from

}  // namespace

TargetCuts::TargetCuts(const TargetQuestion& question, QualityReading reading, const GivenUp& given_up)
    : question_(question), problem_(question.snapshot, reading) {
  counts_.reserve(problem_.items().size());
  for (std::size_t i = 0; i < problem_.items().size(); ++i) {
    counts_.push_back(counts_in(question_.family, question_.snapshot.contexts[i]));
    if (counts_.back()) frequency_ += problem_.items()[i].frequency;
  }
  if (!(frequency_ > 0)) return;  // of equal weights: no bound is known
  const PlanTarget& target = question_.target;
  if (target.quality) add_means(1, 0, std::vector<double>(problem_.tiers(), 0));
  if (!target.ttft_seconds) return;
  if (target.ttft_of == TargetTtft::p95)
    add_p95_cuts(*target.ttft_seconds, given_up);
  else
    add_mean_cuts(given_up);
}

bool TargetCuts::rules_out(const TierBudgets& budgets) const {
  return std::any_of(cuts_.begin(), cuts_.end(), [&](const Cut& cut) {
    double bound = cut.constant;
    for (std::size_t t = 0; t < budgets.size(); ++t)
      if (cut.prices[t] > 0) bound += cut.prices[t] * static_cast<double>(budgets[t]);
    return bound < cut.wanted - cut_rounding * (std::abs(cut.constant) + std::abs(cut.wanted) + std::abs(bound));
  });
}

/// The budgets at a share of the way through those tried.
void TargetCuts::set_budgets(double share) {
  for (std::size_t t = 0; t < question_.budgets.size(); ++t) {
    const TierBudgets& tier = question_.budgets[t];
    problem_.set_budget(t, tier[static_cast<std::size_t>(share * static_cast<double>(tier.size() - 1))]);
  }
}

/// Any prices make a valid bound; those of the linear relaxation make a tight one.
std::vector<double> TargetCuts::prices_at(double alpha) const {
  std::vector<double> prices = lp_prices(problem_, alpha);
  prices.resize(problem_.tiers(), 0);
  for (std::size_t t = 0; t < prices.size(); ++t)
    if (!(prices[t] > 0) || question_.budgets[t].back() == no_budget_limit) prices[t] = 0;
  return prices;
}

void TargetCuts::add_mean_cuts(const GivenUp& given_up) {
  for (const double share : shares_of_budgets) {
    if (given_up && given_up()) return;
    set_budgets(share);
    add_means(0, 1, prices_at(0));
    if (!question_.target.quality || question_.alphas.empty()) continue;
    constexpr std::size_t weights = 6;
    for (std::size_t w = 0; w < weights; ++w) {
      const double alpha = question_.alphas[(question_.alphas.size() - 1) * w / (weights - 1)];
      add_means(alpha, 1, prices_at(alpha));
    }
  }
}

void TargetCuts::add_means(double per_quality, double per_second, std::vector<double> prices) {
  add([&](double quality, double seconds) { return per_quality * quality - per_second * seconds; },
      per_quality * question_.target.quality.value_or(0) - per_second * question_.target.ttft_seconds.value_or(0),
      std::move(prices));
}

/// Prices of seconds become prices of requests that are fast enough, if one of these saves about `limit`.
void TargetCuts::add_p95_cuts(double limit, const GivenUp& given_up) {
  const auto fast = [limit](double, double seconds) { return seconds <= limit * (1 + cut_rounding) ? 1.0 : 0.0; };
  add(fast, target_p95, std::vector<double>(problem_.tiers(), 0));
  if (!(limit > 0)) return;
  for (const double share : shares_of_budgets) {
    if (given_up && given_up()) return;
    set_budgets(share);
    const std::vector<double> of_seconds = prices_at(0);
    for (const double scale : {0.25, 1.0, 4.0}) {
      std::vector<double> prices = of_seconds;
      for (double& price : prices) price *= scale / limit;
      add(fast, target_p95, std::move(prices));
    }
  }
}

/// `worth(quality, seconds)` of a request must be at least `wanted` in the mean.
template <class Worth>
void TargetCuts::add(const Worth& worth, double wanted, std::vector<double> prices) {
  Cut cut{std::move(prices), 0, frequency_ * wanted};
  for (std::size_t i = 0; i < problem_.items().size(); ++i)
    if (counts_[i]) cut.constant += best_worth(problem_.items()[i], worth, cut.prices);
  cuts_.push_back(std::move(cut));
}

template <class Worth>
double TargetCuts::best_worth(const PlanningItem& item, const Worth& of_request,
                              const std::vector<double>& prices) const {
  const auto worth = [&](double quality, double seconds) { return item.frequency * of_request(quality, seconds); };
  const auto stored = [&](std::size_t option, std::size_t tier) {
    return worth(problem_.quality(option), problem_.ttft_seconds(option, tier)) -
           prices[tier] * static_cast<double>(problem_.bytes(option));
  };
  const double unstored = worth(item.prefill_quality, item.prefill_seconds);
  if (item.fixed)
    return item.fixed_tier == not_stored ? unstored : stored(item.first, static_cast<std::size_t>(item.fixed_tier));
  double best = unstored;
  for (std::size_t t = 0; t < problem_.tiers(); ++t) {
    const std::uint64_t largest = question_.budgets[t].back();  // what is larger fits into none of those tried
    const std::size_t end = std::size_t{item.first} + item.count;
    for (std::size_t o = item.first; o < end && problem_.bytes(o) <= largest; ++o) best = std::max(best, stored(o, t));
  }
  return best;
}

}  // namespace kvantage::inline explain
