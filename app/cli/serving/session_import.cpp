// kvantage-cli session import: the settings file of a serving system as a session.json.
#include <cstdio>
#include <filesystem>
#include <memory>

#include "app/cli/base/json_output.h"
#include "app/cli/base/progress_line.h"
#include "app/cli/serving/imported_notes.h"
#include "app/cli/serving/serving_commands.h"
#include "app/cli/session_options.h"
#include "core/base/files.h"

namespace kvantage::cli {
namespace {

struct SessionImportArguments {
  std::filesystem::path file, out;
  bool json = false, quiet = false;
};

Status import_session(const SessionImportArguments& arguments) {
  KV_ASSIGN(const auto config, read_serving_config(arguments.file));
  const std::string text = dump_json(config.session, 2) + "\n";
  if (!arguments.out.empty()) KV_TRY(write_text_file(arguments.out, text));
  if (arguments.json) {
    const OrderedJson file = arguments.out.empty() ? OrderedJson(nullptr) : OrderedJson(arguments.out.string());
    print_json(OrderedJson{{"system", config.system},
                           {"file", file},
                           {"session", OrderedJson::parse(dump_json(config.session))},
                           {"taken", config.taken},
                           {"no_equivalent", config.unsaid}});
    return {};
  }
  if (arguments.out.empty()) std::printf("%s", text.c_str());
  std::fflush(stdout);
  if (arguments.quiet) return {};
  say_imported(config);
  if (!arguments.out.empty()) stderr_progress().say("session: " + arguments.out.string());
  return {};
}

}  // namespace

void add_session_import(CLI::App& session, CommandResult& result) {
  auto arguments = std::make_shared<SessionImportArguments>();
  CLI::App& command = *session.add_subcommand("import", "Turn settings of LMCache or vLLM into a session.json");
  command
      .add_option("FILE", arguments->file,
                  "LMCache's YAML, or vLLM's: the YAML of --config or the JSON of --kv-transfer-config")
      ->required();
  command.add_option("--out", arguments->out, "File to write, like WORKLOAD/session.json (default: print it)");
  add_json_option(command, arguments->json);
  command.add_flag("--quiet", arguments->quiet, "Do not list what is taken and what has no equivalent");
  command.callback([arguments, &result] {
    const Status status = import_session(*arguments);
    result.exit_code = status ? 0 : report_error(status.error());
  });
}

}  // namespace kvantage::cli
