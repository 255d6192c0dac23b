// A report on paper: charts, the tables as the console shows them, every figure, then how to repeat it, where it ran, its
// settings and what the figures mean.
#include <algorithm>

#include "core/report/figure_list.h"
#include "core/report/pdf_pages.h"
#include "core/report/report_charts.h"

namespace kvantage {
namespace {

constexpr double text_size = 8, heading_size = 11;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

std::string text_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

class Blocks {
 public:
  void heading(const std::string& text, double needed) {
    blocks_.push_back({.lines = {"", text}, .size = heading_size, .flowing = true, .bold = true, .keep_with_next = needed});
  }
  void text(std::vector<std::string> lines) { blocks_.push_back({.lines = std::move(lines), .size = text_size, .flowing = true}); }
  void chart(const ReportChart& chart) {
    heading(chart.title, chart.drawing.height);
    blocks_.push_back({.drawing = chart.drawing});
    text({chart.note});
  }
  void table(const Table& table) {
    heading(table.title, 60);
    if (!table.note.empty()) text({table.note});
    blocks_.push_back({.lines = lines_of(table_text(table))});
  }
  void fields(const char* title, const Json& json, const std::string& left_out) {
    if (!json.is_object() || json.empty()) return;
    heading(title, 40);
    for (const auto& [key, value] : json.items())
      if (key != left_out) text({key + ": " + text_of(value)});
  }
  std::vector<PdfBlock> take() { return std::move(blocks_); }

 private:
  std::vector<PdfBlock> blocks_;
};

}  // namespace

std::string to_pdf(const RunReport& report) {
  Blocks blocks;
  blocks.heading(report.title, 40);
  blocks.text({report.claim, mark_legend()});
  for (const ReportChart& chart : charts_of(report)) blocks.chart(chart);
  for (const Table& table : tables_of(report)) blocks.table(table);
  if (report.environment.is_object() && report.environment.contains("command")) {
    blocks.heading("To repeat this", 40);
    const Json& command = report.environment.at("command");
    for (const Json& one : command.is_array() ? command : Json::array({command})) blocks.text({text_of(one)});
  }
  blocks.fields("Where it ran", report.environment, "command");
  blocks.fields("Settings", report.settings, "");
  for (const Table& table : figure_tables(report)) blocks.table(table);
  blocks.heading("What the figures mean", 40);
  for (const MetricDefinition& metric : metric_definitions())
    blocks.text({metric.name + (metric.unit.empty() ? "" : " [" + metric.unit + "]") + (metric.formula.empty() ? ": " : " = " + metric.formula + ": ") + metric.meaning});
  return to_pdf_pages(report.title, blocks.take());
}

}  // namespace kvantage
