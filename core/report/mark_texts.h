// What a chart of a report shows at each of its marks, in words: for who hovers over it, and for who cannot see it.
#pragma once

#include <string>

#include "core/report/report_sections.h"

namespace kvantage::inline report {

/// Of a point of curves, steps, points or means: "lru: removed fraction 0.5, quality 0.8 [0.7, 0.9], n = 3".
std::string point_text(const ReportPlot& plot, const PlotSeries& series, const PlotPoint& point);
/// Of a part of a bar: "lru, load: 12.30 ms".
std::string part_text(const ReportPlot& plot, const PlotSeries& series, const PlotPoint& point);
/// Of a box: "lru: TTFT (service) median 12.3 ms, box 10 to 14 ms, whiskers 8 to 20 ms, n = 200".
std::string box_text(const ReportPlot& plot, std::size_t place);
/// Of a bin of a histogram, which is not the last point: "lru: TTFT (service) 10 to 20 ms, requests 7".
std::string bin_text(const ReportPlot& plot, const PlotSeries& series, std::size_t bin);

}  // namespace kvantage::inline report
