// A table with typed columns as CSV (RFC 4180).
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/column_table.h"

namespace kvantage {

/// An empty cell of the first column takes the value of the second, which has no column of its own.
using MergedColumns = std::vector<std::pair<std::string_view, std::string_view>>;

/// Numbers are in the shortest form that reads back to the same bits, with a point whatever the locale, and whole ones
/// without an exponent up to 10^15; flags are 1 and 0. Ends with a newline.
std::string csv_of(const ColumnTable& table, const MergedColumns& merged = {});

}  // namespace kvantage
