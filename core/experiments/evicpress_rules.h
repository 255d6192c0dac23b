// The rules by which runs of evicpress chose: the paper's own, and ours. Claims of the paper are held against its own.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/experiments/policy_outcome.h"
#include "core/report/figure.h"

namespace kvantage::inline experiments {

struct EvicPressRule {
  std::string name;  // "section 4.4", "algorithm 1", "section 4.4, pooled qualities, drop=best (ours)"
  bool is_papers = false;
};
/// Of a policy's text; nothing for other policies.
std::optional<EvicPressRule> evicpress_rule(const std::string& policy);

/// What rows of evicpress have beyond the paper's system (PolicyOutcome::extension).
inline constexpr const char* codecs_extension = "codecs (EvicPress section 8, extension)";
inline constexpr const char* compute_or_load_extension =
    "codecs (EvicPress section 8, extension), compute or load (ours)";

/// Runs of one rule with one extension.
struct RuleOutcomes {
  EvicPressRule rule;
  Outcomes outcomes;
};
/// Runs of evicpress under one budget, in the order of their first run.
std::vector<RuleOutcomes> by_rule(const std::vector<PolicyOutcome>& outcomes, double budget_fraction);

/// Of these runs those of evicpress by section 4.4, or where there is none by algorithm 1; else none.
Outcomes of_papers_rule(const Outcomes& outcomes);
/// The runs of evicpress that a figure compares with others: of_papers_rule(), or all where there is none.
Outcomes compared_runs(const Outcomes& of_evicpress);

/// Their names (name_of), of all outcomes.
std::set<std::string> compared_names(const std::vector<PolicyOutcome>& outcomes);

/// What a result says of itself: by which rule evicpress chose, and where it was not the paper's, that no claim is
/// compared. Returns whether it was.
bool name_rule(FigureResult& result, const std::vector<PolicyOutcome>& outcomes);

inline constexpr const char* no_papers_rule =
    "the paper's rule was not run, which is evicpress(quality=raw): no claim of the paper is compared";

}  // namespace kvantage::inline experiments
