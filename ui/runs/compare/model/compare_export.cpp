#include "ui/runs/compare/model/compare_export.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/json.h"
#include "core/base/units.h"
#include "core/report/formats/latex.h"
#include "core/report/summary_table.h"
#include "ui/runs/compare/model/forest_rows.h"

namespace kvantage {
namespace {

const char* exported_group(MetricGroup group) {
  switch (group) {
    case MetricGroup::latency:
      return "Latency";
    case MetricGroup::quality:
      return "Quality";
    case MetricGroup::tiers:
      return "Tiers";
    case MetricGroup::cost:
      return "Cost";
  }
  return "";
}

/// In groups, those that one of the two runs has.
std::vector<const ComparedMetric*> exported_metrics(const RunComparison& comparison, std::size_t other,
                                                    MetricGroup group) {
  std::vector<const ComparedMetric*> metrics;
  for (const ComparedMetric& metric : comparison.metrics)
    if (metric_group(metric) == group && (metric.values[comparison.baseline] || metric.values[other]))
      metrics.push_back(&metric);
  return metrics;
}

std::string exported_head(const RunComparison& comparison, std::size_t other, const std::string& package) {
  std::string text = latex_comment("\\usepackage{" + package + "}");
  for (const std::size_t side : {comparison.baseline, other})
    text += latex_comment(run_letter(side) + ": " + comparison.runs[side] + ", " + comparison.names[side] +
                          side_notes(comparison, side));
  return text;
}

std::string signed_latex(double value, int digits) {
  return (value < 0 ? "$-$" : value > 0 ? "+" : "") + format_fixed(std::abs(value), digits);
}

/// " & difference & interval & n" of a row.
std::string difference_cells(const ComparedMetric& metric, const std::optional<ComparedValue>& base,
                             const std::optional<ComparedValue>& value) {
  const std::string none = " & --";
  if (!base || !value || !value->delta) return none + none + none;
  const int digits = compared_digits(metric.unit);
  std::string text = " & " + signed_latex(*value->delta, digits) + (is_significant(value->judgment) ? "*" : "");
  if (const auto& interval = value->delta_interval)
    text += " & [" + signed_latex(interval->low, digits) + ", " + signed_latex(interval->high, digits) + "]";
  else
    text += none;
  if (value->pairs > 0) return text + " & " + std::to_string(value->pairs);
  return value->n == 0 ? text + none : text + " & " + std::to_string(base->n) + ", " + std::to_string(value->n);
}

/// Every digit, as pgfplots reads numbers.
std::string plotted_number(double value) { return dump_json(Json(value)); }

struct PlottedMarks {
  const char* style;   // of pgfplots
  const char* legend;  // what it says
  std::string coordinates = {};
};

/// A point at row `row`, in percent of the baseline.
std::string plotted_mark(const ForestMark& mark, std::size_t row) {
  const double at = 100 * mark.difference;
  std::string text = "(" + plotted_number(at) + ", " + std::to_string(row) + ")";
  if (mark.interval)
    text += " += (" + plotted_number(100 * mark.interval->high - at) + ", 0) -= (" +
            plotted_number(at - 100 * mark.interval->low) + ", 0)";
  return text + "\n";
}

}  // namespace

std::string compared_booktabs(const RunComparison& comparison, std::size_t other) {
  const std::string base_letter = run_letter(comparison.baseline), letter = run_letter(other);
  std::string text = exported_head(comparison, other, "booktabs");
  text += "\\begin{tabular}{lrrrrr}\n\\toprule\nMetric & " + base_letter + " & " + letter + " & " + letter + " $-$ " +
          base_letter + " & 95\\,\\% interval & n \\\\\n";
  for (const MetricGroup group : metric_groups) {
    const auto metrics = exported_metrics(comparison, other, group);
    if (metrics.empty()) continue;
    text += std::string("\\midrule\n\\multicolumn{6}{l}{\\textit{") + exported_group(group) + "}} \\\\\n";
    for (const ComparedMetric* metric : metrics) {
      text += latex_escaped(metric->name);
      const auto &base = metric->values[comparison.baseline], &value = metric->values[other];
      for (const auto* one : {&base, &value})
        text += *one ? " & " + latex_escaped(value_text(*metric, **one)) : std::string(" & --");
      text += difference_cells(*metric, base, value) + " \\\\\n";
    }
  }
  return text + "\\bottomrule\n\\end{tabular}\n" + latex_comment("*: significant") + latex_comment(mark_legend());
}

std::string compared_forest_pgfplots(const RunComparison& comparison, std::size_t other) {
  std::vector<PlottedMarks> series{{"black, only marks, mark=*", "significant"},
                                   {"black!60, only marks, mark=o, mark options={solid}", "not significant"},
                                   {"black!60, only marks, mark=x", "not judged"}};
  std::string places, names;
  std::size_t rows = 0;
  for (const MetricGroup group : metric_groups)
    for (const ComparedMetric* metric : exported_metrics(comparison, other, group)) {
      const auto mark = forest_mark(comparison, *metric, other);
      if (!mark) continue;
      const bool alike = mark->judgment == Judgment::no_difference || mark->judgment == Judgment::same;
      const std::size_t kind = is_significant(mark->judgment) ? 0U : alike ? 1U : 2U;
      series[kind].coordinates += plotted_mark(*mark, rows);
      places += (rows == 0 ? "" : ",") + std::to_string(rows);
      names += (rows == 0 ? "{" : ",{") + latex_escaped(metric->name) + "}";
      ++rows;
    }
  std::string text = exported_head(comparison, other, "pgfplots");
  if (rows == 0) return text + latex_comment("(empty)");
  const std::string last = std::to_string(rows - 1) + ".5";
  text += "\\begin{tikzpicture}\n\\begin{axis}[width=0.7\\linewidth, height=" + std::to_string(2 + rows / 2) +
          "cm, y dir=reverse, ymin=-0.5, ymax=" + last + ", ytick={" + places + "}, yticklabels={" + names +
          "}, xmajorgrids, xlabel={" + run_letter(other) + " $-$ " + run_letter(comparison.baseline) + " (\\% of " +
          run_letter(comparison.baseline) +
          ")}, legend style={at={(0.5,1.03)}, anchor=south, font=\\scriptsize, legend columns=3}]\n";
  text += "\\addplot[black, no marks, forget plot] coordinates {(0, -0.5) (0, " + last + ")};\n";
  for (const PlottedMarks& marks : series)
    if (!marks.coordinates.empty())
      text += std::string("\\addplot[") + marks.style + ", error bars/.cd, x dir=both, x explicit] coordinates {\n" +
              marks.coordinates + "};\n\\addlegendentry{" + marks.legend + "}\n";
  return text + "\\end{axis}\n\\end{tikzpicture}\n";
}

std::string compared_contexts_pgfplots(const RunComparison& comparison, const ComparedDetails& details,
                                       std::size_t other, const std::string& metric) {
  std::string text = exported_head(comparison, other, "pgfplots");
  const auto shown = std::ranges::find(comparison.metrics, metric, &ComparedMetric::name);
  const auto values = details.contexts.find(metric);
  ReportPlot plot;
  plot.kind = ReportPlot::Kind::points;
  plot.diagonal = true;
  if (shown != comparison.metrics.end() && values != details.contexts.end()) {
    PlotSeries contexts;
    contexts.name = "contexts";
    const auto &before = values->second[comparison.baseline], &after = values->second[other];
    for (const auto& [context, value] : before)
      if (const auto found = after.find(context); found != after.end()) {
        PlotPoint& point = contexts.points.emplace_back();
        point.x = value.value;
        point.y = found->second.value;
      }
    if (!contexts.points.empty()) plot.series.push_back(std::move(contexts));
    plot.x_label = run_letter(comparison.baseline) + ": " + shown->name;
    plot.y_label = run_letter(other) + ": " + shown->name;
    plot.x_unit = plot.y_unit = shown->unit;
  }
  return plot.series.empty() ? text + latex_comment("(empty)") : text + latex_picture(plot);
}

}  // namespace kvantage
