// kvantage-cli compare: compares recorded runs, each with the first.
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
  bool json = false, details = false;
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
  const std::size_t compared = periods_of(recorded);
  if (compared < fewest || compared > most)
    return fail(ErrorCode::usage, "compare: names " + std::to_string(compared) + (compared == 1 ? " run" : " runs") +
                                      "; compare takes 2 to 8; give " +
                                      (compared < fewest ? "another run" : "fewer runs"));
  const RunComparison comparison = compare_runs(recorded);
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
  command.add_option("RUNS", arguments->runs, "2 to 8 runs: ids, unique prefixes, groups of a command, or last")
      ->required();
  command.add_option("--db", arguments->database, "Database that the runs were recorded in")->capture_default_str();
  add_details_option(command, arguments->details);
  add_json_option(command, arguments->json);
  command.callback([arguments, &result] {
    const Status status = compare(*arguments);
    result.exit_code = status ? 0 : report_error(status.error());
  });
}

}  // namespace kvantage::cli
