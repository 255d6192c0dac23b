#include "ui/experiments/experiment_figure.h"

#include <QCoreApplication>
#include <algorithm>
#include <functional>

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
};

std::vector<Setting> settings_of(const SweepTable& table) {
  const std::vector<Setting> all{
      {ExperimentFigure::tr("α (s)"),
       [](const SweepCell& cell) { return cell.uses_alpha ? Json(cell.alpha) : Json(nullptr); },
       [](const SweepCell& cell) {
         return cell.uses_alpha ? QStringLiteral("α %1").arg(number_text(cell.alpha)) : QString();
       }},
      {ExperimentFigure::tr("Budget"),
       [](const SweepCell& cell) { return Json(from_q(short_numbers(cell.budget.text()))); },
       [](const SweepCell& cell) { return short_numbers(cell.budget.text()); }},
      {ExperimentFigure::tr("Methods"), [](const SweepCell& cell) { return Json(methods_text(cell)); },
       [](const SweepCell& cell) { return cell.methods.empty() ? QString() : to_q(methods_text(cell)); }},
      {ExperimentFigure::tr("Decode-time eviction"),
       [](const SweepCell& cell) { return Json(cell.decode_eviction.empty() ? "-" : cell.decode_eviction); },
       [](const SweepCell& cell) { return to_q(cell.decode_eviction); }},
      {ExperimentFigure::tr("Rate (1/s)"), [](const SweepCell& cell) { return Json(cell.requests_per_second); },
       [](const SweepCell& cell) { return ExperimentFigure::tr("%1/s").arg(number_text(cell.requests_per_second)); }}};
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

FigureTable measured_rows(const SweepTable& table) {
  const std::vector<Setting> settings = settings_of(table);
  const std::string policy = from_q(ExperimentFigure::tr("Policy")), point = from_q(ExperimentFigure::tr("Setting")),
                    ttft = from_q(ExperimentFigure::tr("Service TTFT (ms)")),
                    quality = table.quality_metric.empty()
                                  ? from_q(ExperimentFigure::tr("Quality"))
                                  : from_q(ExperimentFigure::tr("Quality (%1)").arg(to_q(table.quality_metric)));
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
    add_metric(line, row.metrics.at("ttft_service_seconds"), 1e3);
    add_metric(line, row.metrics.at("quality"), 1);
    line.emplace_back(row.metrics.at("ttft_seconds").mean * 1e3);
    line.emplace_back(row.metrics.at("hit_rate").mean);
    line.emplace_back(row.on_frontier ? "*" : "");
    line.emplace_back(from_q(labels.join(QStringLiteral(", "))));
  }
  made.plot = FigurePlot{FigurePlot::Kind::scatter, ttft, {quality}, {}, {policy, point}, {}};
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
  if (!table.failed.empty()) result.tables.push_back(failed_cells(table));
  for (const SweepRow& row : table.rows) result.runs.insert(result.runs.end(), row.run_ids.begin(), row.run_ids.end());
  return result;
}

}  // namespace kvantage
