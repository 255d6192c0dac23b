#include "app/cli/simulate/simulated_preset.h"

#include <variant>

#include "app/cli/base/recorded_runs.h"
#include "app/wiring/resources.h"
#include "core/base/clock.h"
#include "core/imported/imported_date.h"
#include "core/imported/read_foreign.h"
#include "core/imported/use_imported.h"
#include "core/ports/recorded_snapshot.h"
#include "core/report/recorded_run.h"
#include "core/report/report_bounds.h"
#include "core/simulator/fitted_preset.h"
#include "profiles/stores.h"

namespace kvantage::cli {
namespace {

/// The final fits and quality curves of a recorded run.
Expected<SimulatorPreset> preset_of_run(const SimulateArguments& arguments) {
  KV_ASSIGN(const auto stores, open_stores(arguments.database, StoreAccess::read_only, machine_clock()));
  KV_ASSIGN(const auto all, stores->runs().runs());
  const auto selected = find_runs(all, arguments.run.empty() ? "last" : arguments.run);
  if (!selected) return fail(selected.error().code, arguments.database.string() + ": " + selected.error().message);
  const std::string id = selected->back().run_id;
  KV_ASSIGN(auto events, stores->runs().events(id, {"snapshot.taken", "costs.fitted"}));
  const std::vector<RecordedRun> recorded{{selected->back(), std::move(events)}};
  if (const Status bounded = check_report_bounds(recorded); !bounded)
    return fail(bounded.error().code, arguments.database.string() + ": " + bounded.error().message);
  std::optional<Snapshot> snapshot;
  for (const Event& event : recorded.front().events) {
    if (const auto* taken = std::get_if<events::SnapshotTaken>(&event.payload)) snapshot = snapshot_of(*taken);
    if (const auto* costs = std::get_if<events::CostsFitted>(&event.payload); costs != nullptr && snapshot)
      use_costs(*snapshot, *costs);
  }
  if (!snapshot)
    return fail(ErrorCode::rejected_input,
                arguments.database.string() + ": run " + id + " has no fitted costs; give a newer run with --run");
  return preset_of(*snapshot, id);
}

}  // namespace

Expected<std::vector<SimulatorPreset>> all_presets() { return read_presets(program_home() / "resources" / "presets"); }

Expected<std::optional<SimulatorPreset>> chosen_preset(const SimulateArguments& arguments) {
  if (!arguments.database.empty()) {
    if (!arguments.preset.empty())
      return fail(ErrorCode::usage, "--preset and --db exclude each other; give one of them");
    KV_ASSIGN(auto preset, preset_of_run(arguments));
    return std::optional(std::move(preset));
  }
  if (arguments.preset.empty()) return std::optional<SimulatorPreset>();
  KV_ASSIGN(const auto presets, all_presets());
  KV_ASSIGN(auto preset, find_preset(presets, arguments.preset));
  return std::optional(std::move(preset));
}

Expected<std::vector<ImportedSource>> use_imports(const SimulateArguments& arguments,
                                                  std::optional<SimulatorPreset>& preset) {
  std::vector<ImportedSource> sources;
  if (arguments.profiles.empty() && arguments.ttft_table.empty()) return sources;
  if (!preset)
    return fail(ErrorCode::usage,
                "--profiles, --ttft-table: bytes per token are unknown without a model; give a --preset");
  const std::string date = date_of(machine_clock()->utc_ns());
  if (!arguments.profiles.empty()) {
    ForeignOptions options;
    options.date = date;
    KV_ASSIGN(const auto profile, read_foreign(arguments.profiles, options));
    KV_TRY(use_profile(*preset, profile));
    sources.push_back(profile.source);
  }
  if (arguments.ttft_table.empty()) return sources;
  KV_ASSIGN(const auto times, read_ttft_table(arguments.ttft_table, {}, date));
  KV_TRY(use_times(*preset, times));
  sources.push_back(times.source);
  return sources;
}

}  // namespace kvantage::cli
