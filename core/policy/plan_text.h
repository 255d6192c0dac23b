// Placements and decisions as text for users.
#pragma once

#include <string>

#include "core/policy/types.h"

namespace kvantage::inline policy {

/// "ssd, snapkv without 60 %", "dram, uncompressed", "not stored".
std::string describe(const Snapshot& snapshot, const Configuration& configuration);
class PlanningProblem;
struct PlanChoice;
/// Why a plan places contexts[index] where it does.
std::string reason_for(const Snapshot& snapshot, const PlanningProblem& problem, std::size_t index,
                       const PlanChoice& choice);
/// Three significant digits: "0.0123", "45.6", "12300", "1.23e+06".
std::string short_number(double value);

}  // namespace kvantage::inline policy
