// The order and timing of requests: the warm-up, the workload's sequence at a rate or in a closed loop, and preempted
// requests that restart.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "core/base/clock.h"
#include "core/runtime/catalog.h"
#include "core/workload/workload.h"

namespace kvantage::inline scheduler {

/// A request in the queue, with everything needed to start or restart it.
struct Arrival {
  std::size_t context = 0, question = 0;  // indices in the catalog
  std::uint64_t id = 0;                   // 0: not started yet
  std::int64_t arrival_ns = 0;            // on the serving clock; 0: when it starts
  std::size_t shown_bytes = 0;            // of its answer, before it was preempted
  bool counted = false;                   // already counted in its context's frequency
  bool offload_failed = false;            // a tier failed while it decoded: it begins again without decode_offload
};

/// All times are on the serving clock.
class ArrivalQueue {
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
  /// Current requests per second; 0: closed loop.
  double rate() const { return warming_up_ ? 0 : rate_; }

  /// Whether the sequence has no requests left.
  bool exhausted() const { return next_ >= sequence_.size(); }
  /// Whether the next request of the sequence, or its end, is due.
  bool is_due() const;
  /// Seconds until the next request of the sequence; negative: overdue.
  double seconds_until_next() const;
  /// Requests of the sequence taken so far.
  std::size_t taken() const { return next_; }

  /// A restarted request precedes the rest of the sequence.
  void put_back(const Arrival& arrival) { again_.push_front(arrival); }
  bool has_put_back() const { return !again_.empty(); }
  void drop_put_back() { again_.clear(); }
  Arrival front() const;
  void pop();
  /// Context of the next request of the sequence.
  std::size_t next_context() const;

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
