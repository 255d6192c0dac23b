// kvantage-cli runs: lists the runs of a database; exports, imports and shares single runs.
#include <cstdio>
#include <memory>

#include "app/cli/base/json_output.h"
#include "app/cli/base/progress_line.h"
#include "app/cli/base/recorded_runs.h"
#include "app/cli/report_output.h"
#include "app/cli/session_options.h"
#include "core/base/files.h"
#include "core/base/units.h"
#include "core/report/share/share_page.h"
#include "profiles/run_file.h"

namespace kvantage::cli {
namespace {

struct RunsArguments {
  std::filesystem::path database = default_database(), file;
  std::string run;
  bool texts = false, json = false, quiet = false;
};

std::string run_text_at(const RunSummary& run, const char* pointer) {
  const Json::json_pointer place(pointer);
  return run.settings.is_object() && run.settings.contains(place) && run.settings.at(place).is_string()
             ? run.settings.at(place).get<std::string>()
             : std::string("-");
}

Status list_runs(const RunsArguments& arguments) {
  KV_ASSIGN(const auto stores, open_stores(arguments.database, StoreAccess::read_only, machine_clock()));
  KV_ASSIGN(const auto runs, stores->runs().runs());
  if (arguments.json) {
    Json list = Json::array();
    for (const RunSummary& run : runs)
      list.push_back({{"run_id", run.run_id},
                      {"started_utc_ns", run.started_utc_ns},
                      {"finished_utc_ns", run.finished_utc_ns},
                      {"policy", run.policy},
                      {"outcome", run.outcome},
                      {"requests", run.requests},
                      {"workload", run_text_at(run, "/environment/workload")},
                      {"group", run_text_at(run, "/group")}});
    print_json(list, 2);
    return {};
  }
  std::vector<std::vector<std::string>> rows;
  for (const RunSummary& run : runs) {
    const bool ended = run.finished_utc_ns > 0;
    const std::string took =
        ended ? format_fixed(static_cast<double>(run.finished_utc_ns - run.started_utc_ns) * 1e-9, 1) + " s" : "-";
    rows.push_back({run.run_id, run.policy, run_text_at(run, "/environment/workload"), std::to_string(run.requests),
                    took, ended ? run.outcome : "no end recorded"});
  }
  std::printf(
      "%s",
      list_text({{"run"}, {"policy"}, {"workload"}, {"requests", true}, {"took", true}, {"outcome"}}, rows).c_str());
  return {};
}

/// The id of the run that is named. With `newest`, of several runs the newest; else they are an error of usage.
Expected<std::string> id_of_one(RunStore& store, const RunsArguments& arguments, bool newest = false) {
  KV_ASSIGN(auto all, store.runs());
  const auto found = find_runs(std::move(all), arguments.run);
  if (!found) return fail(found.error().code, arguments.database.string() + ": " + found.error().message);
  if (found->size() > 1 && !newest)
    return fail(ErrorCode::usage, "run '" + arguments.run + "': names " + std::to_string(found->size()) + " runs (" +
                                      found->front().run_id + ", ...); give the id of one");
  return found->back().run_id;
}

Status export_one(const RunsArguments& arguments) {
  KV_ASSIGN(const auto stores, open_stores(arguments.database, StoreAccess::read_only, machine_clock()));
  RunStore& store = stores->runs();
  KV_ASSIGN(const auto id, id_of_one(store, arguments));
  KV_TRY(export_run(store, id, arguments.file));
  if (arguments.json)
    print_json(OrderedJson{{"run_id", id}, {"file", arguments.file.string()}});
  else if (!arguments.quiet)
    stderr_progress().say("exported run " + id + " to " + arguments.file.string());
  return {};
}

Status share_one(const RunsArguments& arguments) {
  KV_ASSIGN(const auto stores, open_stores(arguments.database, StoreAccess::read_only, machine_clock()));
  RunStore& store = stores->runs();
  KV_ASSIGN(const auto id, id_of_one(store, arguments, arguments.run == "last"));
  KV_ASSIGN(auto summary, store.run(id));
  KV_ASSIGN(auto events, store.events(id, share_event_types()));
  KV_ASSIGN(const auto data, share_data({std::move(summary), std::move(events)}, {.texts = arguments.texts}));
  const std::string page = to_share_page(data);
  KV_TRY(write_text_file(arguments.file, page));
  const Json& reduced = data.at("reduced");
  if (arguments.json)
    print_json(OrderedJson{{"run_id", id},
                           {"file", arguments.file.string()},
                           {"bytes", page.size()},
                           {"texts", arguments.texts},
                           {"reduced", OrderedJson(reduced)}});
  else if (!arguments.quiet)
    stderr_progress().say("run " + id + (arguments.texts ? ", with" : ", without") +
                          " questions and answers: " + arguments.file.string() + " (" + format_bytes(page.size()) +
                          (reduced.empty() ? ")" : "), reduced; the page says how"));
  return {};
}

Status import_one(const RunsArguments& arguments) {
  KV_TRY(check_run_file(arguments.file));  // before a database is created
  KV_ASSIGN(const auto stores, open_stores(arguments.database, StoreAccess::read_write, machine_clock()));
  KV_ASSIGN(const auto imported, stores->import_run(arguments.file));
  if (arguments.json)
    print_json(OrderedJson{
        {"run_id", imported.run_id}, {"events", imported.events}, {"database", arguments.database.string()}});
  else if (!arguments.quiet)
    stderr_progress().say("imported run " + imported.run_id + " (" + std::to_string(imported.events) +
                          " events) into " + arguments.database.string());
  return {};
}

template <class Work>
CLI::App& add(CLI::App& parent, const char* name, const char* help, CommandResult& result,
              const std::shared_ptr<RunsArguments>& arguments, Work work) {
  CLI::App& command = *parent.add_subcommand(name, help);
  command.add_option("--db", arguments->database, "Database that runs are recorded in")->capture_default_str();
  add_json_option(command, arguments->json);
  command.add_flag("--quiet", arguments->quiet, "Print only errors and requested output");
  command.callback([arguments, &result, work] {
    const Status status = work(*arguments);
    result.exit_code = status ? 0 : report_error(status.error());
  });
  return command;
}

}  // namespace

void add_runs_list(CLI::App& runs, CommandResult& result) {
  auto arguments = std::make_shared<RunsArguments>();
  add(runs, "list", "List recorded runs, oldest first", result, arguments, list_runs);
}

void add_runs_export(CLI::App& runs, CommandResult& result) {
  auto arguments = std::make_shared<RunsArguments>();
  CLI::App& command = add(runs, "export", "Export one run to a file", result, arguments, export_one);
  command.add_option("RUN", arguments->run, "Run: its id, a unique prefix or suffix, or last")->required();
  command.add_option("FILE", arguments->file, "File to write")->required();
}

void add_runs_import(CLI::App& runs, CommandResult& result) {
  auto arguments = std::make_shared<RunsArguments>();
  CLI::App& command = add(runs, "import", "Import a run from a file", result, arguments, import_one);
  command.add_option("FILE", arguments->file, "File made by 'runs export'")->required();
}

void add_runs_share(CLI::App& runs, CommandResult& result) {
  auto arguments = std::make_shared<RunsArguments>();
  CLI::App& command =
      add(runs, "share", "Write one run as a page that replays it in a browser", result, arguments, share_one);
  command.add_option("RUN", arguments->run, "Run: its id, a unique prefix or suffix, or last (the newest)")->required();
  command.add_option("--out", arguments->file, "HTML file to write; it loads nothing else")->required();
  command.add_flag("--texts", arguments->texts, "Include questions and answers (default: no, contexts may be private)");
}

}  // namespace kvantage::cli
