// Pages that are no report, as files: the same layout, fonts and charts.
#pragma once

#include <string>

#include "core/base/error.h"
#include "ui/report/page_content.h"

namespace kvantage::inline report_pages {

/// The bytes of a PDF with embedded fonts. Needs a QApplication and its thread. io error where the machine has no font.
Expected<std::string> pages_pdf(const ReportPages& pages);

/// A chart with its legend as an SVG element in the colors of paper; empty: there is nothing to draw. Needs a
/// QApplication and its thread.
std::string chart_svg(const PageChart& chart);

}  // namespace kvantage::inline report_pages
