// The "arrivals" part of workload.json.
#pragma once

#include "core/base/json.h"
#include "core/workload/workload.h"

namespace kvantage {

/// Reads what arrivals_to_json wrote; absent fields keep their defaults. rejected_input begins with `name` (a file).
Expected<ArrivalProcess> arrivals_from_json(const Json& json, const std::string& name);
/// Schedules that are not in use are left out.
OrderedJson arrivals_to_json(const ArrivalProcess& process);

}  // namespace kvantage
