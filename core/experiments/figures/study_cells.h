// Shared by the EvicPress and AdaptCache figures: a session on a workload, its quality curves, and policy runs under
// given budgets. Runs are recorded like any other.
#pragma once

#include <functional>

#include "core/experiments/figures/figure_makers.h"
#include "core/experiments/policy_outcome.h"

namespace kvantage::inline figures {

/// `tiers` with this share of the contexts' uncompressed bytes together; shares among them as they are. usage where one
/// is unlimited.
Expected<std::vector<TierConfig>> budgets_of_uncompressed(const Engine& engine, std::vector<TierConfig> tiers,
                                                          double fraction);

struct StudyRun {
  std::string run_id;
  std::vector<RequestRecord> records;  // without the warm-up
  ReprofilingCost cost;
  std::optional<ServingCost> serving;
};
/// Serves the workload once under the settings.
Expected<StudyRun> run_study(FigureSession& session, const SessionSettings& settings,
                             const std::function<void(SessionSettings&)>& midway = {});

/// One run of one policy, for each seed.
struct StudyCell {
  std::string policy;
  double alpha = 0;  // 0: the session's
  double budget_fraction = 0;
  double requests_per_second = 0;
  std::string condition = {};
  std::function<void(SessionSettings&)> change = {};  // applied after the above
  std::function<void(SessionSettings&)> midway = {};  // applied after half of the requests
  std::function<void(const Snapshot&)> look = {};     // called at the end of the run
};
struct StudyOutcomes {
  std::vector<PolicyOutcome> outcomes;  // parallel to the cells
  std::vector<std::string> tiers, runs;
  bool throttled = false;
  Json settings;
};
/// All cells for all seeds of the arguments, the cells of a seed in an order drawn from it. `cells`: made from the
/// session, the same for each seed.
Expected<StudyOutcomes> run_cells(const FigureArguments& arguments, const std::vector<std::string>& methods,
                                  const std::function<Expected<std::vector<StudyCell>>(const Engine&)>& cells);
/// The requested alphas, otherwise five scaled to the profiles of the session.
Expected<std::vector<double>> study_alphas(const FigureArguments& arguments, const Engine& engine);
/// Figures evicpress/fig8, evicpress/fig10, evicpress/limits and adaptcache/fig2.
std::vector<std::string> load_figures();
Status reproduce_load(const FigureArguments& arguments);

/// Workload, methods, seeds and machine, as every figure names them.
Json study_settings(const FigureArguments& arguments, const Engine& engine);

}  // namespace kvantage::inline figures
