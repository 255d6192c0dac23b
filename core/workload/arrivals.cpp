#include "core/workload/arrivals.h"

#include "core/base/random.h"
#include "core/base/units.h"
#include "core/workload/field_range.h"

namespace kvantage::inline workload {

Status check(const ArrivalProcess& process) {
  KV_TRY(check_range(process.requests_per_second, 0, 1e6, "requests_per_second"));
  if (process.requests_per_second > 0 && process.requests_per_second < min_requests_per_second)
    return fail(ErrorCode::usage, "field 'requests_per_second' is out of range; give 0 or at least 1e-9");
  KV_TRY(check_range(process.zipf_exponent, 0, 10, "zipf_exponent"));
  KV_TRY(check_range(process.tail_share, 0, 1, "tail_share"));
  if (process.bursts) KV_TRY(check(*process.bursts));
  if (process.drift) KV_TRY(check(*process.drift));
  return check_range(static_cast<double>(process.requests), 1, static_cast<double>(max_requests), "requests");
}

void space_requests(std::span<WorkloadRequest> requests, double requests_per_second, std::uint64_t seed) {
  Random random(derive_seed(seed, 0x617272));  // independent of the seed's other uses
  double at = 0;
  for (WorkloadRequest& request : requests) {
    if (requests_per_second > 0)
      at += request.gap >= 0 ? request.gap / requests_per_second
                             : random.exponential(1.0 / (requests_per_second * request.pace));
    request.arrival_seconds = at;
  }
}

}  // namespace kvantage::inline workload
