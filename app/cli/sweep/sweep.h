// Shared by the parts of `kvantage-cli sweep`: its options, and the entry points for local runs, the owner and workers.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/cli/sweep/local_sweep.h"
#include "app/cli/sweep/slurm_job.h"
#include "app/cli/sweep/sweep_queue.h"
#include "core/sweep/sweep_results.h"

namespace kvantage::cli {

struct SweepArguments {
  SweepPlan plan;
  std::string policies = "full_prefill,lru,evicpress", alphas, alpha_grid, budgets = "1", rates = "0", methods, removed,
              decode_evictions, workers, name = "sweep";
  std::vector<std::string> allowed_remotes, method_files;
  SlurmArguments slurm;
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
/// The same for a line that ends with a command to copy: never shortened.
void say_command(const SweepArguments& arguments, const std::string& text);

/// How far the sweep is, for --progress json, with another key.
void say_cells(const SweepArguments& arguments, std::size_t done, const char* key, const Json& value);

/// --workers of a shared folder, that of --out.
inline constexpr const char* folder_workers = "folder";

/// The queue of --workers: a server, or --out. usage, rejected_input.
Expected<std::unique_ptr<SweepQueue>> open_queue(const SweepArguments& arguments);
/// Checks the queue's sweep of this name against the plan, which may adopt its run group. Nothing is written.
/// rejected_input for another sweep, or any without --resume.
Expected<std::unique_ptr<SweepQueue>> join_queue(SweepArguments& arguments);

/// Where results of workers go.
struct SweepCollection {
  const SweepArguments& arguments;
  const std::filesystem::path& database;  // of recorded runs
  SweepResults& results;
  SweepFailures& failures;
};
/// Distributes the cells, starts their workers where SLURM does that, and collects results, runs and failures until all
/// are there.
Status run_elsewhere(const SweepCollection& to, SweepQueue& queue);
/// Before cells of --out are served here: what workers of the folder left. busy where a SLURM job still serves it.
Status collect_left(const SweepCollection& to);
/// Takes cells from the queue until all have results. rejected_input, usage before any cell is taken where this
/// machine cannot serve them.
Status work(const SweepArguments& arguments);

}  // namespace kvantage::cli
