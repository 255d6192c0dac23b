// How a table fits the width of a page: smaller text, wrapped headers and texts, and at last columns that continue
// below.
#pragma once

#include <vector>

#include "core/report/table.h"
#include "ui/report/page_text.h"

namespace kvantage::inline report_pages {

struct ColumnFit {
  TextLook look;               // of its cells; those of the header are bold
  std::vector<double> widths;  // one per column, without the gap after it
  bool fits = false;
};

/// Between two columns.
double column_gap(const TextLook& look);
/// Of these columns of a table with rows. Numbers are never broken; texts are where nothing else helps.
ColumnFit fit_columns(const Table& table, const std::vector<std::size_t>& shown, double width);
/// Columns that are shown together, in parts from the left. Each further part begins with the first column again, and
/// an interval stays beside its metric.
std::vector<std::vector<std::size_t>> column_parts(const Table& table, double width);
/// Whether a column is text, by its cells.
bool is_text_column(const Table& table, std::size_t column);

}  // namespace kvantage::inline report_pages
