// The tables of a report, once: console, page, paper and LaTeX show exactly these cells.
#pragma once

#include <string>
#include <vector>

#include "core/report/report.h"

namespace kvantage::inline report {

struct Cell {
  std::string text;
  Provenance provenance = Provenance::measured;
  bool metric = true;  // false: a name, a setting or nothing
  bool left = false;   // left-aligned, like text
};

struct Table {
  std::string title, note;
  std::vector<std::string> columns;
  std::vector<std::vector<Cell>> rows;  // one per policy
};

/// The main tables. Empty ones (no quality, no tiers) are left out.
std::vector<Table> tables_of(const RunReport& report);

/// The marker after a metric that is not measured: "^" throttled, "~" simulated, "?" predicted.
const char* mark_of(Provenance provenance);
/// The meaning of the markers, in one line.
std::string mark_legend();

/// A part of TTFT as readers see it: `decode`, which decompresses loaded KV, is "unpack", `context_prefill` is "context
/// prefill".
std::string ttft_part_text(std::string part);

/// The metric used in the utility, else the first of the rows; empty when there is none.
std::string chosen_quality_metric(const RunReport& report);

}  // namespace kvantage::inline report
