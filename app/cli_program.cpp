#include "app/cli_program.h"

#include <algorithm>
#include <initializer_list>

#include "app/cli/base/help_text.h"
#include "app/cli/base/old_spellings.h"
#include "app/cli/base/usage_error.h"
#include "app/cli/base/value_checks.h"
#include "app/cli/commands.h"
#include "app/cli/describe/option_values.h"
#include "app/cli/imported/profiles_import.h"
#include "app/cli/method/method_commands.h"
#include "app/cli/serving/serving_commands.h"
#include "app/cli/session_options.h"
#include "app/wiring/program_facts.h"
#include "app/wiring/standard_streams.h"
#include "core/base/last_line.h"
#include "core/text/tokenizer.h"

namespace kvantage::cli {
namespace {

using AddCommand = void (*)(CLI::App& parent, CommandResult& result);

/// A command that only has others below it.
void add_group(CLI::App& app, CommandResult& result, const char* name, const char* about,
               std::initializer_list<AddCommand> commands) {
  CLI::App& group = *app.add_subcommand(name, about);
  group.require_subcommand(1);
  for (const AddCommand add : commands) add(group, result);
}

/// In the order of the help.
void add_commands(CLI::App& app, CommandResult& result) {
  add_run(app, result);
  add_profile(app, result);
  add_group(app, result, "profiles", "Quality curves of others: import", {add_profiles_import});
  add_plan(app, result);
  add_report(app, result);
  add_replay(app, result);
  add_compare(app, result);
  add_export(app, result);
  add_group(app, result, "runs", "Recorded runs: list, export, import, share",
            {add_runs_list, add_runs_export, add_runs_import, add_runs_share});
  add_group(app, result, "session", "Sessions of serving systems: import", {add_session_import});
  add_methods(app, result);
  add_group(app, result, "method", "Methods from files: new, check, bench",
            {add_method_new, add_method_check, add_method_bench});
  add_policies(app, result);
  add_kept(app, result);
  add_device(app, result);
  add_reproduce(app, result);
  add_simulate(app, result);
  add_fleet(app, result);
  add_sweep(app, result);
  add_tokenize(app, result);
  add_group(app, result, "model", "Models: info, check, train, generate, logits, scale",
            {add_model_info, add_model_check, add_model_train, add_model_generate, add_model_logits, add_model_scale});
  add_group(app, result, "store", "Stores: stat, check, compact", {add_store_stat, add_store_check, add_store_compact});
  add_group(app, result, "trace", "Traces of other systems: info, import", {add_trace_info, add_trace_import});
  add_group(app, result, "workload", "Workloads: list, check, make, import",
            {add_workload_list, add_workload_check, add_workload_make, add_workload_import});
  add_completion(app, result);
  add_help(app, result);
  add_man(app, result);
  add_reference(app, result);
}

int run_command(int argc, char** argv) {
  CLI::App app{"Explore KV-cache compression and eviction from the command line", "kvantage-cli"};
  app.formatter(std::make_shared<HelpText>());
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.set_help_all_flag("--help-all", "Print every option in full and exit");
  app.require_subcommand(1);
  app.set_version_flag("--version", program_version());
  CommandResult result;

  add_commands(app, result);
  refuse_flag_values(app);

  app.failure_message(
      [](const CLI::App* program, const CLI::Error& error) { return usage_error_text(program, error, named_things); });
  try {
    auto words = with_present_options(app, {argv + 1, argv + argc});
    std::ranges::reverse(words);  // as the library takes a list
    app.parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    const int refused = error.get_exit_code() == 0 && result.refuse_help ? result.refuse_help() : 0;
    if (refused != 0) return refused;
    const int code = app.exit(error);
    return code == 0 ? 0 : 2;
  } catch (const EncodingError& error) {  // of a command that counts tokens where no error can be returned
    return report_error(error.error());
  }
  return result.exit_code;
}

}  // namespace

int run_command_line(int argc, char** argv) {
  hold_standard_streams();
  install_last_line();
  try {
    return exit_code_after_output(run_command(argc, argv));
  } catch (...) {  // caught here, so that temporary folders on the way are removed
    end_with_current_exception();
  }
}

}  // namespace kvantage::cli
