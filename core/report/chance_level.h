// Whether a model answers better than by chance: the gate of every comparison of qualities.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/report/report.h"

namespace kvantage::inline report {

/// Mean qualities of the same requests.
struct ChanceLevel {
  double uncompressed = 0, chance = 0;
};

/// Whether qualities of these runs can be compared, for reports and comparisons alike. A level: they cannot, because
/// the held-out answers with uncompressed caches are not better than answers to other questions (the 95 % interval of
/// the differences, drawn by context, is not above 0). Nothing: they can, or chance was not measured.
std::optional<ChanceLevel> not_above_chance(const std::vector<const PolicyRun*>& runs, const std::string& metric);

}  // namespace kvantage::inline report
