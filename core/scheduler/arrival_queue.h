// Which request comes next and when: the warm-up, the workload's sequence at a rate or one after the other, and those
// that have to begin again.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "core/base/clock.h"
#include "core/runtime/catalog.h"
#include "core/workload/workload.h"

namespace kvantage::inline scheduler {

/// A request as it came in: what it takes to begin it, and to begin it again.
struct Arrival {
  std::size_t context = 0, question = 0;  // of the catalog
  std::uint64_t id = 0;                   // 0: not begun yet
  std::int64_t arrival_ns = 0;            // by the clock of serving; 0: when it begins
  std::size_t shown_bytes = 0;            // of its answer, before it had to begin again
  bool counted = false;                   // in its context's frequency, then already
};

/// Times are those of the serving clock.
class ArrivalQueue {
 public:
  struct Options {
    std::uint64_t seed = 0;    // of the sequence
    std::uint64_t warmup = 0;  // contexts that are asked once before the sequence
    bool endless = false;      // the sequence begins again when it ends
  };

  ArrivalQueue(const Workload& workload, const Catalog& catalog, const Clock& serving_clock, Options options)
      : workload_(workload), catalog_(catalog), serving_clock_(serving_clock), options_(options) {}

  /// The sequence of a run from its beginning. limit: requests, 0 the workload's; rate: requests a second, 0 one after
  /// the other.
  void begin(std::uint64_t limit, double rate);
  /// Time counts from here.
  void start_clock() { start_ns_ = serving_clock_.monotonic_ns(); }
  /// Those still to come follow at another rate, from now on.
  void change_rate(double rate);
  /// Restarts the sequence, with as many requests as begin() takes; false: it has ended for good.
  bool restart(std::uint64_t limit);

  /// The warm-up, which keeps no time, is asked one after the other.
  bool warming_up() const { return warming_up_; }
  bool warmup_was_asked() const { return warming_up_ && next_ >= warmup_ && again_.empty(); }
  void end_warmup();
  std::size_t warmup_requests() const { return warmup_; }
  /// Requests a second at which they arrive now; 0: one after the other.
  double rate() const { return warming_up_ ? 0 : rate_; }

  /// Of the sequence nothing is left.
  bool exhausted() const { return next_ >= sequence_.size(); }
  /// The next one of the sequence, or its end, is due.
  bool is_due() const;
  /// Until the next one of the sequence; negative: since it was due.
  double seconds_until_next() const;
  /// How many of the sequence have been taken.
  std::size_t taken() const { return next_; }

  /// One that was begun comes before the rest of the sequence.
  void put_back(const Arrival& arrival) { again_.push_front(arrival); }
  bool has_put_back() const { return !again_.empty(); }
  void drop_put_back() { again_.clear(); }
  Arrival front() const;
  void pop();
  /// Of the next one of the sequence.
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
  std::uint64_t round_ = 0;  // how often an endless sequence began again
  std::int64_t start_ns_ = 0;
  std::deque<Arrival> again_;
};

}  // namespace kvantage::inline scheduler
