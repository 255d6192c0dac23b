// What the pages of a report show, before they are laid out: two pages of findings, then an appendix with every other
// part of its content. Texts are English, as in every file of a report.
#pragma once

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "core/report/report.h"
#include "core/report/table.h"
#include "ui/report/named_runs.h"

namespace kvantage::inline report_pages {

struct PageText {
  enum class Style { title, heading, lead, body, note, command };
  Style style = Style::body;
  std::string text;
};

struct PageChart {
  ReportPlot plot;
  /// Beside its marks: one per series of means or of a histogram, or per place of bars or boxes; empty: nothing.
  std::vector<std::string> letters{};
  bool names = true;  // in its legend, beside letters; false: a table above has them
};

using PageBlock = std::variant<PageText, Table, PageChart>;

/// Begins a page of A4.
struct PageSection {
  bool landscape = false;
  std::vector<PageBlock> blocks;
};

struct ReportPages {
  std::string title;
  std::vector<PageSection> sections;  // the first two are the findings, a page each
};

/// Runs and rows that the findings show at most; the appendix has all of them.
inline constexpr std::size_t max_finding_runs = 20;
/// A chart of bars or boxes has at most so many places; more continue in a further chart.
inline constexpr std::size_t max_chart_bars = 30;

/// With the runs' letters; of many places several charts.
std::vector<PageChart> charts_of(const ReportPlot& plot, const std::vector<NamedRun>& runs);

/// `runs`: that the findings show at most.
ReportPages pages_of(const RunReport& report, std::size_t runs = max_finding_runs);

}  // namespace kvantage::inline report_pages
