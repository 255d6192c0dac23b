// Access frequency of contexts: decayed request counts, so that old popularity fades. Time is counted in requests, not
// seconds: the same run at another speed makes the same decisions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/policy/types.h"

namespace kvantage::inline policy {

/// Default half-life: requests after which a past request counts half.
inline constexpr double default_half_life_requests = 256;

/// Factor by which a count decays over `requests`; a half-life of 0 or less means no decay.
double fade(double requests, double half_life_requests);

/// Records one request of contexts[index]: every frequency decays by one request, the requested one grows by one, and
/// its last access becomes `request_counter` (1 for the first request of a run).
void note_request(Snapshot& snapshot, std::size_t index, std::uint64_t request_counter,
                  double half_life_requests = default_half_life_requests);

}  // namespace kvantage::inline policy
