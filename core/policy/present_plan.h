// The plan of policies that do not optimize: present placements with their predictions.
#pragma once

#include <vector>

#include "core/policy/actions.h"
#include "core/policy/types.h"

namespace kvantage::inline policy {

Plan present_plan(const Snapshot& snapshot);
/// Predictions of an assignment; `targets` are parallel to the contexts, and their reasons are kept.
Plan plan_of(const Snapshot& snapshot, const std::vector<Target>& targets, std::uint64_t steps);

}  // namespace kvantage::inline policy
