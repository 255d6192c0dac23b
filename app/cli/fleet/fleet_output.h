// Output of `fleet`: a table for people, JSON for machines.
#pragma once

#include <vector>

#include "app/cli/fleet/fleet_options.h"
#include "core/base/json.h"

namespace kvantage::cli {

void print_fleet(const FleetArguments& arguments, const PreparedFleet& fleet, const std::vector<FleetEpoch>& epochs);
OrderedJson fleet_json(const FleetArguments& arguments, const PreparedFleet& fleet,
                       const std::vector<FleetEpoch>& epochs);

}  // namespace kvantage::cli
