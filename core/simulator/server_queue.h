// Parallel servers on a virtual clock: requests take the first free one, in order of arrival.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

namespace kvantage::inline simulator {

class ServerQueue {
 public:
  explicit ServerQueue(unsigned servers) : free_at_(std::max(servers, 1U), 0) {}

  /// Queueing seconds of a request that arrives at `arrival` and takes `service`.
  double serve(double arrival, double service) {
    double& first = free_at_.front();
    const double start = std::max(arrival, first);
    busy_ += service;
    end_ = std::max(end_, start + service);
    if (free_at_.size() == 1) {
      first = start + service;
    } else {
      std::ranges::pop_heap(free_at_, std::greater<>());
      free_at_.back() = start + service;
      std::ranges::push_heap(free_at_, std::greater<>());
    }
    return start - arrival;
  }
  double end() const { return end_; }
  double busy() const { return busy_; }
  std::size_t servers() const { return free_at_.size(); }

 private:
  std::vector<double> free_at_;  // heap, the earliest first
  double busy_ = 0, end_ = 0;
};

}  // namespace kvantage::inline simulator
