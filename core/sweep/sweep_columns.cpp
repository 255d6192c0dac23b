#include <algorithm>
#include <string>

#include "core/base/json_fields.h"
#include "core/sweep/sweep_table.h"

namespace kvantage::inline sweep {
namespace {

/// Of a metric of sweep_metrics: its name says what it counts.
const char* unit_of(std::string_view metric) {
  if (metric.ends_with("_seconds")) return "s";
  if (metric.ends_with("_bytes")) return "B";
  return metric == "requests_per_second" ? "1/s" : "1";
}

void add_metrics(ColumnTable& table, const std::vector<SweepRow>& rows) {
  for (const std::string_view metric : sweep_metrics) {
    const std::string name(metric);
    const auto add = [&](const char* end, auto&& value_of) {
      TableColumn& column = table.columns.emplace_back(name + end, ColumnType::real, unit_of(metric));
      column.reserve(rows.size());
      for (const SweepRow& row : rows) column.add(value_of(row.metrics.at(name)));
    };
    add("", [](const SweepMetric& m) -> TableCell { return m.mean; });
    add("_low", [](const SweepMetric& m) { return m.interval ? TableCell(m.interval->low) : TableCell(); });
    add("_high", [](const SweepMetric& m) { return m.interval ? TableCell(m.interval->high) : TableCell(); });
    add("_least", [](const SweepMetric& m) -> TableCell { return m.min; });
    add("_most", [](const SweepMetric& m) -> TableCell { return m.max; });
  }
}

}  // namespace

ColumnTable to_columns(const SweepTable& table) {
  const std::vector<SweepRow>& rows = table.rows;
  OrderedJson plan = to_json(table.plan);
  plan.erase("cells");
  ColumnTable columns{"sweep", {}, {{"quality_metric", valid_utf8(table.quality_metric)}, {"plan", dump_json(plan)}}};
  const auto declare = [&](const char* name, ColumnType type, const char* unit = "") -> TableColumn& {
    TableColumn& column = columns.columns.emplace_back(name, type, unit);
    column.reserve(rows.size());
    return column;
  };
  const auto add = [&](const char* name, ColumnType type, const char* unit, auto&& value_of) {
    TableColumn& column = declare(name, type, unit);
    for (const SweepRow& row : rows) column.add(value_of(row));
  };
  add("policy", ColumnType::text, "", [](const SweepRow& row) -> TableCell { return row.cell.policy; });
  add("alpha", ColumnType::real, "s",
      [](const SweepRow& row) { return row.cell.uses_alpha ? TableCell(row.cell.alpha) : TableCell(); });
  TableColumn& budgets = declare("budget", ColumnType::text);
  for (const SweepRow& row : rows) budgets.add(row.cell.budget.text());
  // Only where a sweep has them: tables of others keep their columns.
  if (std::ranges::any_of(rows, [](const SweepRow& row) { return !row.cell.methods.empty(); }))
    add("methods", ColumnType::text, "", [](const SweepRow& row) -> TableCell { return methods_text(row.cell); });
  if (std::ranges::any_of(rows, [](const SweepRow& row) { return !row.cell.decode_eviction.empty(); }))
    add("decode_eviction", ColumnType::text, "",
        [](const SweepRow& row) -> TableCell { return row.cell.decode_eviction; });
  add("requests_per_second_offered", ColumnType::real, "1/s",
      [](const SweepRow& row) -> TableCell { return row.cell.requests_per_second; });
  add("seeds", ColumnType::whole, "1", [](const SweepRow& row) { return whole_cell(row.n); });
  add("requests", ColumnType::whole, "1", [](const SweepRow& row) { return whole_cell(row.requests); });
  add("provenance", ColumnType::text, "", [](const SweepRow& row) -> TableCell { return row.provenance; });
  add("on_frontier", ColumnType::flag, "", [](const SweepRow& row) -> TableCell { return row.on_frontier; });
  add_metrics(columns, rows);
  TableColumn& runs = declare("run_ids", ColumnType::text);
  for (const SweepRow& row : rows) {
    std::string ids;
    for (const std::string& id : row.run_ids) ids += (ids.empty() ? "" : " ") + id;
    runs.add(ids);
  }
  return columns;
}

}  // namespace kvantage::inline sweep
