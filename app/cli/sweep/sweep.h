// Shared by the parts of `kvantage-cli sweep`: its options, and the entry points for local runs, the owner and workers.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/cli/sweep/local_sweep.h"
#include "app/cli/sweep/sweep_queue.h"
#include "core/sweep/sweep_results.h"

namespace kvantage::cli {

struct SweepArguments {
  SweepPlan plan;
  std::string policies = "full_prefill,lru,evicpress", alphas, alpha_grid, budgets = "1", rates = "0", methods, removed,
              decode_evictions, workers, name = "sweep";
  std::vector<std::string> allowed_remotes;
  std::uint64_t seeds = 1, first_seed = 0;
  std::filesystem::path out, store, database, plan_file;
  int threads = 0;
  double lease_seconds = 30, wait_seconds = 60;
  bool resume = false, worker = false, no_warmup = false, json = false, quiet = false, details = false, parquet = false;
};

/// Of --alpha and --alpha-grid, of which one may be given; neither: 1. usage error for a number that is not from 0 to
/// 10^9.
Expected<std::vector<double>> alphas_of(const std::string& alphas, const std::string& grid);

/// A line on stderr unless --quiet.
void say(const SweepArguments& arguments, const std::string& text);

/// Checks the server's sweep of this name against the plan, which may adopt its run group. Nothing is written.
/// rejected_input for another sweep, or any without --resume.
Expected<std::unique_ptr<SweepQueue>> join_server(SweepArguments& arguments);
/// Distributes the cells and collects results, runs (into `database`) and failures.
Status run_elsewhere(const SweepArguments& arguments, const std::filesystem::path& database, SweepQueue& queue,
                     SweepResults& results, SweepFailures& failures);
/// Takes cells from the server until all have results. rejected_input, usage before any cell is taken where this
/// machine cannot serve them.
Status work(const SweepArguments& arguments);

}  // namespace kvantage::cli
