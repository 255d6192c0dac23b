// kvantage-cli compare: compares recorded runs, each with the first.
#include <algorithm>
#include <cstdio>
#include <memory>

#include "app/cli/base/json_output.h"
#include "app/cli/base/recorded_runs.h"
#include "app/cli/report_output.h"
#include "app/cli/session_options.h"
#include "core/report/formats/compare_formats.h"

namespace kvantage::cli {
namespace {

constexpr std::size_t fewest = 2, most = 8;

struct CompareArguments {
  std::filesystem::path database = default_database();
  std::vector<std::string> runs;
  bool json = false, details = false, each_run = false;
};

Status compare(const CompareArguments& arguments) {
  std::vector<RecordedRun> recorded;
  for (const std::string& word : arguments.runs) {
    KV_ASSIGN(auto found, read_runs(arguments.database, word, false));
    for (RecordedRun& run : found)  // drops duplicates
      if (std::ranges::none_of(recorded,
                               [&](const RecordedRun& other) { return other.summary.run_id == run.summary.run_id; }))
        recorded.push_back(std::move(run));
  }
  const RepeatedRuns repeats = arguments.each_run ? RepeatedRuns::separate : RepeatedRuns::joined;
  const std::vector<std::size_t> sides = sides_of(recorded, ComparedUnit::period, repeats);
  const std::size_t compared = sides.empty() ? 0 : std::ranges::max(sides) + 1;
  if (compared < fewest || compared > most)
    return fail(ErrorCode::usage, "compare: names " + std::to_string(compared) + (compared == 1 ? " run" : " runs") +
                                      "; compare takes 2 to 8; give " +
                                      (compared < fewest ? "another run" : "fewer runs"));
  const RunComparison comparison = compare_runs(recorded, 0, ComparedUnit::period, repeats);
  if (arguments.json)
    print_json(to_json(comparison), 2);
  else
    std::printf("%s", comparison_output(comparison, arguments.details).c_str());
  return {};
}

}  // namespace

void add_compare(CLI::App& parent, CommandResult& result) {
  auto arguments = std::make_shared<CompareArguments>();
  CLI::App& command =
      *parent.add_subcommand("compare", "Compare recorded runs side by side; the first is the baseline");
  command
      .add_option(
          "RUNS", arguments->runs,
          "2 to 8 runs: ids, unique prefixes or suffixes, groups of a command, or last; repetitions of a command count "
          "as one")
      ->required();
  command.add_option("--db", arguments->database, "Database that the runs were recorded in")->capture_default_str();
  command.add_flag("--each-run", arguments->each_run,
                   "Compare every run by itself instead of joining the repetitions of a command");
  add_details_option(command, arguments->details);
  add_json_option(command, arguments->json);
  command.callback([arguments, &result] {
    const Status status = compare(*arguments);
    result.exit_code = status ? 0 : report_error(status.error());
  });
}

}  // namespace kvantage::cli
