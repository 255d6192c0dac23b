// Plans of sweeps as files: what `sweep --plan` and the window's experiments read. A plan that was never served lacks
// the digests of its workload and model.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "app/wiring/remote_consent.h"
#include "core/sweep/sweep_plan.h"

namespace kvantage::cli {

struct PlanCheck {
  /// Who chose the servers of its tiers: workers and files refuse what a plan must not choose.
  RemoteConsent remotes = {};
  /// Where its model is on this machine; empty: where the plan says.
  std::string model = {};
  /// Notes on the names of its tiers.
  std::function<void(const std::string& note)> say = {};
};

/// Adds digests and group. Loads the model. usage, rejected_input where a session with the plan's common settings could
/// not be opened, or where it names a policy that cannot be served.
Status complete_plan(SweepPlan& plan, const PlanCheck& check);
/// Reads a plan; one without digests is completed, in the file as well. rejected_input for a plan without cells, or
/// one whose workload or model is another one here.
Expected<SweepPlan> read_plan_file(const std::filesystem::path& file, const PlanCheck& check);

}  // namespace kvantage::cli
