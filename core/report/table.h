// The tables of a report, once: console, page, paper and LaTeX show these cells, letter for letter.
#pragma once

#include <string>
#include <vector>

#include "core/report/report.h"

namespace kvantage {

struct Cell {
  std::string text;
  Provenance provenance = Provenance::measured;
  bool figure = true;  // false: a name, a setting or nothing
  bool left = false;   // set to the left, as words are
};

struct Table {
  std::string title, note;
  std::vector<std::string> columns;
  std::vector<std::vector<Cell>> rows;  // one per policy
};

/// Columns and rows as lines of text of a fixed-width font, without title and note; each ends with a newline.
std::string table_text(const Table& table);

/// What people read first. Empty tables (no quality, no tiers) are left out.
std::vector<Table> tables_of(const RunReport& report);

/// The mark behind a figure that is not measured: "^" shaped, "~" modelled, "?" predicted.
const char* mark_of(Provenance provenance);
/// What the marks mean, in a line.
std::string mark_legend();

/// The metric that entered the utility, else the first of the rows; empty when there is none.
std::string chosen_quality_metric(const RunReport& report);

}  // namespace kvantage
