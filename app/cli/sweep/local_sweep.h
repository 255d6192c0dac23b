// Serves the cells of a sweep in this process that have no result yet: for the command line and for the window's
// experiments.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "app/cli/base/interrupts.h"
#include "app/cli/sweep/sweep_runner.h"
#include "core/base/column_table.h"
#include "core/experiments/experiment_runner.h"
#include "core/model/fixed_load.h"
#include "core/sweep/sweep_results.h"
#include "core/sweep/sweep_table.h"
#include "tiers/directory_lock.h"

namespace kvantage::cli {

/// Failed cells by id, in the format of SweepTable.
using SweepFailures = std::map<std::string, Json>;

/// ", about 12 min left" for `missing` more cells at the pace of `served` ones in `seconds`; empty before the first.
std::string left_text(double seconds, std::size_t served, std::size_t missing);

/// "evicpress alpha 1 budget 20% rate 0 seed 3"
std::string text_of(const SweepCell& cell);

/// Called on the thread that serves.
struct LocalSweepHooks {
  /// A line for the user: the next cell, and warnings.
  std::function<void(const std::string& text)> say = {};
  std::function<void(const SweepCell& cell)> begun = {};
  /// A cell has its result, which is stored by now, or {"failed": why, ...}.
  std::function<void(const std::string& id, const Json& result)> kept = {};
  std::function<void(const Error& error)> failed = {};
  /// Asked before each cell; true: run() ends with `cancelled`, and the next run() continues.
  std::function<bool()> pause = {};
  /// Asked often: true aborts the running cell.
  std::function<bool()> stop = interrupted;
};

class LocalSweep {
 public:
  /// All must outlive this. The runner is of the same plan.
  LocalSweep(const SweepPlan& plan, SweepRunner& runner, SweepResults& results, SweepFailures& failures,
             LocalSweepHooks hooks);

  /// Seed after seed, as another seed needs another session: a seed is a block of its cells, in an order drawn from it.
  /// What is disturbed is not served again, as a cell may take long: a warning says it. A cell that fails does not end
  /// it. Each result gets "cell" and "cell_seconds", the seconds of serving it, that of opening a session included.
  Status run();

 private:
  Expected<ExperimentRunner::Keep> serve(const SweepCell& cell);
  void say(const std::string& text) const {
    if (hooks_.say) hooks_.say(text);
  }
  void say_if_disturbed() const;

  const SweepPlan& plan_;
  SweepRunner& runner_;
  SweepResults& results_;
  SweepFailures& failures_;
  LocalSweepHooks hooks_;
  const CellIds ids_;
  const SystemClock clock_;
  const double begun_at_;
  Calibration machine_{clock_, run_fixed_load};
  std::vector<const SweepCell*> missing_;
  std::size_t served_ = 0;
};

/// So that no other program serves the cells of this folder; a file in it stays, without effect. busy, in one line,
/// where one does.
Expected<DirectoryLock> lock_sweep(const std::filesystem::path& folder);

/// sweep.json, sweep.csv and cells.csv, the same two tables in sweep.sqlite, and sweep.parquet and cells.parquet where
/// there is an `encode`. `results`: of `table`, by cell.
Status write_tables(const SweepTable& table, const std::map<std::string, Json>& results,
                    const std::filesystem::path& folder, const EncodeTable& encode = {});

}  // namespace kvantage::cli
