// Figures of EvicPress that compare policies on one workload: TTFT against quality over all families (7) and by family
// (12), hits and quality (9), and the choices on each tier (11).
#pragma once

#include "core/experiments/paper_figures.h"
#include "core/experiments/policy_outcome.h"
#include "core/policy/types.h"
#include "core/report/figure.h"

namespace kvantage::inline experiments {

/// The default policies of evicpress/fig7, 9, 11 and 12: all but `optimal`, which is for small problems.
std::vector<std::string> compared_policies(std::vector<std::string> fixed_forms);

/// evicpress/fig7. Policies are distinguished by their text: full_prefill, lru, fixed(...), impress(...), evicpress...
/// `tiers`: names, fastest first, for the breakdown of TTFT; sources of hits that are not among them follow.
FigureResult figure_frontier(const PaperFigure& figure, const std::vector<PolicyOutcome>& outcomes,
                             const std::vector<std::string>& tiers = {});
/// evicpress/fig12: the speedup of evicpress over the fixed policies in every family.
FigureResult figure_frontier_by_family(const PaperFigure& figure, const std::vector<PolicyOutcome>& outcomes);
/// Of `others`, with at most 1 % less quality than ours (equal_quality), the one that the fastest tier served most
/// often; null: none has the quality.
const PolicyOutcome* most_hits_at_quality_of(const PolicyOutcome& our, const Outcomes& others,
                                             const std::string& fast_tier);

/// evicpress/fig9: for each tier the requests that it served against quality, then all shares as numbers. `tiers`:
/// names, fastest first. What impress reads from copies of chunks counts as served by the fastest, by bytes. Claims are
/// about the first two tiers, under the budget nearest to the paper's.
FigureResult figure_hits(const PaperFigure& figure, const std::vector<PolicyOutcome>& outcomes,
                         const std::vector<std::string>& tiers);

/// A placement at the end of a run.
struct ChosenForm {
  std::string tier, method;
  double removed_fraction = 0;
  std::string context = {};
  std::size_t tier_rank = 0;   // 0: the fastest
  double bytes_share = 0;      // of the uncompressed bytes; 0: unknown
  double budget_fraction = 0;  // of the run, as in PolicyOutcome; 0: unknown
};
std::vector<ChosenForm> chosen_forms(const Snapshot& snapshot, double budget_fraction);
/// evicpress/fig11: methods and removed fractions that one policy chose on each tier. Claims are about the first two
/// tiers, under the budget nearest to the paper's.
FigureResult figure_choices(const PaperFigure& figure, const std::vector<ChosenForm>& chosen, const std::string& policy,
                            double alpha);

}  // namespace kvantage::inline experiments
