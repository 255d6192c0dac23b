// The order and timing of requests: the warm-up, the workload's sequence at a rate or in a closed loop, and preempted
// requests that restart.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "core/base/clock.h"
#include "core/runtime/catalog.h"
#include "core/scheduler/scheduler_ports.h"
#include "core/workload/workload.h"

namespace kvantage::inline scheduler {

/// All times are on the serving clock.
class ArrivalQueue final : public RequestSource {
 public:
  struct Options {
    std::uint64_t seed = 0;    // for the sequence
    std::uint64_t warmup = 0;  // contexts that are requested once before the sequence
    bool endless = false;      // restart the sequence when it ends
  };

  ArrivalQueue(const Workload& workload, const Catalog& catalog, const Clock& serving_clock, Options options)
      : workload_(workload), catalog_(catalog), serving_clock_(serving_clock), options_(options) {}

  /// Starts the sequence of a run. limit: requests, 0: the workload's; rate: requests per second, 0: closed loop.
  void begin(std::uint64_t limit, double rate);
  /// Sets the time origin of the sequence to now.
  void start_clock() { start_ns_ = serving_clock_.monotonic_ns(); }
  /// The remaining requests arrive at another rate from now on.
  void change_rate(double rate);
  /// Restarts the sequence, with a limit as in begin(); false: it has ended for good.
  bool restart(std::uint64_t limit);

  /// The warm-up runs as a closed loop.
  bool warming_up() const { return warming_up_; }
  bool warmup_was_asked() const { return warming_up_ && next_ >= warmup_ && again_.empty(); }
  void end_warmup();
  std::size_t warmup_requests() const { return warmup_; }
  double rate() const override { return warming_up_ ? 0 : rate_; }

  bool exhausted() const override { return next_ >= sequence_.size(); }
  bool is_due() const override;
  /// Seconds until the next request of the sequence; negative: overdue.
  double seconds_until_next() const;
  std::size_t taken() const override { return next_; }

  void put_back(const Arrival& arrival) override { again_.push_front(arrival); }
  bool has_put_back() const override { return !again_.empty(); }
  void drop_put_back() override { again_.clear(); }
  Arrival front() const override;
  void pop() override;
  std::size_t next_context() const override;

 private:
  void add_warmup();

  const Workload& workload_;
  const Catalog& catalog_;
  const Clock& serving_clock_;
  Options options_;
  std::vector<WorkloadRequest> sequence_;
  std::size_t next_ = 0, warmup_ = 0;
  bool warming_up_ = false;
  double rate_ = 0;
  std::uint64_t round_ = 0;  // restarts of an endless sequence
  std::int64_t start_ns_ = 0;
  std::deque<Arrival> again_;
};

}  // namespace kvantage::inline scheduler
