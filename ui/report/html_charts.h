// The charts of a report for its page: what Qt Charts draws for paper, as SVG elements in the page's colors, light and
// dark; a mark says what it shows when the mouse is over it.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/report/report.h"
#include "ui/report/page_content.h"

namespace kvantage::inline report_pages {

/// Drawn chart by chart, so that a window stays responsive meanwhile. Needs a QApplication and its thread.
class HtmlCharts {
 public:
  explicit HtmlCharts(const RunReport& report);
  /// False: there is no further chart.
  bool draw_next();
  /// As to_html() takes them, once all are drawn.
  std::vector<std::string> take() { return std::move(drawn_); }

 private:
  std::vector<std::vector<PageChart>> charts_;  // of each of the report's content, its parts
  std::vector<std::string> drawn_;
};

/// All at once; a program without a QApplication has one of its own meanwhile, offscreen. Call it in the main thread.
/// internal: the program runs Qt without windows.
Expected<std::vector<std::string>> html_charts(const RunReport& report);

}  // namespace kvantage::inline report_pages
