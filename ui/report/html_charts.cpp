#include "ui/report/html_charts.h"

#include <QBuffer>
#include <QPainter>
#include <QSvgGenerator>
#include <array>
#include <cstdio>
#include <optional>
#include <utility>

#include "core/report/markup.h"
#include "core/report/report_content.h"
#include "core/report/series_colors.h"
#include "ui/report/chart_marks.h"
#include "ui/report/offscreen_application.h"
#include "ui/report/page_painter.h"

namespace kvantage::inline report_pages {
namespace {

std::string hex(std::uint32_t color) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "\"#%06x\"", static_cast<unsigned>(color));
  return text.data();
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

/// Colors of paper as those that the page names (report_html.cpp). They only stand in attributes.
void use_colors_of_page(std::string& svg) {
  for (const auto& [color, name] : {std::pair{0xffffffU, "page"},
                                    {0x222222U, "ink"},
                                    {0x111111U, "ink"},
                                    {0x000000U, "ink"},
                                    {0x888888U, "soft"},
                                    {0x555555U, "soft"},
                                    {0x999999U, "rule"},
                                    {0xddddddU, "rule"}})
    replace_all(svg, hex(color), std::string("\"var(--") + name + ")\"");
  for (std::size_t i = 0; i < series_colors.size(); ++i) {
    const std::uint32_t color = series_colors[i].light;
    replace_all(svg, hex(color), "\"var(--c" + std::to_string(i) + ")\"");
    replace_all(svg, hex(color_on(0xffffff, color, pale_share)), "\"var(--t" + std::to_string(i) + ")\"");
  }
}

/// What is between its definitions and its end.
std::string content_of_svg(const QByteArray& file) {
  const QByteArray begin("</defs>"), end("</svg>");
  const qsizetype from = file.indexOf(begin), to = file.lastIndexOf(end);
  return from < 0 || to < from ? std::string() : file.mid(from + begin.size(), to - from - begin.size()).toStdString();
}

std::string attribute(const char* name, double value) { return joined({" ", name, "=\"", coordinate(value), "\""}); }

/// What the marks of a chart say, over them.
std::string hints_of(const PageItem& item, const ReportPlot& plot, const ChartPicture& picture) {
  std::string hints;
  for (const ChartLabel& mark : chart_marks(plot, picture))
    hints += joined({"<rect", attribute("x", item.box.left() - page_margin + mark.box.left() * units_per_point),
                     attribute("y", item.box.top() - page_margin + mark.box.top() * units_per_point),
                     attribute("width", mark.box.width() * units_per_point),
                     attribute("height", mark.box.height() * units_per_point), " fill=\"transparent\"><title>",
                     escape_markup(mark.text.toStdString()), "</title></rect>\n"});
  return hints;
}

std::string svg_of(const PageChart& chart) {
  const PlacedChart placed = layout_of(chart);
  if (placed.layout.items.empty()) return {};
  std::string hints;
  QBuffer buffer;
  QSvgGenerator generator;
  generator.setOutputDevice(&buffer);
  generator.setResolution(units_per_inch);
  generator.setSize(placed.size.toSize());
  {
    QPainter painter(&generator);
    painter.translate(-page_margin, -page_margin);
    for (const PageItem& item : placed.layout.items) {
      if (item.kind != PageItem::Kind::chart) {
        paint_item(painter, item, placed.layout);
        continue;
      }
      const ChartPicture picture = picture_of(item, placed.layout);
      paint_chart(painter, item, picture);
      hints += hints_of(item, chart.plot, picture);
    }
  }
  std::string content = content_of_svg(buffer.data());
  use_colors_of_page(content);
  const std::string name =
      axis_text(chart.plot.y_label, chart.plot.y_unit) + " against " + axis_text(chart.plot.x_label, chart.plot.x_unit);
  return joined({"<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-label=\"", escape_markup(name),
                 "\" viewBox=\"0 0 ", coordinate(placed.size.width()), " ", coordinate(placed.size.height()), "\">",
                 content, hints, "</svg>\n"});
}

}  // namespace

HtmlCharts::HtmlCharts(const RunReport& report) {
  const std::vector<NamedRun> runs = named_runs(report);
  for (const ReportPlot& plot : content_of(report).charts) charts_.push_back(charts_of(plot, runs));
}

bool HtmlCharts::draw_next() {
  if (drawn_.size() == charts_.size()) return false;
  std::string drawn;
  for (const PageChart& part : charts_[drawn_.size()]) drawn += svg_of(part);
  drawn_.push_back(std::move(drawn));
  return drawn_.size() < charts_.size();
}

Expected<std::vector<std::string>> html_charts(const RunReport& report) {
  std::optional<OffscreenApplication> own;
  KV_TRY(need_application(own, "report.html"));
  HtmlCharts charts(report);
  while (charts.draw_next()) {
  }
  return charts.take();
}

}  // namespace kvantage::inline report_pages
