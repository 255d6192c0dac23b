// The marks of a report's chart with what they show, in words: for who hovers over a page's chart or cannot see it.
#pragma once

#include <vector>

#include "ui/report/chart_picture.h"

namespace kvantage::inline report_pages {

/// Every point that has a mark, part of a bar, box, and bin with something in it, where `picture`, which is of `plot`,
/// draws it; in points.
std::vector<ChartLabel> chart_marks(const ReportPlot& plot, const ChartPicture& picture);

}  // namespace kvantage::inline report_pages
