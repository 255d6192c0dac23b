#include "core/report/report_charts.h"

#include <algorithm>

#include "core/base/units.h"
#include "core/report/chart.h"
#include "core/report/plot_drawing.h"
#include "core/report/table.h"

namespace kvantage {
namespace {

ReportChart frontier_chart(const RunReport& report) {
  const std::string metric = chosen_quality_metric(report);
  std::vector<ScatterPoint> points;
  for (const PolicyRow& row : report.rows) {
    const auto quality = row.quality.find(metric);
    if (row.requests == 0 || quality == row.quality.end()) continue;
    const Distribution& x = row.ttft_service_seconds;
    const Distribution& y = quality->second;
    ScatterPoint point{row.policy, x.mean * 1e3, y.mean, x.mean * 1e3, x.mean * 1e3, y.mean, y.mean, {}};
    if (x.interval) {
      point.x_low = x.interval->low * 1e3;
      point.x_high = x.interval->high * 1e3;
    }
    if (y.interval) {
      point.y_low = y.interval->low;
      point.y_high = y.interval->high;
    }
    point.title = row.policy + ": " + format_fixed(point.x, 1) + " ms (" + to_string(x.provenance) + "), " + metric + " " +
                  format_fixed(point.y, 3) + " (" + to_string(y.provenance) + "), n = " + std::to_string(y.n);
    points.push_back(std::move(point));
  }
  return {"Time to first token against quality", "Means with 95 % intervals (bootstrap over contexts). Up and to the left is better.",
          scatter_drawing("mean ttft_service, ms", metric, points)};
}

ReportChart split_chart(const RunReport& report) {
  std::vector<StackedBar> bars;
  for (const PolicyRow& row : report.rows) {
    if (row.requests == 0) continue;
    const TtftSplit& split = row.split;
    StackedBar bar{row.policy, {}, {}};
    for (const Figure* part : {&split.lookup, &split.load, &split.decode, &split.context_prefill, &split.question_prefill,
                               &split.other})
      bar.parts.push_back(part->value * 1e3);
    bar.total = format_fixed(row.ttft_service_seconds.mean * 1e3, 1) + " ms" + mark_of(row.ttft_service_seconds.provenance);
    bars.push_back(std::move(bar));
  }
  return {"Where service time goes", "Mean parts of ttft_service.",
          stacked_bars_drawing({"lookup", "load", "decode", "context prefill", "question prefill", "other"}, bars, "ms")};
}

ReportChart hit_chart(const RunReport& report) {
  std::vector<std::string> series;
  for (const PolicyRow& row : report.rows)
    for (const SourceShare& share : row.sources)
      if (share.source != "prefill" && std::ranges::find(series, share.source) == series.end()) series.push_back(share.source);
  series.push_back("prefill");
  std::vector<StackedBar> bars;
  for (const PolicyRow& row : report.rows) {
    if (row.requests == 0) continue;
    StackedBar bar{row.policy, std::vector<double>(series.size()), std::to_string(row.requests) + " requests"};
    for (const SourceShare& share : row.sources)
      bar.parts[static_cast<std::size_t>(std::ranges::find(series, share.source) - series.begin())] = share.request_rate * 100;
    bars.push_back(std::move(bar));
  }
  return {"Where requests were served from", "Share of requests by source; prefill means that the context was computed.",
          stacked_bars_drawing(series, bars, "%")};
}

}  // namespace

std::vector<ReportChart> charts_of(const RunReport& report) {
  std::vector<ReportChart> charts;
  for (ReportChart& chart : std::vector{frontier_chart(report), split_chart(report), hit_chart(report)})
    if (!chart.drawing.shapes.empty()) charts.push_back(std::move(chart));
  for (const ReportPlot& plot : report.plots) charts.push_back({plot.title, plot.note, plot_drawing(plot)});
  return charts;
}

}  // namespace kvantage
