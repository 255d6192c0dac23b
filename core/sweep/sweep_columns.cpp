#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

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

TableColumn& declare_column(ColumnTable& table, const char* name, ColumnType type, const char* unit, std::size_t rows) {
  TableColumn& column = table.columns.emplace_back(name, type, unit);
  column.reserve(rows);
  return column;
}

/// What makes a cell; methods and decode-time eviction only where a sweep has them: tables of others keep their
/// columns.
void add_axes(ColumnTable& table, const std::vector<const SweepCell*>& cells) {
  const auto add = [&](const char* name, ColumnType type, const char* unit, auto&& value_of) {
    TableColumn& column = declare_column(table, name, type, unit, cells.size());
    for (const SweepCell* cell : cells) column.add(value_of(*cell));
  };
  add("policy", ColumnType::text, "", [](const SweepCell& cell) -> TableCell { return cell.policy; });
  add("alpha", ColumnType::real, "s",
      [](const SweepCell& cell) { return cell.uses_alpha ? TableCell(cell.alpha) : TableCell(); });
  // A cell refers to its text, so the column copies it before the text is gone.
  TableColumn& budgets = declare_column(table, "budget", ColumnType::text, "", cells.size());
  for (const SweepCell* cell : cells) budgets.add(cell->budget.text());
  if (std::ranges::any_of(cells, [](const SweepCell* cell) { return !cell->methods.empty(); })) {
    TableColumn& methods = declare_column(table, "methods", ColumnType::text, "", cells.size());
    for (const SweepCell* cell : cells) methods.add(methods_text(*cell));
  }
  if (std::ranges::any_of(cells, [](const SweepCell* cell) { return !cell->decode_eviction.empty(); }))
    add("decode_eviction", ColumnType::text, "",
        [](const SweepCell& cell) -> TableCell { return cell.decode_eviction; });
  add("requests_per_second_offered", ColumnType::real, "1/s",
      [](const SweepCell& cell) -> TableCell { return cell.requests_per_second; });
}

/// Of the plan, for its tables.
std::string plan_text(const SweepPlan& plan) {
  OrderedJson json = to_json(plan);
  json.erase("cells");
  return dump_json(json);
}

/// A cell of the plan, and its result where it has one.
struct CellResult {
  std::string id;
  const SweepCell* cell = nullptr;
  const Json* result = nullptr;

  bool has_failed() const { return result != nullptr && result->contains("failed"); }
  /// Empty where the result has no such field of that type.
  TableCell text(const char* name) const {
    const Json* value = find(name);
    return value != nullptr && value->is_string() ? text_or_nothing(*value->get_ptr<const std::string*>())
                                                  : TableCell();
  }
  TableCell real(const std::string& name) const {
    const Json* value = find(name);
    return value != nullptr && value->is_number() ? TableCell(value->get<double>()) : TableCell();
  }
  TableCell whole(const char* name) const {
    const Json* value = find(name);
    if (value == nullptr || !value->is_number_integer()) return {};
    if (value->is_number_unsigned()) return whole_cell(value->get<std::uint64_t>());
    return value->get<std::int64_t>();
  }

 private:
  const Json* find(const std::string& name) const {
    if (result == nullptr) return nullptr;
    const auto found = result->find(name);
    return found == result->end() ? nullptr : &*found;
  }
};

std::vector<CellResult> cells_with_results(const SweepPlan& plan, const std::map<std::string, Json>& results) {
  std::vector<CellResult> cells;
  cells.reserve(plan.cells.size());
  std::set<std::string> seen;  // somebody's plan may name a cell twice
  const CellIds ids(plan);
  for (const SweepCell& cell : plan.cells) {
    std::string id = ids.of(cell);
    if (!seen.insert(id).second) continue;
    const auto found = results.find(id);
    const Json* result = found != results.end() && found->second.is_object() ? &found->second : nullptr;
    cells.push_back({std::move(id), &cell, result});
  }
  return cells;
}

}  // namespace

ColumnTable to_columns(const SweepTable& table) {
  const std::vector<SweepRow>& rows = table.rows;
  ColumnTable columns{
      "sweep", {}, {{"quality_metric", valid_utf8(table.quality_metric)}, {"plan", plan_text(table.plan)}}};
  const auto add = [&](const char* name, ColumnType type, const char* unit, auto&& value_of) {
    TableColumn& column = declare_column(columns, name, type, unit, rows.size());
    for (const SweepRow& row : rows) column.add(value_of(row));
  };
  std::vector<const SweepCell*> cells;
  cells.reserve(rows.size());
  for (const SweepRow& row : rows) cells.push_back(&row.cell);
  add_axes(columns, cells);
  add("seeds", ColumnType::whole, "1", [](const SweepRow& row) { return whole_cell(row.n); });
  add("requests", ColumnType::whole, "1", [](const SweepRow& row) { return whole_cell(row.requests); });
  add("provenance", ColumnType::text, "", [](const SweepRow& row) -> TableCell { return row.provenance; });
  add("on_frontier", ColumnType::flag, "", [](const SweepRow& row) -> TableCell { return row.on_frontier; });
  add_metrics(columns, rows);
  TableColumn& runs = declare_column(columns, "run_ids", ColumnType::text, "", rows.size());
  for (const SweepRow& row : rows) {
    std::string ids;
    for (const std::string& id : row.run_ids) ids += (ids.empty() ? "" : " ") + id;
    runs.add(ids);
  }
  return columns;
}

ColumnTable cell_columns(const SweepPlan& plan, const std::map<std::string, Json>& results) {
  const std::vector<CellResult> rows = cells_with_results(plan, results);
  ColumnTable columns{"cells", {}, {{"plan", plan_text(plan)}}};
  const auto add = [&](const char* name, ColumnType type, const char* unit, auto&& value_of) {
    TableColumn& column = declare_column(columns, name, type, unit, rows.size());
    for (const CellResult& row : rows) column.add(value_of(row));
  };
  const auto add_text = [&](const char* name) {
    add(name, ColumnType::text, "", [name](const CellResult& row) { return row.text(name); });
  };
  const auto add_whole = [&](const char* name, const char* unit) {
    add(name, ColumnType::whole, unit, [name](const CellResult& row) { return row.whole(name); });
  };
  add("cell", ColumnType::text, "", [](const CellResult& row) -> TableCell { return row.id; });
  std::vector<const SweepCell*> cells;
  cells.reserve(rows.size());
  for (const CellResult& row : rows) cells.push_back(row.cell);
  add_axes(columns, cells);
  add("seed", ColumnType::whole, "1", [](const CellResult& row) { return whole_cell(row.cell->seed); });
  add("state", ColumnType::text, "", [](const CellResult& row) -> TableCell {
    return std::string_view(row.result == nullptr ? "missing" : row.has_failed() ? "failed" : "done");
  });
  add_whole("requests", "1");
  add_text("provenance");
  for (const std::string_view metric : sweep_metrics) {
    const std::string name(metric);
    add(name.c_str(), ColumnType::real, unit_of(metric), [&](const CellResult& row) { return row.real(name); });
  }
  add("lp_gap", ColumnType::real, "1", [](const CellResult& row) { return row.real("lp_gap"); });
  add_text("quality_metric");
  add("cell_seconds", ColumnType::real, "s", [](const CellResult& row) { return row.real("cell_seconds"); });
  for (const char* name : {"run_id", "host", "hardware", "worker"}) add_text(name);
  for (const char* name : {"began_utc_ns", "ended_utc_ns"}) add_whole(name, "ns");
  add_text("failed");
  return columns;
}

}  // namespace kvantage::inline sweep
