// kvantage-cli report: prints the result table of recorded runs again, from the database alone.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <vector>

#include "app/cli/base/drawing.h"
#include "app/cli/base/json_output.h"
#include "app/cli/base/progress_line.h"
#include "app/cli/base/recorded_runs.h"
#include "app/cli/report_output.h"
#include "app/cli/session_options.h"
#include "app/wiring/parquet_module.h"
#include "core/report/formats/report_columns.h"
#include "core/report/formats/report_files.h"
#include "core/report/recorded_run.h"
#include "core/report/report_differences.h"
#include "core/report/window_command.h"

namespace kvantage::cli {
namespace {

struct ReportArguments {
  std::filesystem::path database = default_database(), out;
  std::vector<std::string> runs;
  std::optional<std::string> run;
  std::string formats = default_report_formats(), baseline;
  bool json = false, quiet = false, details = false;
};

/// RUN and --run are two ways to say the same.
Expected<std::vector<std::string>> named_runs(const ReportArguments& arguments) {
  if (!arguments.run) return arguments.runs.empty() ? std::vector<std::string>{"last"} : arguments.runs;
  const std::vector<std::string> one{*arguments.run};
  if (arguments.runs.empty() || arguments.runs == one) return one;
  return fail(ErrorCode::usage, "report: RUN and --run name different runs; give all of them as RUN");
}

/// Each run once, however often it is named.
Expected<std::vector<RecordedRun>> read_named_runs(const ReportArguments& arguments) {
  KV_ASSIGN(const auto words, named_runs(arguments));
  std::vector<RecordedRun> recorded;
  for (const std::string& word : words) {
    KV_ASSIGN(auto found, read_runs(arguments.database, word, false));
    for (RecordedRun& run : found)
      if (std::ranges::none_of(recorded,
                               [&](const RecordedRun& other) { return other.summary.run_id == run.summary.run_id; }))
        recorded.push_back(std::move(run));
  }
  return recorded;
}

// Searches the report's runs, then the whole database: a run found there is added to the report, in front.
Expected<std::size_t> find_baseline(std::vector<RecordedRun>& recorded, const ReportArguments& arguments) {
  const auto among = place_of_run(recorded, arguments.baseline);
  if (among) return *among;
  KV_ASSIGN(auto all, summaries_of(arguments.database));
  const auto named = find_runs(std::move(all), arguments.baseline);
  if (!named || named->size() != 1) return tl::unexpected(among.error());
  // A run that is there but cannot be read is not an unknown name.
  KV_ASSIGN(auto other, read_runs(arguments.database, named->front().run_id, false));
  recorded.insert(recorded.begin(), std::move(other.front()));
  return std::size_t{0};
}

/// `requests`: filled where it is not null.
Expected<RunReport> load_report(const ReportArguments& arguments, ColumnTable* requests) {
  KV_ASSIGN(auto recorded, read_named_runs(arguments));
  std::size_t baseline = 0;
  if (!arguments.baseline.empty()) {
    KV_ASSIGN(const auto found, find_baseline(recorded, arguments));
    if (recorded.size() < 2)
      return fail(ErrorCode::usage,
                  "--baseline: it is the only run of the report, so there is nothing to compare; report several runs "
                  "or a group, or give another run as the baseline");
    baseline = found;
  }
  for (RecordedRun& run : recorded) name_repeating_command(run.summary, arguments.database.string());
  RunReport report = report_of_runs(recorded);
  if (!arguments.baseline.empty()) {
    const std::size_t side = sides_of(recorded, ComparedUnit::whole_run)[baseline];
    add_differences(report, compare_runs(recorded, side, ComparedUnit::whole_run));
  }
  if (requests != nullptr) *requests = request_columns(recorded);
  return report;
}

Status make_report(const ReportArguments& arguments) {
  KV_ASSIGN(const auto formats, parse_report_formats(arguments.formats));
  ParquetReport parquet;
  const bool wants_parquet = !arguments.out.empty() && std::ranges::find(formats, "parquet") != formats.end();
  if (wants_parquet) {  // before runs are read
    KV_ASSIGN(parquet.encode, open_parquet_module());
  }
  KV_ASSIGN(const auto report, load_report(arguments, wants_parquet ? &parquet.requests : nullptr));
  if (!arguments.out.empty()) {
    KV_ASSIGN(const auto written, write_report_files(report, arguments.out, formats, report_drawing(), parquet));
    if (!arguments.quiet)
      for (const std::filesystem::path& path : written) stderr_progress().say("report: " + path.string());
  }
  if (arguments.json)
    print_json(to_report_json(report), 2);
  else if (!arguments.quiet)
    std::printf("%s", report_output(report, arguments.details).c_str());
  return {};
}

}  // namespace

void add_report(CLI::App& parent, CommandResult& result) {
  auto arguments = std::make_shared<ReportArguments>();
  CLI::App& command = *parent.add_subcommand("report", "Show recorded runs as table, page or JSON");
  command.add_option(
      "RUN", arguments->runs,
      "Runs: ids, unique prefixes or suffixes, groups of a command, or last, the newest and its group (default: last)");
  command.add_option("--db", arguments->database, "Database that the runs were recorded in")->capture_default_str();
  command.add_option("--run", arguments->run, "Same as RUN");
  command.add_option("--baseline", arguments->baseline,
                     "Baseline run: its id, a unique prefix or suffix, or a policy of the report (default: none)");
  command.add_option("--out", arguments->out, "Folder for the files (default: none are written)");
  command.add_option("--format", arguments->formats, "File formats: html, json, csv, latex, pdf, parquet")
      ->capture_default_str();
  add_details_option(command, arguments->details);
  add_json_option(command, arguments->json);
  command.add_flag("--quiet", arguments->quiet, "Print only errors and the output of --json");
  command.callback([arguments, &result] {
    const Status status = make_report(*arguments);
    result.exit_code = status ? 0 : report_error(status.error());
  });
}

}  // namespace kvantage::cli
