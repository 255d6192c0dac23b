// Shared by the EvicPress and AdaptCache figures: a session on a workload, its quality curves, and policy runs under
// given budgets. Runs are recorded like any other.
#pragma once

#include <functional>

#include "app/cli/reproduce/reproduce.h"
#include "app/cli/session_options.h"
#include "core/experiments/policy_outcome.h"

namespace kvantage::cli {

/// Opened on the workload of the arguments, with profiles of all its candidates.
Expected<LiveSession> open_study(const ReproduceArguments& arguments, std::uint64_t seed,
                                 const std::vector<std::string>& methods, ConsoleSink& console);

struct StudyRun {
  std::string run_id;
  std::vector<RequestRecord> records;  // without the warm-up
  ReprofilingCost cost;
  std::optional<ServingCost> serving;
};
/// Serves the workload once under the settings.
Expected<StudyRun> run_study(LiveSession& session, ConsoleSink& console, const SessionSettings& settings,
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
  bool shaped = false;
  Json settings;
};
/// All cells for all seeds of the arguments. `cells`: built from the session, the same for each seed.
Expected<StudyOutcomes> run_cells(const ReproduceArguments& arguments, const std::vector<std::string>& methods,
                                  const std::function<Expected<std::vector<StudyCell>>(const Engine&)>& cells);
/// The requested alphas, else five around the session's scale.
Expected<std::vector<double>> study_alphas(const ReproduceArguments& arguments, const Engine& engine);
/// Figures 000/8, 000/10, 000/limits and 001/2.
std::vector<std::string> load_figures();
Status reproduce_load(const ReproduceArguments& arguments);

/// Workload, methods, seeds and machine, as listed by every figure.
Json study_settings(const ReproduceArguments& arguments, const Engine& engine);

}  // namespace kvantage::cli
