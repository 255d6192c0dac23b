#include "core/workload/arrivals.h"

#include "core/base/random.h"

namespace kvantage {

void space_requests(std::span<WorkloadRequest> requests, double requests_per_second, std::uint64_t seed) {
  Random random(derive_seed(seed, 0x617272));  // apart from the seed's other uses
  double at = 0;
  for (WorkloadRequest& request : requests) {
    if (requests_per_second > 0) at += random.exponential(1.0 / requests_per_second);
    request.arrival_seconds = at;
  }
}

}  // namespace kvantage
