// kvantage-cli: everything without a window.
#include "app/cli/commands.h"
#include "app/wiring/openmp.h"

int main(int argc, char** argv) {
  kvantage::restart_with_passive_openmp(argv);
  using namespace kvantage::cli;
  CLI::App app{"KVantage on the command line: serve, measure, train and check without a window", "kvantage-cli"};
  app.require_subcommand(1);
  CommandResult result;

  add_run(app, result);
  add_profile(app, result);
  add_report(app, result);
  add_tokenize(app, result);
  CLI::App& model = *app.add_subcommand("model", "Models: info, check, train, generate, logits");
  model.require_subcommand(1);
  add_model_info(model, result);
  add_model_check(model, result);
  add_model_train(model, result);
  add_model_generate(model, result);
  add_model_logits(model, result);
  CLI::App& workload = *app.add_subcommand("workload", "Workloads: check, make");
  workload.require_subcommand(1);
  add_workload_check(workload, result);
  add_workload_make(workload, result);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);
    return code == 0 ? 0 : 2;
  }
  return result.exit_code;
}
