// links: core_sweep
// A sweep's plan, and a result for each of its cells: the plan is read as it was written with the same ids of cells,
// and the table counts every result once.
#include <set>

#include "core/sweep/sweep_table.h"
#include "tests/fuzz/fuzzing.h"

namespace {

using namespace kvantage;

void check_table(const SweepPlan& plan, std::span<const std::string> texts) {
  std::map<std::string, Json> results;
  for (std::size_t i = 0; i < texts.size() && i < plan.cells.size(); ++i)
    if (const auto json = parse_json(texts[i], "result")) results[cell_id(plan, plan.cells[i])] = *json;
  const SweepTable table = make_sweep_table(plan, results);
  test::must_hold(table.done + table.failed.size() <= plan.cells.size(), "a cell is done or failed once");
  std::size_t counted = 0;
  for (const SweepRow& row : table.rows) {
    counted += row.n;
    test::must_hold(row.n > 0 && row.figures.size() == sweep_metrics.size(), "a row has seeds and all its metrics");
    test::must_hold(!row.on_frontier || row.requests > 0, "a row without answers is not on the frontier");
  }
  test::must_hold(counted == table.done, "rows count every result");
  test::must_hold(parse_json(dump_json(to_json(table)), "table").has_value(), "a table is JSON");
  const std::string csv = to_csv(table), text = to_text(table);
  test::must_hold(csv.ends_with('\n') && !text.empty(), "a table is lines");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto texts = test::sections_of(test::text_of(data, size));
  const auto json = parse_json(texts[0], "plan.json");
  if (!json) return 0;
  const auto plan = sweep_plan_from_json(*json, "plan.json");
  if (!plan) {
    test::check_file_refusal(plan.error());
    return 0;
  }
  const std::string written = dump_json(to_json(*plan));
  const auto read = parse_json(written, "again");
  test::must_hold(read.has_value(), "a plan is JSON");
  const auto again = sweep_plan_from_json(*read, "again");
  test::must_hold(again && dump_json(to_json(*again)) == written, "a plan is read as it was written");
  test::must_hold(check_same_sweep(*plan, *again, "here").has_value(), "a plan is the same sweep as itself");
  for (std::size_t i = 0; i < plan->cells.size(); ++i)
    test::must_hold(cell_id(*plan, plan->cells[i]) == cell_id(*again, again->cells[i]), "a cell keeps its id");
  check_table(*plan, std::span(texts).subspan(1));
  return 0;
}
