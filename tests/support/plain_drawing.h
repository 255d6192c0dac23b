// Stands for what draws a report, in tests of its other parts: a chart is a title of its own.
#pragma once

#include "core/base/files.h"
#include "core/report/formats/report_files.h"
#include "core/report/report_content.h"

namespace kvantage::test {

inline Expected<std::vector<std::string>> plain_charts(const RunReport& report) {
  std::vector<std::string> charts;
  for (std::size_t i = 0; i < content_of(report).charts.size(); ++i)
    charts.push_back("<svg xmlns=\"http://www.w3.org/2000/svg\"><title>chart " + std::to_string(i) +
                     "</title></svg>\n");
  return charts;
}

inline ReportDrawing plain_drawing() {
  return {.charts = plain_charts, .pdf = [](const RunReport& report, const std::filesystem::path& path) {
            return write_text_file(path, "pages of " + report.title);
          }};
}

}  // namespace kvantage::test
