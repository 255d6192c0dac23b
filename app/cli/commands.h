// Subcommands of kvantage-cli: one file each. add_xxx declares options on a parent and leaves the exit code in the
// result; app/cli_program.cpp only lists them.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace kvantage::cli {

/// Result of a subcommand: 0 success, 1 failure, 2 usage, 3 rejected input.
struct CommandResult {
  int exit_code = 0;
  /// Of a command that has no help for some of its arguments: says why, and returns its exit code; 0: show the help.
  std::function<int()> refuse_help = {};
};

void add_run(CLI::App& parent, CommandResult& result);
void add_profile(CLI::App& parent, CommandResult& result);
void add_plan(CLI::App& parent, CommandResult& result);
void add_report(CLI::App& parent, CommandResult& result);
void add_replay(CLI::App& parent, CommandResult& result);
void add_compare(CLI::App& parent, CommandResult& result);
void add_runs_list(CLI::App& runs, CommandResult& result);
void add_runs_export(CLI::App& runs, CommandResult& result);
void add_runs_import(CLI::App& runs, CommandResult& result);
void add_runs_share(CLI::App& runs, CommandResult& result);
void add_model_info(CLI::App& model, CommandResult& result);
void add_model_check(CLI::App& model, CommandResult& result);
void add_model_train(CLI::App& model, CommandResult& result);
void add_model_generate(CLI::App& model, CommandResult& result);
void add_model_logits(CLI::App& model, CommandResult& result);
void add_model_scale(CLI::App& model, CommandResult& result);
void add_methods(CLI::App& parent, CommandResult& result);
void add_policies(CLI::App& parent, CommandResult& result);
void add_device(CLI::App& parent, CommandResult& result);
void add_fleet(CLI::App& parent, CommandResult& result);
void add_kept(CLI::App& parent, CommandResult& result);
/// They describe every command that the program has at the time of the call.
void add_completion(CLI::App& program, CommandResult& result);
void add_help(CLI::App& program, CommandResult& result);
void add_man(CLI::App& program, CommandResult& result);
/// Hidden: prints the reference of every other command.
void add_reference(CLI::App& program, CommandResult& result);
void add_reproduce(CLI::App& parent, CommandResult& result);
void add_simulate(CLI::App& parent, CommandResult& result);
void add_sweep(CLI::App& parent, CommandResult& result);
void add_store_stat(CLI::App& store, CommandResult& result);
void add_store_check(CLI::App& store, CommandResult& result);
void add_store_compact(CLI::App& store, CommandResult& result);
void add_tokenize(CLI::App& parent, CommandResult& result);
void add_trace_import(CLI::App& trace, CommandResult& result);
void add_trace_info(CLI::App& trace, CommandResult& result);
void add_workload_check(CLI::App& workload, CommandResult& result);
void add_workload_list(CLI::App& workload, CommandResult& result);
void add_workload_make(CLI::App& workload, CommandResult& result);
void add_workload_import(CLI::App& workload, CommandResult& result);

}  // namespace kvantage::cli
