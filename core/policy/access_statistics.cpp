#include "core/policy/access_statistics.h"

#include <cmath>

namespace kvantage::inline policy {

double fade(double requests, double half_life_requests) {
  return half_life_requests > 0 ? std::exp2(-requests / half_life_requests) : 1.0;
}

void note_request(Snapshot& snapshot, std::size_t index, std::uint64_t request_counter, double half_life_requests) {
  const double factor = fade(1, half_life_requests);
  for (ContextState& context : snapshot.contexts) context.frequency *= factor;
  snapshot.contexts[index].frequency += 1;
  snapshot.contexts[index].last_access = request_counter;
}

}  // namespace kvantage::inline policy
