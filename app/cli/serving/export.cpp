// kvantage-cli export: the configuration of a recorded run as the settings of a serving system.
#include <cstdio>
#include <iterator>
#include <memory>

#include "app/cli/base/json_output.h"
#include "app/cli/base/progress_line.h"
#include "app/cli/base/recorded_runs.h"
#include "app/cli/serving/imported_notes.h"
#include "app/cli/serving/served_model.h"
#include "app/cli/serving/serving_commands.h"
#include "app/cli/session_options.h"
#include "core/base/files.h"
#include "core/base/shown_text.h"
#include "core/base/units.h"
#include "core/policy/plan_text.h"
#include "core/report/serving/serving_settings.h"

namespace kvantage::cli {
namespace {

struct ExportArguments {
  std::filesystem::path database = default_database(), out;
  std::string run, system, disk, for_model;
  bool json = false, quiet = false;
};

Status export_settings(const ExportArguments& arguments) {
  KV_TRY(check_serving_system(arguments.system));
  if (shown_line(arguments.disk) != arguments.disk)
    return fail(ErrorCode::usage, "--disk: holds control characters, or is not UTF-8; give another folder");
  KV_ASSIGN(auto runs, read_runs(arguments.database, arguments.run, true));
  if (arguments.run == "last") runs.erase(runs.begin(), std::prev(runs.end()));  // of a group, the newest
  if (runs.size() > 1)
    return fail(ErrorCode::usage, "run '" + arguments.run + "': names " + std::to_string(runs.size()) + " runs (" +
                                      runs.front().summary.run_id + ", ...); give the id of one");
  ServingOptions options;
  if (!arguments.disk.empty()) options.disk_directory = arguments.disk;
  if (!arguments.for_model.empty()) {
    KV_ASSIGN(options.for_model, served_model(arguments.for_model));
  }
  KV_ASSIGN(const auto settings, serving_settings(runs.front(), arguments.system, options));
  if (!arguments.out.empty()) KV_TRY(write_text_file(arguments.out, settings.text));
  if (arguments.json) {
    const OrderedJson file = arguments.out.empty() ? OrderedJson(nullptr) : OrderedJson(arguments.out.string());
    print_json(OrderedJson{{"run_id", runs.front().summary.run_id},
                           {"system", arguments.system},
                           {"file", file},
                           {"settings", settings.text},
                           {"no_equivalent", settings.unsaid},
                           {"factor", settings.factor}});
    return {};
  }
  if (arguments.out.empty()) std::printf("%s", settings.text.c_str());
  std::fflush(stdout);
  if (arguments.quiet) return {};
  if (options.for_model)
    stderr_progress().say("budgets times " + short_number(settings.factor) + ", for " + options.for_model->name + " (" +
                          format_bytes(static_cast<std::uint64_t>(options.for_model->bytes_per_token)) +
                          " of KV per token)");
  say_without_equivalent(settings.unsaid);
  if (!arguments.out.empty()) stderr_progress().say(arguments.system + ": " + arguments.out.string());
  return {};
}

}  // namespace

void add_export(CLI::App& parent, CommandResult& result) {
  auto arguments = std::make_shared<ExportArguments>();
  CLI::App& command =
      *parent.add_subcommand("export", "Export a recorded run's configuration as settings of LMCache or vLLM");
  command.add_option("RUN", arguments->run, "Run: its id, a unique prefix or suffix, or last (the newest)")->required();
  command.add_option("--for", arguments->system, "System: lmcache, vllm")->required();
  command.add_option("--out", arguments->out, "File to write (default: print it)");
  command.add_option("--disk", arguments->disk, "Folder for its disk tier (default: kv_cache)");
  command.add_option("--for-model", arguments->for_model,
                     "Scale budgets to this model by its KV bytes per token: a preset of simulate, a Hugging Face "
                     "folder or its config.json, a GGUF file, or JSON with kv_bytes_per_token");
  command.add_option("--db", arguments->database, "Database that the run was recorded in")->capture_default_str();
  add_json_option(command, arguments->json);
  command.add_flag("--quiet", arguments->quiet, "Do not list what has no equivalent setting");
  command.callback([arguments, &result] {
    const Status status = export_settings(*arguments);
    result.exit_code = status ? 0 : report_error(status.error());
  });
}

}  // namespace kvantage::cli
