// A report on paper: charts, the console's tables, every metric, then the reproduction command, environment, settings
// and definitions.
#include <algorithm>

#include "core/report/formats/pdf_pages.h"
#include "core/report/formats/report_formats.h"
#include "core/report/report_charts.h"
#include "core/report/report_content.h"

namespace kvantage::inline formats {
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

class Blocks {
 public:
  void heading(const std::string& text, double needed) {
    blocks_.push_back(
        {.lines = {"", text}, .size = heading_size, .flowing = true, .bold = true, .keep_with_next = needed});
  }
  void text(std::vector<std::string> lines) {
    blocks_.push_back({.lines = std::move(lines), .size = text_size, .flowing = true});
  }
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
  void fields(const char* title, const std::vector<ReportField>& fields) {
    if (fields.empty()) return;
    heading(title, 40);
    for (const ReportField& field : fields) text({field.name + ": " + field.value});
  }
  std::vector<PdfBlock> take() { return std::move(blocks_); }

 private:
  std::vector<PdfBlock> blocks_;
};

}  // namespace

std::string to_pdf(const RunReport& report) {
  const ReportContent content = content_of(report);
  Blocks blocks;
  blocks.heading(content.title, 40);
  std::vector<std::string> summary{content.claim};
  summary.insert(summary.end(), content.notes.begin(), content.notes.end());
  summary.push_back(content.marks);
  blocks.text(std::move(summary));
  for (const ReportChart& chart : charts_of(content.charts)) blocks.chart(chart);
  for (const Table& table : content.tables) blocks.table(table);
  if (!content.commands.empty()) blocks.heading("Reproduce this report", 40);
  for (const std::string& command : content.commands) blocks.text({command});
  blocks.fields("System", content.environment);
  blocks.fields("Settings", content.settings);
  for (const Table& table : content.metric_tables) blocks.table(table);
  blocks.heading("Metric definitions", 40);
  for (const MetricDefinition& metric : content.definitions) blocks.text({definition_text(metric)});
  return to_pdf_pages(content.title, blocks.take());
}

}  // namespace kvantage::inline formats
