// kvantage-cli fleet: many engines that share one store, planned by exchanged prices and simulated.
#include <algorithm>
#include <memory>
#include <thread>

#include "app/cli/base/interrupts.h"
#include "app/cli/base/json_output.h"
#include "app/cli/base/progress_line.h"
#include "app/cli/commands.h"
#include "app/cli/fleet/fleet_options.h"
#include "app/cli/fleet/fleet_output.h"
#include "app/cli/session_options.h"
#include "core/base/executor.h"

namespace kvantage::cli {
namespace {

Status run_fleet(const FleetArguments& arguments) {
  KV_ASSIGN(const auto fleet, prepare_fleet(arguments));
  note_interrupts();
  FleetHooks hooks;
  hooks.executor = &system_executor();
  hooks.threads = arguments.threads > 0 ? arguments.threads : std::max(1U, std::thread::hardware_concurrency());
  hooks.cancelled = interrupted;
  if (!arguments.quiet)
    hooks.progress = [](const std::string& stage, double done, double total) {
      stderr_progress().show(stage, done, total);
    };
  const auto epochs = simulate_fleet(fleet.setup, hooks, hooks.executor->clock());
  stderr_progress().clear();
  if (!epochs) return tl::unexpected(epochs.error());
  if (!epochs->empty()) {
    if (arguments.json)
      print_json(fleet_json(arguments, fleet, *epochs));
    else
      print_fleet(arguments, fleet, *epochs);
  }
  if (epochs->size() < arguments.epochs)
    return fail(ErrorCode::cancelled, epochs->empty() ? "interrupted before the first epoch was planned"
                                                      : "interrupted; the epochs that were planned are shown");
  return {};
}

}  // namespace

void add_fleet(CLI::App& parent, CommandResult& result) {
  auto arguments = std::make_shared<FleetArguments>();
  CLI::App& command =
      *parent.add_subcommand("fleet", "Plan many engines that share one store, by exchanged prices (simulated)");
  add_fleet_options(command, *arguments);
  command.callback([arguments, &result] {
    const Status done = run_fleet(*arguments);
    result.exit_code = done ? 0 : report_error(done.error());
  });
}

}  // namespace kvantage::cli
