// Shared by the EvicPress and AdaptCache figures: a session on a workload, its quality curves, and policy runs under
// given budgets. Runs are recorded like any other.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/experiments/policy_outcome.h"
#include "core/experiments/studies/figure_arguments.h"
#include "core/experiments/studies/served_regime.h"
#include "core/report/figure.h"

namespace kvantage::inline studies {

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
StudyRun study_run_of(const RecordedRun& recorded);

/// A tier that served a cell.
struct ServedTier {
  std::string name;
  bool throttled = false;
  bool operator==(const ServedTier&) const = default;
};
std::vector<ServedTier> served_tiers(const Engine& engine);
/// "dram; ssd (throttled)".
std::string tiers_text(const std::vector<ServedTier>& tiers);

/// Serves the workload once under the settings.
Expected<StudyRun> run_study(FigureSession& session, const SessionSettings& settings,
                             const std::function<void(SessionSettings&)>& midway = {});

/// One run of one policy, for each seed.
struct StudyCell {
  std::string policy;
  double alpha = 0;            // 0: the session's
  double budget_fraction = 0;  // share of the uncompressed bytes, over all tiers unless in a regime
  double requests_per_second = 0;
  std::string condition = {};
  std::string extension = {};                         // as PolicyOutcome::extension
  const Regime* regime = nullptr;                     // its tiers: budget_fraction is the fastest one's
  std::vector<std::string> methods = {};              // to choose from; empty: the session's
  std::function<void(SessionSettings&)> change = {};  // applied after the above
  std::function<void(SessionSettings&)> midway = {};  // applied after half of the requests
  std::function<void(const Snapshot&)> look = {};     // called at the end of the run
};
struct StudyOutcomes {
  std::vector<PolicyOutcome> outcomes;  // parallel to the cells
  std::vector<std::string> tiers, runs;
  bool throttled = false;
  Json settings;
  RegimeRecord regime = {};
  std::size_t taken_over = 0;  // cells that an interrupted command had served
};
/// Of each cell the first one that measures the same. That is the cell itself, but for full_prefill: no budget changes
/// what stores nothing, so that one run stands for all budgets.
std::vector<std::size_t> measured_as(const std::vector<StudyCell>& cells);
/// All cells for all seeds of the arguments, the cells of a seed in an order drawn from it; those that measure the same
/// are served once (measured_as()). `cells`: made from the session of the first seed. Where the host keeps cells, what
/// an interrupted command has served is taken over.
Expected<StudyOutcomes> run_cells(const FigureArguments& arguments, const std::vector<std::string>& methods,
                                  const std::function<Expected<std::vector<StudyCell>>(const Engine&)>& cells);
/// The figure that `make` makes of the cells' outcomes.
Expected<std::vector<FigureResult>> run_study_figure(
    const FigureArguments& arguments, const std::function<Expected<std::vector<StudyCell>>(const Engine&)>& cells,
    const std::function<FigureResult(const StudyOutcomes& study)>& make);
/// Adds a cell like `like` for each alpha where the policy uses it, else one. usage error for an unknown policy.
Status add_cells(const std::string& policy, const std::vector<double>& alphas, const StudyCell& like,
                 std::vector<StudyCell>& cells);

/// Workload, methods, seeds and machine, as every figure names them.
Json study_settings(const FigureArguments& arguments, const Engine& engine);
/// Adds settings, runs and provenance of the study to a result that is made of its outcomes.
void add_study(FigureResult& result, const StudyOutcomes& study);
/// The same for a figure whose claims belong to the paper's regime.
void add_study_in_regime(FigureResult& result, const StudyOutcomes& study);

}  // namespace kvantage::inline studies
