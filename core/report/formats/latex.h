// Tables, charts and text as LaTeX, for documents that \input them: article, report, book and derived classes.
//
// No package is required. With graphicx, tables wider than the line are scaled to it. With pgfplots, charts are drawn
// (otherwise skipped). Letters beyond those of western Europe need LuaLaTeX or XeLaTeX (otherwise they show as "?").
#pragma once

#include <string>
#include <string_view>

#include "core/report/table.h"

namespace kvantage::inline formats {

/// The macros that the rest depends on; may be repeated in a document.
std::string latex_macros();

/// A comment after "%": always one line, whatever `text` holds.
std::string latex_comment(std::string_view text);

/// `text` with TeX's special characters escaped; one line.
std::string latex_escaped(std::string_view text);
/// The same; long words may break after punctuation, and anywhere after 24 letters.
std::string latex_breakable(std::string_view text);

/// Table environments of at most 40 rows, with a repeated header; columns are aligned like the first row's cells.
/// `table` must have a row.
std::string latex_table(const Table& table);
/// Number of environments for a table.
std::size_t latex_tables_of(const Table& table);

/// The picture alone, a tikzpicture for pgfplots; the document must load that package.
std::string latex_picture(const ReportPlot& plot);
/// A figure environment for pgfplots; skipped in a document without that package.
std::string latex_plot(const ReportPlot& plot);

}  // namespace kvantage::inline formats
