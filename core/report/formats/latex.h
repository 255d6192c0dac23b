// Tables, charts and words as LaTeX writes them, for documents that \input them: article, report, book and what is
// built on them.
//
// No package is needed. Where the document has graphicx, tables wider than the line are scaled to it; where it has
// pgfplots, charts are drawn (else they are passed over); letters beyond those of western Europe take LuaLaTeX or
// XeLaTeX (else they show as "?").
#pragma once

#include <string>
#include <string_view>

#include "core/report/table.h"

namespace kvantage {

/// The macros that the rest counts on; may stand in a document any number of times.
std::string latex_macros();

/// A line behind "%": whatever `text` holds, it stays one line.
std::string latex_comment(std::string_view text);

/// `text` with every character that TeX reads otherwise written so that it shows; one line.
std::string latex_escaped(std::string_view text);
/// The same; long words may break behind their signs, and anywhere after 24 letters.
std::string latex_breakable(std::string_view text);

/// Table environments of at most 40 rows, the header over each; columns are set as the cells of the first row are.
/// `table` has a row at least.
std::string latex_table(const Table& table);
/// How many environments that makes.
std::size_t latex_tables_of(const Table& table);

/// A figure environment that pgfplots draws; a document without that package passes over it.
std::string latex_plot(const ReportPlot& plot);

}  // namespace kvantage
