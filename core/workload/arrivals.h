// Arrival times of requests: Poisson arrivals at a rate, optionally in bursts, or a closed loop.
#pragma once

#include <cstdint>
#include <span>

#include "core/workload/workload.h"

namespace kvantage::inline workload {

/// usage error that names the field and its range.
Status check(const ArrivalProcess& process);

/// Spaces `requests` as a Poisson process of this rate (times each request's pace), the first one gap after 0;
/// scheduled ones by their gaps. Rate 0: all at 0, i.e. a closed loop. The same seed gives the same gaps on every
/// machine.
void space_requests(std::span<WorkloadRequest> requests, double requests_per_second, std::uint64_t seed);

}  // namespace kvantage::inline workload
