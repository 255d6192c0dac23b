// The plan of policies that do not optimise: everything stays where it is, with what that predicts.
#pragma once

#include "core/policy/types.h"

namespace kvantage {

Plan present_plan(const Snapshot& snapshot);

}  // namespace kvantage
