// How families of contexts differ in tolerance to compression: cells of quality profiles pooled by family, method and
// removed fraction (EvicPress figures 3 to 5).
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/statistics.h"
#include "core/ports/stores.h"

namespace kvantage::inline report {

struct SensitivityCell {
  std::string family, method;
  double removed_fraction = 0;
  double quality = 0;                // mean over the questions of all contexts of the family
  std::optional<Interval> interval;  // 95 %, contexts drawn whole; none with fewer than two contexts
  std::size_t n = 0;                 // questions
};

/// Cells with scores, pooled; by family, then method ("none" first), then removed fraction.
std::vector<SensitivityCell> pooled_by_family(std::span<const ProfileCell> cells);

/// Maximum minus minimum quality between families, by method, at one removed fraction (where it was measured).
std::map<std::string, double> spread_between_families(std::span<const SensitivityCell> cells, double removed_fraction);

/// Number of contexts that each method answers best at one removed fraction; ties count for none.
std::map<std::string, std::size_t> best_method_of_contexts(std::span<const ProfileCell> cells, double removed_fraction);

/// The table for a console: a row per family and method, a column per removed fraction; then spreads and best methods.
std::string sensitivity_text(std::span<const ProfileCell> cells);

}  // namespace kvantage::inline report
