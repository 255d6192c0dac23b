// Placements and decisions in plain words, as users read them.
#pragma once

#include <string>

#include "core/policy/types.h"

namespace kvantage {

/// "ssd, snapkv without 60 %", "dram, uncompressed", "not stored".
std::string describe(const Snapshot& snapshot, const Configuration& configuration);
/// Three significant digits: "0.0123", "45.6".
std::string short_number(double value);

}  // namespace kvantage
