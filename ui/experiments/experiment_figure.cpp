#include "ui/experiments/experiment_figure.h"

#include <QCoreApplication>
#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <utility>

#include "ui/experiments/experiment_axes.h"
#include "ui/text/core_text.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

struct ExperimentFigure {
  Q_DECLARE_TR_FUNCTIONS(ExperimentFigure)
};

constexpr const char* seeds_column = "n";  // the first behind the settings

/// A part of a cell, named where cells differ in it.
struct Setting {
  QString title;
  std::function<Json(const SweepCell& cell)> value;
  std::function<QString(const SweepCell& cell)> label;
  QString axis = {}, along = {};                           // of lines along it, "%1 along α"; empty: there are none
  std::function<Json(const SweepCell& cell)> number = {};  // on that axis; null: not on it
};

Json alpha_number(const SweepCell& cell) { return cell.uses_alpha ? Json(cell.alpha) : Json(nullptr); }
/// In percent of the uncompressed caches. Other budgets, such as one for each tier, are on no axis.
Json budget_number(const SweepCell& cell) {
  const bool on_axis = cell.budget.tiers.empty() && cell.budget.of_uncompressed;
  return on_axis ? Json(100 * cell.budget.value) : Json(nullptr);
}
/// A closed loop has none.
Json rate_number(const SweepCell& cell) {
  return cell.requests_per_second > 0 ? Json(cell.requests_per_second) : Json(nullptr);
}

std::vector<Setting> settings_of(const SweepTable& table) {
  const QString alpha = ExperimentFigure::tr("α (s)"), rate = ExperimentFigure::tr("Rate (1/s)");
  const std::vector<Setting> all{
      {alpha, alpha_number,
       [](const SweepCell& cell) {
         return cell.uses_alpha ? QStringLiteral("α %1").arg(number_text(cell.alpha)) : QString();
       },
       alpha, ExperimentFigure::tr("%1 along α"), alpha_number},
      {ExperimentFigure::tr("Budget"),
       [](const SweepCell& cell) { return Json(from_q(short_numbers(cell.budget.text()))); },
       [](const SweepCell& cell) { return short_numbers(cell.budget.text()); },
       ExperimentFigure::tr("Budget (% of the uncompressed caches)"), ExperimentFigure::tr("%1 along the budget"),
       budget_number},
      {ExperimentFigure::tr("Methods"), [](const SweepCell& cell) { return Json(methods_text(cell)); },
       [](const SweepCell& cell) { return cell.methods.empty() ? QString() : to_q(methods_text(cell)); }},
      {ExperimentFigure::tr("Decode-time eviction"),
       [](const SweepCell& cell) { return Json(cell.decode_eviction.empty() ? "-" : cell.decode_eviction); },
       [](const SweepCell& cell) { return to_q(cell.decode_eviction); }},
      {rate, [](const SweepCell& cell) { return Json(cell.requests_per_second); },
       [](const SweepCell& cell) { return ExperimentFigure::tr("%1/s").arg(number_text(cell.requests_per_second)); },
       rate, ExperimentFigure::tr("%1 along the rate"), rate_number}};
  std::vector<Setting> differing;
  for (const Setting& setting : all)
    if (std::ranges::any_of(table.plan.cells, [&](const SweepCell& cell) {
          return setting.value(cell) != setting.value(table.plan.cells.front());
        }))
      differing.push_back(setting);
  return differing;
}

/// Of the row that is furthest from a measurement.
Provenance provenance_of(const SweepTable& table) {
  for (const Provenance one :
       {Provenance::imported, Provenance::predicted, Provenance::simulated, Provenance::throttled})
    if (std::ranges::find(table.rows, to_string(one), &SweepRow::provenance) != table.rows.end()) return one;
  return Provenance::measured;
}

void add_metric(std::vector<Json>& row, const SweepMetric& metric, double unit) {
  row.emplace_back(metric.mean * unit);
  row.push_back(metric.interval ? Json(metric.interval->low * unit) : Json(nullptr));
  row.push_back(metric.interval ? Json(metric.interval->high * unit) : Json(nullptr));
}

/// A metric of every cell, with its title in the shown unit.
struct PlottedMetric {
  const char* name;
  std::string title;
  double unit;
};
/// TTFT, then quality.
std::array<PlottedMetric, 2> plotted_metrics(const SweepTable& table) {
  const QString quality = table.quality_metric.empty()
                              ? ExperimentFigure::tr("Quality")
                              : ExperimentFigure::tr("Quality (%1)").arg(to_q(table.quality_metric));
  return {PlottedMetric{"ttft_service_seconds", from_q(ExperimentFigure::tr("Service TTFT (ms)")), 1e3},
          PlottedMetric{"quality", from_q(quality), 1}};
}

FigureTable measured_rows(const SweepTable& table) {
  const std::vector<Setting> settings = settings_of(table);
  const auto metrics = plotted_metrics(table);
  const std::string policy = from_q(ExperimentFigure::tr("Policy")), point = from_q(ExperimentFigure::tr("Setting"));
  const std::string &ttft = metrics[0].title, &quality = metrics[1].title;
  FigureTable made;
  made.title = from_q(ExperimentFigure::tr("Measured points"));
  made.columns = {policy};
  for (const Setting& setting : settings) made.columns.push_back(from_q(setting.title));
  for (const std::string& column :
       {std::string(seeds_column), ttft, std::string("low"), std::string("high"), quality, std::string("low"),
        std::string("high"), from_q(ExperimentFigure::tr("TTFT (ms)")), from_q(ExperimentFigure::tr("Hit rate")),
        from_q(ExperimentFigure::tr("On the frontier")), point})
    made.columns.push_back(column);
  made.rows.reserve(table.rows.size());
  for (const SweepRow& row : table.rows) {
    std::vector<Json>& line = made.rows.emplace_back();
    QStringList labels;
    line.emplace_back(row.cell.policy);
    for (const Setting& setting : settings) {
      line.push_back(setting.value(row.cell));
      if (const QString label = setting.label(row.cell); !label.isEmpty()) labels << label;
    }
    line.emplace_back(row.n);
    for (const PlottedMetric& metric : metrics) add_metric(line, row.metrics.at(metric.name), metric.unit);
    line.emplace_back(row.metrics.at("ttft_seconds").mean * 1e3);
    line.emplace_back(row.metrics.at("hit_rate").mean);
    line.emplace_back(row.on_frontier ? "*" : "");
    line.emplace_back(from_q(labels.join(QStringLiteral(", "))));
  }
  made.plot = FigurePlot{FigurePlot::Kind::scatter, ttft, {quality}, {}, {policy, point}, {}};
  return made;
}

/// A metric of the rows along a setting, a line for each combination of policy and the other settings. The band is
/// from the lowest to the highest seed, where there are several.
FigureTable lines_along(const SweepTable& table, const std::vector<Setting>& settings, const Setting& along,
                        const PlottedMetric& metric) {
  const std::string policy = from_q(ExperimentFigure::tr("Policy")), axis = from_q(along.axis);
  FigureTable made;
  made.title = from_q(along.along.arg(to_q(metric.title)));
  std::vector<std::string> by{policy};
  for (const Setting& other : settings)
    if (&other != &along) by.push_back(from_q(other.title));
  made.columns = by;
  for (const std::string& column :
       {axis, metric.title, std::string("low"), std::string("high"), std::string(seeds_column)})
    made.columns.push_back(column);
  made.rows.reserve(table.rows.size());
  for (const SweepRow& row : table.rows) {
    const Json at = along.number(row.cell);
    if (at.is_null()) continue;
    std::vector<Json>& line = made.rows.emplace_back();
    line.emplace_back(row.cell.policy);
    for (const Setting& other : settings)
      if (&other != &along) line.push_back(other.value(row.cell));
    const SweepMetric& values = row.metrics.at(metric.name);
    line.push_back(at);
    line.emplace_back(values.mean * metric.unit);
    line.push_back(row.n > 1 ? Json(values.min * metric.unit) : Json(nullptr));
    line.push_back(row.n > 1 ? Json(values.max * metric.unit) : Json(nullptr));
    line.emplace_back(row.n);
  }
  made.plot = FigurePlot{.kind = FigurePlot::Kind::lines,
                         .x = axis,
                         .y = {metric.title},
                         .by = std::move(by),
                         .band = from_q(ExperimentFigure::tr("range over seeds"))};
  return made;
}

/// Along each setting with two numbers or more.
std::vector<FigureTable> all_lines(const SweepTable& table) {
  std::vector<FigureTable> made;
  if (table.rows.empty()) return made;
  const std::vector<Setting> settings = settings_of(table);
  for (const Setting& along : settings) {
    if (!along.number) continue;
    std::set<double> numbers;
    for (const SweepCell& cell : table.plan.cells)
      if (const Json at = along.number(cell); !at.is_null()) numbers.insert(at.get<double>());
    if (numbers.size() < 2) continue;
    for (const PlottedMetric& metric : plotted_metrics(table))
      made.push_back(lines_along(table, settings, along, metric));
  }
  return made;
}

FigureTable failed_cells(const SweepTable& table) {
  FigureTable made;
  made.title = from_q(ExperimentFigure::tr("Failed cells"));
  made.columns = {from_q(ExperimentFigure::tr("Cell")), from_q(ExperimentFigure::tr("Reason"))};
  made.rows.reserve(table.failed.size());
  for (const SweepFailure& failure : table.failed)
    made.rows.push_back({Json(policy_text(failure.cell) + ", " + from_q(short_numbers(failure.cell.budget.text())) +
                              ", seed " + std::to_string(failure.cell.seed)),
                         Json(from_q(core_text(failure.why)))});
  return made;
}

}  // namespace

std::size_t experiment_row_keys(const FigureTable& measured) {
  return static_cast<std::size_t>(std::ranges::find(measured.columns, seeds_column) - measured.columns.begin());
}

FigureResult experiment_figure(const QString& name, const SweepTable& table) {
  FigureResult result;
  result.figure = from_q(name);
  result.title = from_q(name);
  result.settings = {{"workload", table.plan.workload}, {"cells", table.plan.cells.size()}, {"done", table.done}};
  result.provenance = provenance_of(table);
  result.tables.push_back(measured_rows(table));
  for (FigureTable& lines : all_lines(table)) result.tables.push_back(std::move(lines));
  if (!table.failed.empty()) result.tables.push_back(failed_cells(table));
  for (const SweepRow& row : table.rows) result.runs.insert(result.runs.end(), row.run_ids.begin(), row.run_ids.end());
  return result;
}

}  // namespace kvantage
