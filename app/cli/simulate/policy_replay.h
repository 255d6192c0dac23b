// One policy over the whole trace.
#pragma once

#include <string>

#include "app/cli/simulate/simulation.h"

namespace kvantage::cli {

/// By an order over arrays, in one form, or by plans over snapshots. usage error for a policy that cannot be served;
/// rejected_input for a trace that is malformed or has too many keys.
Expected<SimulatedRow> run_policy(const SimulateArguments& arguments, const Simulation& made,
                                  const std::string& policy);

}  // namespace kvantage::cli
