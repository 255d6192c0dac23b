// The results of a sweep: one row per combination but the seed, over its seeds. Rows on the frontier are marked:
// no other row of the same budget and rate is both faster and better.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/column_table.h"
#include "core/base/statistics.h"
#include "core/sweep/sweep_plan.h"

namespace kvantage::inline sweep {

/// Metrics of a cell, by name; CSV and JSON use the same names.
inline constexpr std::array<std::string_view, 8> sweep_metrics{
    "ttft_service_seconds", "ttft_seconds", "ttft_p95_seconds", "queue_seconds", "quality", "hit_rate",
    "requests_per_second",  "loaded_bytes"};

/// With fewer seeds, a bootstrap yields little more than their minimum and maximum, which is not a 95 % interval.
inline constexpr std::size_t min_seeds_for_interval = 5;

struct SweepMetric {
  double mean = 0, min = 0, max = 0;
  std::optional<Interval> interval;  // 95 % by bootstrap over seeds; nothing for fewer than min_seeds_for_interval
};

struct SweepRow {
  SweepCell cell;                              // of its first seed
  std::size_t n = 0;                           // seeds
  std::uint64_t requests = 0;                  // over all seeds
  std::map<std::string, SweepMetric> metrics;  // by sweep_metrics
  std::vector<std::string> run_ids;            // recorded runs, in seed order
  std::string provenance;                      // of times: the weakest of its cells
  bool on_frontier = false;                    // lower ttft_service_seconds, higher quality
};

/// A cell that could not be served, from its result {"failed": why, "worker", "attempts"}.
struct SweepFailure {
  SweepCell cell;
  std::string why, worker;  // the worker is empty for this process
  std::uint64_t attempts = 1;
};

/// The machine that served cells.
struct SweepMachine {
  std::string host, hardware;
  std::size_t cells = 0;
};

struct SweepTable {
  SweepPlan plan;
  std::string quality_metric;
  std::size_t done = 0;  // cells with a result
  std::vector<SweepRow> rows;
  std::vector<SweepFailure> failed;
  std::vector<SweepMachine> machines;  // more than one: compare times of rows with care
  std::vector<std::string> notes;      // of the models of its cells, each once: what a ranking must say
  std::size_t beside_others = 0;       // cells that were served at the same time as another one on the same host
};

/// Cells without a result are skipped and counted; failed ones are also named.
SweepTable make_sweep_table(const SweepPlan& plan, const std::map<std::string, Json>& results);

/// The headline, every row with its provenance and both TTFTs, and the notes.
std::string to_text(const SweepTable& table);
/// The policy of a cell, with its own candidate methods and decode-time eviction where it has any: "evicpress",
/// "evicpress [keydiff,snapkv], decode knorm(budget=25%)".
std::string policy_text(const SweepCell& cell);
/// "keydiff,snapkv"; "-" where the cell has the plan's.
std::string methods_text(const SweepCell& cell);
/// Alpha of a cell for a reader, to 3 digits; "-" where it has no effect. Files hold the full value.
std::string alpha_text(const SweepCell& cell);
/// "8 of 8 cells done. ...": how far it is and how to read the rows; without a newline.
std::string headline(const SweepTable& table);
/// Notes of the models, failed cells, and the machines if there are several; each line ends with a newline.
std::string notes_text(const SweepTable& table);
std::string to_csv(const SweepTable& table);
/// The columns of to_csv() with their types, for Parquet; alpha is empty where it has no effect.
ColumnTable to_columns(const SweepTable& table);
/// A row for every cell of the plan, each once: what makes it, its `state` (done, failed, missing), its metrics, its
/// run and where it was served. `results` as for make_sweep_table(). Columns and units: docs/sweeps.md.
ColumnTable cell_columns(const SweepPlan& plan, const std::map<std::string, Json>& results);
OrderedJson to_json(const SweepTable& table);

}  // namespace kvantage::inline sweep
