#include "app/cli/sweep/local_sweep.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "core/base/column_csv.h"
#include "core/base/files.h"
#include "core/base/units.h"
#include "profiles/table_database.h"

namespace kvantage::cli {

std::string left_text(double seconds, std::size_t served, std::size_t missing) {
  if (served == 0) return {};
  const double left = seconds / static_cast<double>(served) * static_cast<double>(missing);
  return left < 60 ? ", less than 1 min left" : ", about " + format_fixed(left / 60, 0) + " min left";
}

std::string text_of(const SweepCell& cell) {
  return policy_text(cell) + (cell.uses_alpha ? " alpha " + alpha_text(cell) : "") + " budget " + cell.budget.text() +
         " rate " + dump_json(Json(cell.requests_per_second)) + " seed " + std::to_string(cell.seed);
}

LocalSweep::LocalSweep(const SweepPlan& plan, SweepRunner& runner, SweepResults& results, SweepFailures& failures,
                       LocalSweepHooks hooks)
    : plan_(plan),
      runner_(runner),
      results_(results),
      failures_(failures),
      hooks_(std::move(hooks)),
      ids_(plan),
      begun_at_(clock_.seconds()) {
  for (const SweepCell& cell : plan.cells)
    if (!results.holds(ids_.of(cell))) missing_.push_back(&cell);
}

Status LocalSweep::run() {
  if (missing_.empty()) return {};
  runner_.set_stop(hooks_.stop);
  KV_TRY(runner_.open(missing_.front()->seed));
  ExperimentRunner blocks(machine_, {.repeats = 0});
  std::vector<std::uint64_t> seeds;
  for (const SweepCell* cell : missing_)
    if (std::ranges::find(seeds, cell->seed) == seeds.end()) seeds.push_back(cell->seed);
  for (const std::uint64_t seed : seeds) {
    std::vector<const SweepCell*> cells;
    std::ranges::copy_if(missing_, std::back_inserter(cells),
                         [&](const SweepCell* cell) { return cell->seed == seed; });
    KV_TRY(blocks.run_block(cells.size(), seed, [&](std::size_t c, int) { return serve(*cells[c]); }));
  }
  say_if_disturbed();
  return {};
}

/// A warning where something else used the machine while cells were served.
void LocalSweep::say_if_disturbed() const {
  if (machine_.disturbed())
    say("warning: other work disturbed this machine: a fixed load between the cells moved by " +
        format_fixed(100 * machine_.moved(), 0) + " % (bound " + format_fixed(100 * Calibration::bound, 0) +
        " %). Compare no times of different cells; run the sweep again at rest");
}

Expected<ExperimentRunner::Keep> LocalSweep::serve(const SweepCell& cell) {
  if (hooks_.pause && hooks_.pause()) return fail(ErrorCode::cancelled, "paused; resume it for the cells left");
  const std::size_t all = plan_.cells.size(), left = all - results_.size() - failures_.size();
  say("cell " + std::to_string(results_.size() + 1) + " of " + std::to_string(all) + ": " + text_of(cell) +
      left_text(clock_.seconds() - begun_at_, served_, left));
  if (hooks_.begun) hooks_.begun(cell);
  const double cell_begun_at = clock_.seconds();
  auto result = runner_.run(cell);
  ++served_;
  if (!result && result.error().code == ErrorCode::cancelled) return tl::unexpected(result.error());
  const std::string id = ids_.of(cell);
  if (!result) {
    if (hooks_.failed) hooks_.failed(result.error());
    return [this, id, why = result.error().message] {
      failures_[id] = Json{{"failed", why}, {"worker", ""}, {"attempts", 1}};
      if (hooks_.kept) hooks_.kept(id, failures_[id]);
      return Status();
    };
  }
  (*result)["cell"] = to_json(cell);
  (*result)["cell_seconds"] = clock_.seconds() - cell_begun_at;
  return [this, id, served = *std::move(result)]() -> Status {
    KV_TRY(runner_.keep_calibration(served.value("run_id", ""), machine_.around_cell()));
    KV_TRY(results_.add(id, served));
    if (hooks_.kept) hooks_.kept(id, served);
    return {};
  };
}

Expected<DirectoryLock> lock_sweep(const std::filesystem::path& folder) {
  return DirectoryLock::acquire(folder, {.file = "sweep.lock",
                                         .what = "sweep",
                                         .by_this_process = "another experiment of this process; wait for it",
                                         .advice = "wait for it, or end it there and resume here"});
}

Status write_tables(const SweepTable& table, const std::map<std::string, Json>& results,
                    const std::filesystem::path& folder, const EncodeTable& encode) {
  const std::array<ColumnTable, 2> tables{to_columns(table), cell_columns(table.plan, results)};
  KV_TRY(write_text_file(folder / "sweep.json", dump_json(to_json(table), 1) + "\n"));
  for (const ColumnTable& one : tables) {
    KV_TRY(write_text_file(folder / (one.name + ".csv"), csv_of(one)));
    if (!encode) continue;
    KV_ASSIGN(const auto bytes, encode(one));
    KV_TRY(write_text_file(folder / (one.name + ".parquet"), bytes));
  }
  return write_table_database(folder / "sweep.sqlite", tables);
}

}  // namespace kvantage::cli
