// kvantage-cli replay: a recorded run, event by event, from the journal alone; then its result table.
#include <charconv>
#include <cstdio>
#include <memory>
#include <set>
#include <thread>

#include "app/cli/base/json_output.h"
#include "app/cli/base/recorded_runs.h"
#include "app/cli/report_output.h"
#include "app/cli/session_options.h"
#include "core/base/did_you_mean.h"
#include "core/base/duration.h"
#include "core/report/event_lines.h"
#include "core/report/formats/report_formats.h"
#include "core/report/replay_source.h"

namespace kvantage::cli {
namespace {

struct ReplayArguments {
  std::filesystem::path database = default_database();
  std::string run, types, start_at, stop_at;
  double speed = 0;
  bool json = false, quiet = false, details = false;
};

/// "120" is an event number, "2.5s" a time since the run began.
struct Bound {
  std::optional<std::uint64_t> sequence;
  std::optional<double> seconds;
};

Expected<Bound> bound_of(const std::string& text, const char* option) {
  if (text.empty()) return Bound{};
  std::uint64_t number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code == std::errc() && end == text.data() + text.size()) return Bound{number, {}};
  const auto seconds = parse_duration(text);
  if (!seconds)
    return fail(ErrorCode::usage, std::string(option) + ": '" + text +
                                      "' is neither an event number nor a time; write it like 120 or 2.5s");
  return Bound{{}, *seconds};
}

struct Filter {
  std::set<std::string> types;
  Bound from, to;
  bool wants(const Event& event, double seconds) const {
    if (!types.empty() && !types.contains(event_type(event.payload))) return false;
    if (from.sequence && event.sequence < *from.sequence) return false;
    if (to.sequence && event.sequence > *to.sequence) return false;
    return (!from.seconds || seconds >= *from.seconds) && (!to.seconds || seconds <= *to.seconds);
  }
};

Expected<Filter> filter_of(const ReplayArguments& arguments) {
  Filter filter;
  const std::vector<std::string> known = event_types();
  for (const std::string& type : split_list(arguments.types)) {
    if (std::ranges::find(known, type) == known.end())
      return fail(ErrorCode::usage, "--type: '" + type + "' is not an event type; " +
                                        did_you_mean(type, known, "try request.finished,placement.committed"));
    filter.types.insert(type);
  }
  KV_ASSIGN(auto from, bound_of(arguments.start_at, "--start-at"));
  KV_ASSIGN(auto to, bound_of(arguments.stop_at, "--stop-at"));
  filter.from = from;
  filter.to = to;
  return filter;
}

void show_event(const ReplaySource& source, const Filter& filter, const ReplayArguments& arguments) {
  double shown_seconds = 0;
  bool any = false;
  for (std::size_t i = 0; i < source.size(); ++i) {
    const Event& event = source.event(i);
    const double seconds = source.seconds_at(i);
    if (!filter.wants(event, seconds)) continue;
    if (arguments.speed > 0 && any && seconds > shown_seconds) {
      std::fflush(stdout);
      std::this_thread::sleep_for(std::chrono::duration<double>((seconds - shown_seconds) / arguments.speed));
    }
    shown_seconds = seconds;
    any = true;
    if (arguments.json)
      print_json(to_json(event));
    else
      std::printf("%s\n", one_line(event_line(event, seconds)).c_str());
  }
}

Status replay(const ReplayArguments& arguments) {
  KV_ASSIGN(const auto filter, filter_of(arguments));
  KV_ASSIGN(auto runs, read_runs(arguments.database, arguments.run, true));
  for (const RecordedRun& run : runs) {
    KV_ASSIGN(const auto source, ReplaySource::open(run));
    if (!arguments.quiet) show_event(*source, filter, arguments);
  }
  const RunReport report = report_of_runs(runs);
  if (arguments.json)
    print_json(Json{{"report", to_report_json(report)}});
  else
    std::printf("%s%s", arguments.quiet ? "" : "\n", report_output(report, arguments.details).c_str());
  return {};
}

}  // namespace

void add_replay(CLI::App& parent, CommandResult& result) {
  auto arguments = std::make_shared<ReplayArguments>();
  CLI::App& command = *parent.add_subcommand("replay", "Replay a recorded run event by event; computes nothing");
  command.add_option("RUN", arguments->run, "Run: its id, a unique prefix or suffix, the group of a command, or last")
      ->required();
  command.add_option("--db", arguments->database, "Database that the run was recorded in")->capture_default_str();
  command.add_option("--type", arguments->types, "Only these events, e.g. request.finished,placement.committed");
  command.add_option("--start-at", arguments->start_at, "Start at this event number or time (2.5s)");
  command.add_option("--stop-at", arguments->stop_at, "Stop at this event number or time");
  command.add_option("--speed", arguments->speed, "Speed relative to the recording (default: without waiting)")
      ->check(CLI::PositiveNumber);
  add_details_option(command, arguments->details);
  add_json_option(command, arguments->json);
  command.add_flag("--quiet", arguments->quiet, "Print only the table");
  command.callback([arguments, &result] {
    const Status status = replay(*arguments);
    result.exit_code = status ? 0 : report_error(status.error());
  });
}

}  // namespace kvantage::cli
