// Rules out budgets within which no assignment meets a target, by the bounds of target_search.h.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "core/policy/explain/target_search.h"
#include "core/policy/planning_problem.h"

namespace kvantage::inline explain {

using TierBudgets = std::vector<std::uint64_t>;
constexpr std::uint64_t no_budget_limit = std::numeric_limits<std::uint64_t>::max();
constexpr double target_p95 = 0.95;

/// `family` empty: every context.
inline bool counts_in(const std::string& family, const ContextState& context) {
  return family.empty() || context.family == family;
}

class TargetCuts {
 public:
  using GivenUp = std::function<bool()>;

  /// `question` outlives this. Given up: fewer budgets are ruled out.
  TargetCuts(const TargetQuestion& question, QualityReading reading, const GivenUp& given_up);
  bool rules_out(const TierBudgets& budgets) const;

 private:
  struct Cut {
    std::vector<double> prices;       // per byte, by tier
    double constant = 0, wanted = 0;  // of the bound; what it must reach
  };
  void set_budgets(double share);
  std::vector<double> prices_at(double alpha) const;
  void add_mean_cuts(const GivenUp& given_up);
  void add_p95_cuts(double limit, const GivenUp& given_up);
  void add_means(double per_quality, double per_second, std::vector<double> prices);
  template <class Worth>
  void add(const Worth& worth, double wanted, std::vector<double> prices);
  template <class Worth>
  double best_worth(const PlanningItem& item, const Worth& of_request, const std::vector<double>& prices) const;

  const TargetQuestion& question_;
  PlanningProblem problem_;
  std::vector<bool> counts_;  // by context: whether it is of the family
  double frequency_ = 0;      // of those that are
  std::vector<Cut> cuts_;
};

}  // namespace kvantage::inline explain
