// Requests on the virtual clock: start of service, queueing and service times.
#pragma once

#include "core/simulator/log_histogram.h"
#include "core/simulator/server_queue.h"

namespace kvantage::inline simulator {

/// Queueing and service, in seconds; percentiles to within LogHistogram::relative_error.
struct SimulatedTimes {
  double mean = 0, p50 = 0, p95 = 0, p99 = 0;
};

class ServedTimes {
 public:
  explicit ServedTimes(unsigned servers) : queue_(servers) {}

  /// A request with `service` seconds to its first token that occupies the server for `answer` more. Arrivals ascend.
  void serve(double arrival, double service, double answer, bool timed = true) {
    const double waited = queue_.serve(arrival, service + answer);
    if (!timed) return;
    service_.add(service);
    waited_.add(waited);
    ttft_.add(waited + service);
  }
  template <class Totals>
  void fill(Totals& totals) const {
    totals.service = times_of(service_);
    totals.queue = times_of(waited_);
    totals.ttft = times_of(ttft_);
    totals.span_seconds = queue_.end();
    totals.offered_load = queue_.offered_load();
    totals.busy_share = queue_.end() > 0 ? queue_.busy() / (queue_.end() * static_cast<double>(queue_.servers())) : 0;
  }

 private:
  static SimulatedTimes times_of(const LogHistogram& histogram) {
    return {histogram.mean(), histogram.percentile(0.5), histogram.percentile(0.95), histogram.percentile(0.99)};
  }
  ServerQueue queue_;
  LogHistogram service_, waited_, ttft_;
};

}  // namespace kvantage::inline simulator
