#include "core/report/row_plots.h"

#include <algorithm>
#include <array>

#include "core/base/counted.h"
#include "core/base/units.h"
#include "core/report/answer_basis.h"
#include "core/report/plot_axes.h"
#include "core/report/table.h"

namespace kvantage::inline report {
namespace {

using PlotKind = ReportPlot::Kind;

std::optional<Interval> times(const std::optional<Interval>& interval, double factor) {
  if (!interval) return std::nullopt;
  return Interval{interval->low * factor, interval->high * factor};
}

ReportPlot frontier_plot(const RunReport& report) {
  const std::string metric = chosen_quality_metric(report);
  ReportPlot plot{.name = "ttft_quality",
                  .part = {},
                  .title = "Time to first token against quality",
                  .note = "Means with 95 % intervals (bootstrap over contexts). Up and to the left is better.",
                  .x_label = "mean TTFT (service)",
                  .x_unit = "ms",
                  .y_label = quality_name(metric, report.basis),
                  .y_unit = "1",
                  .kind = PlotKind::means,
                  .series = {}};
  std::string levels;
  for (const PolicyRow& row : report.rows) {
    const auto quality = row.quality.find(metric);
    if (row.requests == 0 || quality == row.quality.end()) continue;
    const Distribution &x = row.ttft_service_seconds, &y = quality->second;
    PlotSeries series{.name = row.policy, .points = {{x.mean * 1e3, y.mean, y.interval, y.n, times(x.interval, 1e3)}}};
    series.provenance = y.provenance;
    series.x_provenance = x.provenance;
    plot.series.push_back(std::move(series));
    const auto mean_in = [&](const std::map<std::string, Distribution>& of) {
      const auto found = of.find(metric);
      return found == of.end() || found->second.n == 0 ? std::string("-") : format_fixed(found->second.mean, 3);
    };
    levels += (levels.empty() ? " The same requests with uncompressed caches, and chance level: " : "; ") + row.policy +
              " " + mean_in(row.quality_uncompressed) + ", " + mean_in(row.quality_chance);
  }
  if (!levels.empty()) plot.note += levels + ".";
  return plot;
}

ReportPlot split_plot(const RunReport& report) {
  ReportPlot plot{.name = "ttft_split",
                  .part = {},
                  .title = "TTFT breakdown",
                  .note = "Mean parts of TTFT (service).",
                  .x_label = "policy",
                  .x_unit = "1",
                  .y_label = "mean part of TTFT (service)",
                  .y_unit = "ms",
                  .kind = PlotKind::bars,
                  .series = {}};
  for (const char* part : {"lookup", "load", "decode", "context prefill", "question prefill", "other"})
    plot.series.push_back({.name = part, .points = {}, .label = ttft_part_text(part)});
  for (const PolicyRow& row : report.rows) {
    if (row.requests == 0) continue;
    const TtftSplit& split = row.split;
    const auto place = static_cast<double>(plot.places.size());
    auto series = plot.series.begin();
    for (const MetricValue* part :
         {&split.lookup, &split.load, &split.decode, &split.context_prefill, &split.question_prefill, &split.other}) {
      series->points.push_back({place, part->value * 1e3, std::nullopt, row.ttft_service_seconds.n});
      series->provenance = std::max(series->provenance, part->provenance);
      ++series;
    }
    plot.places.push_back({row.policy, format_fixed(row.ttft_service_seconds.mean * 1e3, 1) + " ms" +
                                           mark_of(row.ttft_service_seconds.provenance)});
  }
  return plot;
}

ReportPlot sources_plot(const RunReport& report) {
  ReportPlot plot{.name = "sources",
                  .part = {},
                  .title = "Requests by source",
                  .note = "Share of requests by source; prefill means that the context was computed.",
                  .x_label = "policy",
                  .x_unit = "1",
                  .y_label = "share of requests",
                  .y_unit = "%",
                  .kind = PlotKind::bars,
                  .series = {}};
  const auto known = [&](const std::string& source) {
    return std::ranges::find(plot.series, source, &PlotSeries::name) != plot.series.end();
  };
  for (const PolicyRow& row : report.rows)
    for (const SourceShare& share : row.sources)
      if (share.source != "prefill" && !known(share.source))
        plot.series.push_back({.name = share.source, .points = {}});
  plot.series.push_back({.name = "prefill", .points = {}});
  for (const PolicyRow& row : report.rows) {
    if (row.requests == 0) continue;
    const auto place = static_cast<double>(plot.places.size());
    for (PlotSeries& series : plot.series) {
      const auto share = std::ranges::find(row.sources, series.name, &SourceShare::source);
      series.provenance = std::max(series.provenance, row.provenance);
      // A tier missing from a run serves none of its requests.
      if (share == row.sources.end())
        series.points.push_back({place, 0, std::nullopt, row.hit_rate.n});
      else
        series.points.push_back(
            {place, share->request_rate * 100, times(share->request_interval, 100), row.hit_rate.n});
    }
    plot.places.push_back({row.policy, counted(row.requests, "request")});
  }
  return plot;
}

ReportPlot boxes_plot(const RunReport& report) {
  struct Part {
    double fraction;
    const char* name;
  };
  constexpr std::array parts{Part{0.05, "5th percentile"}, Part{0.25, "lower quartile"}, Part{0.50, "median"},
                             Part{0.75, "upper quartile"}, Part{0.95, "95th percentile"}};
  ReportPlot plot{.name = "ttft_boxes",
                  .part = {},
                  .title = "TTFT by run",
                  .note =
                      "Box: lower quartile to upper quartile; line: median; whiskers: 5th percentile to 95th "
                      "percentile. Percentiles are interpolated linearly (Hyndman and Fan, type 7).",
                  .x_label = "run",
                  .x_unit = "1",
                  .y_label = "TTFT (service)",
                  .y_unit = "ms",
                  .kind = PlotKind::boxes,
                  .series = {}};
  for (const Part& part : parts) plot.series.push_back({.name = part.name, .points = {}});
  for (const PolicyRow& row : report.rows) {
    const std::vector<double>& seconds = row.split.service_seconds;
    if (seconds.empty()) continue;
    const auto place = static_cast<double>(plot.places.size());
    for (std::size_t i = 0; i < parts.size(); ++i) {
      PlotSeries& series = plot.series[i];
      series.points.push_back({place, percentile(seconds, parts[i].fraction) * 1e3, std::nullopt, seconds.size()});
      series.provenance = std::max(series.provenance, row.ttft_service_seconds.provenance);
    }
    plot.places.push_back(
        {row.policy, "n = " + std::to_string(seconds.size()) + mark_of(row.ttft_service_seconds.provenance)});
  }
  return plot;
}

/// A point per bin, and one at the last edge.
PlotSeries histogram_series(const PolicyRow& row, const std::vector<double>& edges) {
  PlotSeries series{.name = row.policy, .points = {}, .provenance = row.ttft_service_seconds.provenance};
  for (const double edge : edges) series.points.push_back({edge, 0});
  for (const double seconds : row.split.service_seconds) ++series.points[bin_of(edges, seconds * 1e3)].y;
  return series;
}

std::vector<ReportPlot> histogram_plots(const RunReport& report) {
  std::vector<const PolicyRow*> rows;
  std::vector<double> all;
  for (const PolicyRow& row : report.rows) {
    if (row.split.service_seconds.empty()) continue;
    rows.push_back(&row);
    for (const double seconds : row.split.service_seconds) all.push_back(seconds * 1e3);
  }
  std::vector<ReportPlot> plots;
  if (all.empty()) return plots;
  const std::vector<double> edges = bin_edges(all);
  const std::size_t charts = (rows.size() + max_histogram_runs - 1) / max_histogram_runs;
  for (std::size_t chart = 0; chart < charts; ++chart) {
    const std::string number = std::to_string(chart + 1);
    ReportPlot plot{.name = "ttft_histogram",
                    .part = charts > 1 ? number : std::string(),
                    .title = "TTFT histogram" + (charts > 1 ? ", " + number + " of " + std::to_string(charts) : ""),
                    .note =
                        "Requests by TTFT (service), in bins of equal width (Freedman and Diaconis) that are the "
                        "same for all runs. ",
                    .x_label = "TTFT (service)",
                    .x_unit = "ms",
                    .y_label = "requests",
                    .y_unit = "1",
                    .kind = PlotKind::histogram,
                    .series = {}};
    const std::size_t first = chart * max_histogram_runs;
    for (std::size_t i = first; i < std::min(rows.size(), first + max_histogram_runs); ++i) {
      plot.series.push_back(histogram_series(*rows[i], edges));
      plot.note += (i == first ? "n = " : ", ") + std::to_string(rows[i]->split.service_seconds.size()) +
                   (rows.size() > 1 ? " (" + rows[i]->policy + ")" : "");
    }
    plot.note += ".";
    plots.push_back(std::move(plot));
  }
  return plots;
}

}  // namespace

std::vector<ReportPlot> plots_of_rows(const RunReport& report) {
  std::vector<ReportPlot> plots;
  for (ReportPlot& plot :
       std::vector{frontier_plot(report), split_plot(report), sources_plot(report), boxes_plot(report)})
    if (!plot.series.empty() && !plot.series.front().points.empty()) plots.push_back(std::move(plot));
  for (ReportPlot& plot : histogram_plots(report)) plots.push_back(std::move(plot));
  return plots;
}

}  // namespace kvantage::inline report
