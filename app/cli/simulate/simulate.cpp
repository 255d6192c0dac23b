// kvantage-cli simulate: runs a trace through caches of given sizes on a virtual clock, under one or several policies.
#include <chrono>
#include <cstdio>
#include <memory>

#include "app/cli/base/drawing.h"
#include "app/cli/base/json_output.h"
#include "app/cli/base/progress_line.h"
#include "app/cli/commands.h"
#include "app/cli/session_options.h"
#include "app/cli/simulate/beyond_fit.h"
#include "app/cli/simulate/policy_replay.h"
#include "app/cli/simulate/simulate_curve.h"
#include "app/cli/simulate/simulate_options.h"
#include "app/cli/simulate/simulate_output.h"
#include "app/cli/simulate/simulated_preset.h"
#include "app/cli/simulate/simulation.h"

namespace kvantage::cli {
namespace {

Expected<SimulatedTable> simulate(const SimulateArguments& arguments) {
  if (arguments.trace.empty() && !arguments.preset.empty()) KV_TRY(chosen_preset(arguments));
  if (arguments.trace.empty())
    return fail(ErrorCode::usage, "no trace is given; give the file of a trace, or --list-presets");
  KV_TRY(check_simulate_options(arguments));
  KV_ASSIGN(auto made, prepare_simulation(arguments));
  KV_ASSIGN(const auto trace, open_trace(std::filesystem::path(arguments.trace), arguments.options));
  KV_TRY(choose_mode(arguments, trace->facts(), made));
  for (const std::string& policy : made.policies) {
    made.table.planned_quality = made.table.planned_quality || !is_order(policy);
    const auto begin = std::chrono::steady_clock::now();
    KV_ASSIGN(auto row, run_policy(arguments, made, policy));
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (!arguments.quiet) {
      char rate[32];
      std::snprintf(rate, sizeof rate, "%.3g", static_cast<double>(row.totals.requests) / seconds);
      stderr_progress().say(policy + ": " + rate + " requests per second, including reading the trace");
    }
    made.table.rows.push_back(std::move(row));
  }
  if (std::string note = missing_range_note(made); !note.empty()) made.table.notes.push_back(std::move(note));
  return std::move(made.table);
}

/// --mrc instead of policies.
Status run_curve(const SimulateArguments& arguments, const CLI::App& command) {
  if (arguments.trace.empty()) return fail(ErrorCode::usage, "no trace is given; give the file of a trace");
  for (const char* option : {"--policy", "--capacity-blocks", "--block-tokens", "--tier", "--preset", "--profiles",
                             "--ttft-table", "--db", "--run", "--dataset", "--quality-spread", "--beyond-fit", "--rate",
                             "--servers", "--output-token-seconds", "--alpha"})
    if (command.get_option(option)->count() > 0)
      return fail(ErrorCode::usage,
                  std::string("--mrc: has LRU caches of every size and no times, so it does not read ") + option +
                      "; leave it or --mrc out");
  const FigurePictures asked{.file = arguments.picture};
  if (!arguments.picture.empty()) {
    if (const Status drawn = check_pictures(asked); !drawn)
      return fail(drawn.error().code, "--picture: " + drawn.error().message);
  }
  KV_ASSIGN(const auto figure,
            miss_ratio_figure({arguments.trace, arguments.options, arguments.mode, arguments.curve_keys}));
  if (arguments.json)
    print_json(to_json(figure), 2);
  else
    std::printf("%s", to_text(figure).c_str());
  if (arguments.picture.empty()) return {};
  KV_ASSIGN(const auto written, draw_pictures({figure}, asked));
  for (const WrittenPicture& one : written)
    if (!arguments.quiet) stderr_progress().say("picture: " + one.file.string());
  return {};
}

int run_simulation(const SimulateArguments& arguments, const CLI::App& command) {
  if (arguments.curve) {
    const Status drawn = run_curve(arguments, command);
    return drawn ? 0 : report_error(drawn.error());
  }
  if (arguments.list || arguments.preset == "list") {  // as it was spelled before
    const auto presets = all_presets();
    if (!presets) return report_error(presets.error());
    if (arguments.json) {
      print_json(json_of(*presets));
    } else {
      print_presets(*presets);
    }
    return 0;
  }
  const auto table = simulate(arguments);
  if (!table) return report_error(table.error());
  if (arguments.json) {
    print_json(json_of(*table));
  } else {
    print(*table);
  }
  return 0;
}

}  // namespace

void add_simulate(CLI::App& parent, CommandResult& result) {
  auto arguments = std::make_shared<SimulateArguments>();
  CLI::App& command =
      *parent.add_subcommand("simulate", "Simulate caches on a trace with a virtual clock: hit rates, TTFT, bytes");
  add_simulate_options(command, *arguments);
  command.callback([arguments, &command, &result] { result.exit_code = run_simulation(*arguments, command); });
}

}  // namespace kvantage::cli
