// Tables and comments as LaTeX writes them.
#pragma once

#include <string>
#include <string_view>

#include "core/report/table.h"

namespace kvantage {

/// A line behind "%": whatever `text` holds, it stays one line.
std::string latex_comment(std::string_view text);
/// A table environment; columns are set as the cells of the first row are. `table` has a row at least.
std::string latex_table(const Table& table);

/// A figure environment that pgfplots draws; a document without that package passes over it.
std::string latex_plot(const ReportPlot& plot);

}  // namespace kvantage
