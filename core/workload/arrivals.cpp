#include "core/workload/arrivals.h"

#include "core/base/random.h"
#include "core/base/units.h"

namespace kvantage {

namespace {

Status check_range(double value, double low, double high, const std::string& field) {
  if (value >= low && value <= high) return {};  // false for what is no number
  return fail(ErrorCode::usage, "field '" + field + "' is out of range; give a number from " + format_fixed(low, 0) +
                                    " to " + format_fixed(high, 0));
}

}  // namespace

Status check(const ArrivalProcess& process) {
  KV_TRY(check_range(process.requests_per_second, 0, 1e6, "requests_per_second"));
  KV_TRY(check_range(process.zipf_exponent, 0, 10, "zipf_exponent"));
  return check_range(static_cast<double>(process.requests), 1, static_cast<double>(most_requests), "requests");
}

void space_requests(std::span<WorkloadRequest> requests, double requests_per_second, std::uint64_t seed) {
  Random random(derive_seed(seed, 0x617272));  // apart from the seed's other uses
  double at = 0;
  for (WorkloadRequest& request : requests) {
    if (requests_per_second > 0) at += random.exponential(1.0 / requests_per_second);
    request.arrival_seconds = at;
  }
}

}  // namespace kvantage
