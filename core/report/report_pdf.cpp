// A report on paper: the tables as the console shows them, then where it ran, its settings and what the figures mean.
#include "core/report/pdf_pages.h"
#include "core/report/report.h"

namespace kvantage {
namespace {

void append_lines(std::vector<std::string>& lines, const std::string& text) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
}

void append_fields(std::vector<std::string>& lines, const char* title, const Json& json) {
  if (!json.is_object() || json.empty()) return;
  lines.insert(lines.end(), {"", title});
  for (const auto& [key, value] : json.items())
    lines.push_back("  " + key + ": " +
                    (value.is_string() ? value.get<std::string>() : value.dump(-1, ' ', false, Json::error_handler_t::replace)));
}

}  // namespace

std::string to_pdf(const RunReport& report) {
  std::vector<std::string> lines;
  append_lines(lines, to_text(report));
  append_fields(lines, "Where it ran", report.environment);
  append_fields(lines, "Settings", report.settings);
  lines.insert(lines.end(), {"", "Definitions"});
  for (const MetricDefinition& metric : metric_definitions())
    lines.push_back("  " + metric.name + " [" + metric.unit + "] = " + metric.formula + ": " + metric.meaning);
  return to_pdf_pages(report.title, lines);
}

}  // namespace kvantage
