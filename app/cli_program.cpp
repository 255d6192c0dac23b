#include "app/cli_program.h"

#include <algorithm>

#include "app/cli/base/help_text.h"
#include "app/cli/base/old_spellings.h"
#include "app/cli/base/usage_error.h"
#include "app/cli/base/value_checks.h"
#include "app/cli/commands.h"
#include "app/cli/describe/option_values.h"
#include "app/cli/imported/profiles_import.h"
#include "app/cli/method/method_commands.h"
#include "app/cli/session_options.h"
#include "app/wiring/program_facts.h"
#include "app/wiring/standard_streams.h"
#include "core/base/last_line.h"
#include "core/text/tokenizer.h"

namespace kvantage::cli {
namespace {

int run_command(int argc, char** argv) {
  CLI::App app{"Explore KV-cache compression and eviction from the command line", "kvantage-cli"};
  app.formatter(std::make_shared<HelpText>());
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.set_help_all_flag("--help-all", "Print every option in full and exit");
  app.require_subcommand(1);
  app.set_version_flag("--version", program_version());
  CommandResult result;

  add_run(app, result);
  add_profile(app, result);
  CLI::App& profiles = *app.add_subcommand("profiles", "Quality curves of others: import");
  profiles.require_subcommand(1);
  add_profiles_import(profiles, result);
  add_plan(app, result);
  add_report(app, result);
  add_replay(app, result);
  add_compare(app, result);
  add_export(app, result);
  CLI::App& runs = *app.add_subcommand("runs", "Recorded runs: list, export, import, share");
  runs.require_subcommand(1);
  add_runs_list(runs, result);
  add_runs_export(runs, result);
  add_runs_import(runs, result);
  add_runs_share(runs, result);
  add_methods(app, result);
  CLI::App& method = *app.add_subcommand("method", "Methods from files: new, check, bench");
  method.require_subcommand(1);
  add_method_new(method, result);
  add_method_check(method, result);
  add_method_bench(method, result);
  add_policies(app, result);
  add_kept(app, result);
  add_device(app, result);
  add_reproduce(app, result);
  add_simulate(app, result);
  add_sweep(app, result);
  add_tokenize(app, result);
  CLI::App& model = *app.add_subcommand("model", "Models: info, check, train, generate, logits");
  model.require_subcommand(1);
  add_model_info(model, result);
  add_model_check(model, result);
  add_model_train(model, result);
  add_model_generate(model, result);
  add_model_logits(model, result);
  CLI::App& store = *app.add_subcommand("store", "Stores: stat, check, compact");
  store.require_subcommand(1);
  add_store_stat(store, result);
  add_store_check(store, result);
  add_store_compact(store, result);
  CLI::App& trace = *app.add_subcommand("trace", "Traces of other systems: info, import");
  trace.require_subcommand(1);
  add_trace_info(trace, result);
  add_trace_import(trace, result);
  CLI::App& workload = *app.add_subcommand("workload", "Workloads: list, check, make, import");
  workload.require_subcommand(1);
  add_workload_list(workload, result);
  add_workload_check(workload, result);
  add_workload_make(workload, result);
  add_workload_import(workload, result);
  add_completion(app, result);
  add_help(app, result);
  add_man(app, result);
  add_reference(app, result);
  refuse_flag_values(app);

  app.failure_message(
      [](const CLI::App* program, const CLI::Error& error) { return usage_error_text(program, error, named_things); });
  try {
    auto words = with_present_options(app, {argv + 1, argv + argc});
    std::ranges::reverse(words);  // as the library takes a list
    app.parse(std::move(words));
  } catch (const CLI::ParseError& error) {
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
