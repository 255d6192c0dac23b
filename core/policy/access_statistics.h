// How often contexts are asked for: request counts that fade, so that popularity of long ago stops counting. Time is
// counted in requests, not seconds: the same run at another speed decides alike.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/policy/types.h"

namespace kvantage {

/// Requests after which a past request counts half, unless told otherwise.
inline constexpr double default_half_life_requests = 256;

/// Factor by which a count fades over `requests`; a half-life of 0 or less means that nothing fades.
double fade(double requests, double half_life_requests);

/// Books one request of contexts[index]: every frequency fades by one request, the requested one grows by one and its
/// last access becomes `request_counter` (1 for the first request of a run).
void note_request(Snapshot& snapshot, std::size_t index, std::uint64_t request_counter,
                  double half_life_requests = default_half_life_requests);

}  // namespace kvantage
