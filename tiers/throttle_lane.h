// One direction of a throttled tier: delays completions until bytes / bandwidth and the latency have passed.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/ports/storage_tier.h"

namespace kvantage::inline tiers {

struct TierLimits {
  double bandwidth_bytes_per_second = 0;  // 0 = unlimited
  double latency_seconds = 0;
};

inline bool is_throttling(const TierLimits& limits) {
  return limits.bandwidth_bytes_per_second > 0 || limits.latency_seconds > 0;
}

class ThrottleLane {
 public:
  ThrottleLane(Executor& executor, const std::string& name, TierLimits limits, bool write);
  /// Everything must have arrived; delayed completions are delivered as if canceled.
  ~ThrottleLane();
  ThrottleLane(const ThrottleLane&) = delete;
  ThrottleLane& operator=(const ThrottleLane&) = delete;

  /// Applies to tickets announced from now on; drops samples of the old throttle.
  void set_limits(TierLimits limits);
  /// Announces a ticket with its submission time, whose completions will arrive in order; one transfer of `bytes[i]`
  /// each.
  void expect(Ticket ticket, std::int64_t submitted_ns, const std::vector<std::uint64_t>& bytes,
              CompletionQueue& completions);
  /// A completion of the tier below: delayed if it succeeded, forwarded immediately if it failed.
  void arrive(Completion completion);
  /// Releases the ticket's completions now; delayed reads become `cancelled`.
  void cancel(Ticket ticket);
  std::vector<TransferSample> samples() const;

 private:
  struct Transfer {
    Ticket ticket = 0;
    std::uint64_t bytes = 0;
    std::optional<Completion> arrived;
    std::int64_t arrival_ns = 0;
  };
  struct Flight {
    CompletionQueue* completions = nullptr;
    std::int64_t submitted_ns = 0;
    TierLimits limits;
    bool cancelled = false;
    std::uint64_t bytes = 0;
    double seconds = 0;
  };

  void loop();
  void step(std::unique_lock<std::mutex>& lock);
  void await_change(std::unique_lock<std::mutex>& lock, double seconds);
  void changed() {
    ++changes_;
    wake_.notify_one();
  }
  void deliver(Transfer transfer, double device_seconds);
  void release_cancelled(Ticket ticket);

  const Clock& clock_;
  TierLimits limits_;
  const bool write_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::uint64_t changes_ = 0;
  std::deque<Transfer> transfers_;
  std::unordered_map<Ticket, Flight> flights_;
  std::deque<TransferSample> samples_;
  std::int64_t free_at_ns_ = 0;       // earliest start of the next transfer; computed from the throttle, so that late
                                      // wake-ups do not accumulate
  std::int64_t delivered_at_ns_ = 0;  // actual delivery time of the last one
  bool stopping_ = false;
  std::unique_ptr<Executor::Thread> thread_;
};

}  // namespace kvantage::inline tiers
