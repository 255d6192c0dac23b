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
    busy_before_last_ = busy_;
    last_arrival_ = std::max(last_arrival_, arrival);
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
  /// What all but the last request take of the servers' time until it arrives: from 1 on they cannot keep up, and the
  /// queue grows with the number of requests. 0: all arrive at once, so there is no rate.
  double offered_load() const {
    return last_arrival_ > 0 ? busy_before_last_ / (last_arrival_ * static_cast<double>(servers())) : 0;
  }

 private:
  std::vector<double> free_at_;  // heap, the earliest first
  double busy_ = 0, end_ = 0, busy_before_last_ = 0, last_arrival_ = 0;
};

}  // namespace kvantage::inline simulator
