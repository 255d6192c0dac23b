// The plan of policies that do not optimize: everything stays where it is, with what that predicts.
#pragma once

#include <vector>

#include "core/policy/actions.h"
#include "core/policy/types.h"

namespace kvantage {

Plan present_plan(const Snapshot& snapshot);
/// What an assignment predicts; `targets` parallel to the contexts, their reasons are taken over.
Plan plan_of(const Snapshot& snapshot, const std::vector<Target>& targets, std::uint64_t steps);

}  // namespace kvantage
