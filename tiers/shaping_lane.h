// One direction of a ShapedTier: holds completions back until bytes / bandwidth and the latency have passed.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "core/ports/storage_tier.h"

namespace kvantage {

struct TierShape {
  double bandwidth_bytes_per_second = 0;  // 0 = not limited
  double latency_seconds = 0;
};

inline bool is_shaping(const TierShape& shape) {
  return shape.bandwidth_bytes_per_second > 0 || shape.latency_seconds > 0;
}

class ShapingLane {
 public:
  ShapingLane(const std::string& name, TierShape shape, bool write);
  /// Everything must have arrived; what is still held back is delivered as if cancelled.
  ~ShapingLane();
  ShapingLane(const ShapingLane&) = delete;
  ShapingLane& operator=(const ShapingLane&) = delete;

  /// Holds for tickets announced from now on; forgets samples of the old shape.
  void set_shape(TierShape shape);
  /// Announces a ticket, submitted then, whose completions will arrive in order; one transfer of `bytes[i]` each.
  void expect(Ticket ticket, std::chrono::steady_clock::time_point submitted, const std::vector<std::uint64_t>& bytes,
              CompletionQueue& completions);
  /// A completion of the tier below: waits its turn if it succeeded, goes on at once if it failed.
  void arrive(Completion completion);
  /// Lets the ticket's completions go now; reads that were held back become `cancelled`.
  void cancel(Ticket ticket);
  std::vector<TransferSample> samples() const;

 private:
  using TimePoint = std::chrono::steady_clock::time_point;
  struct Transfer {
    Ticket ticket = 0;
    std::uint64_t bytes = 0;
    std::optional<Completion> arrived;
    TimePoint arrival{};
  };
  struct Flight {
    CompletionQueue* completions = nullptr;
    TimePoint submitted;
    TierShape shape;
    bool cancelled = false;
    std::uint64_t bytes = 0;
    double seconds = 0;
  };

  void loop();
  bool step(std::unique_lock<std::mutex>& lock);
  void deliver(Transfer transfer, double device_seconds);
  void release_cancelled(Ticket ticket);

  TierShape shape_;
  const bool write_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Transfer> transfers_;
  std::unordered_map<Ticket, Flight> flights_;
  std::deque<TransferSample> samples_;
  TimePoint free_at_{};       // when the next transfer may begin; by the shape, so that late wake-ups do not add up
  TimePoint delivered_at_{};  // when the last one was in fact handed over
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace kvantage
