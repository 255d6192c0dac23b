#include "ui/report/page_content.h"

#include <algorithm>

#include "core/report/report_content.h"
#include "ui/report/findings.h"

namespace kvantage::inline report_pages {
namespace {

using Style = PageText::Style;

PageChart chart_of(const ReportPlot& plot, const std::vector<NamedRun>& runs) {
  PageChart chart{plot};
  if (plot.kind == ReportPlot::Kind::means || plot.kind == ReportPlot::Kind::histogram)
    for (const PlotSeries& series : plot.series) chart.letters.push_back(letter_of(runs, series.name));
  for (const PlotPlace& place : plot.places) chart.letters.push_back(letter_of(runs, place.name));
  return chart;
}

/// Places from `begin` to `end` as a chart of their own.
PageChart places_between(const PageChart& whole, std::size_t begin, std::size_t end) {
  PageChart part = whole;
  const auto at = [](auto& list, std::size_t place) { return list.begin() + static_cast<std::ptrdiff_t>(place); };
  part.plot.places.assign(at(whole.plot.places, begin), at(whole.plot.places, end));
  part.letters.assign(at(whole.letters, begin), at(whole.letters, end));
  for (PlotSeries& series : part.plot.series) {
    std::erase_if(series.points, [&](const PlotPoint& point) {
      return point.x < static_cast<double>(begin) || point.x >= static_cast<double>(end);
    });
    for (PlotPoint& point : series.points) point.x -= static_cast<double>(begin);
  }
  return part;
}

void add_fields(const char* title, const std::vector<ReportField>& fields, std::vector<PageBlock>& blocks) {
  if (fields.empty()) return;
  blocks.push_back(PageText{Style::heading, title});
  for (const ReportField& field : fields) blocks.push_back(PageText{Style::body, field.name + ": " + field.value});
}

PageSection chart_section(const ReportContent& content, const std::vector<NamedRun>& runs) {
  PageSection section;
  section.blocks.push_back(PageText{Style::title, "Appendix: charts"});
  for (const std::string& text : {content.title, content.claim}) section.blocks.push_back(PageText{Style::body, text});
  for (const std::string& note : content.notes) section.blocks.push_back(PageText{Style::body, note});
  for (const ReportPlot& plot : content.charts)
    for (PageChart& chart : charts_of(plot, runs)) section.blocks.push_back(std::move(chart));
  return section;
}

PageSection table_section(const ReportContent& content) {
  PageSection section{.landscape = true, .blocks = {}};
  std::vector<PageBlock>& blocks = section.blocks;
  blocks.push_back(PageText{Style::title, "Appendix: tables and settings"});
  blocks.push_back(PageText{Style::note, content.marks});
  for (const Table& table : content.tables) blocks.push_back(table);
  if (!content.commands.empty()) blocks.push_back(PageText{Style::heading, "Reproduce this report"});
  for (const std::string& command : content.commands) blocks.push_back(PageText{Style::command, command});
  add_fields("System", content.environment, blocks);
  add_fields("Settings", content.settings, blocks);
  for (const Table& table : content.metric_tables) blocks.push_back(table);
  blocks.push_back(PageText{Style::heading, "Metric definitions"});
  for (const MetricDefinition& metric : content.definitions)
    blocks.push_back(PageText{Style::body, definition_text(metric)});
  return section;
}

}  // namespace

std::vector<PageChart> charts_of(const ReportPlot& plot, const std::vector<NamedRun>& runs) {
  const PageChart chart = chart_of(plot, runs);
  const std::size_t places = plot.places.size();
  if (places <= max_chart_bars) return {chart};
  std::vector<PageChart> parts;
  for (std::size_t begin = 0; begin < places; begin += max_chart_bars)
    parts.push_back(places_between(chart, begin, std::min(places, begin + max_chart_bars)));
  return parts;
}

ReportPages pages_of(const RunReport& report, std::size_t runs) {
  const ReportContent content = content_of(report);
  const std::vector<NamedRun> named = named_runs(report);
  ReportPages pages{content.title, findings_of(report, content, named, runs)};
  pages.sections.push_back(chart_section(content, named));
  pages.sections.push_back(table_section(content));
  return pages;
}

}  // namespace kvantage::inline report_pages
