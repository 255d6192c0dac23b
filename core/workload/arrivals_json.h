// The "arrivals" part of workload.json.
#pragma once

#include "core/base/json.h"
#include "core/workload/workload.h"

namespace kvantage::inline workload {

/// Reads the output of arrivals_to_json; absent fields keep their defaults. rejected_input starts with `name` (a file).
Expected<ArrivalProcess> arrivals_from_json(const Json& json, const std::string& name);
/// Unused schedules are omitted.
OrderedJson arrivals_to_json(const ArrivalProcess& process);

}  // namespace kvantage::inline workload
