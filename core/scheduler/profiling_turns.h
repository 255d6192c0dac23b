// Limits profiling next to requests: it delays each request at most once, by the step during which it arrives or by one
// while it runs.
#pragma once

#include "core/quality/quality_profiler.h"
#include "core/scheduler/request_batch.h"
#include "core/scheduler/scheduler_ports.h"

namespace kvantage::inline scheduler {

class ProfilingTurns final : public RequestsBesideProfiling {
 public:
  ProfilingTurns(RequestBatch& batch, const WaitingRequests& arrivals) : batch_(batch), arrivals_(arrivals) {}

  bool any() const override { return !batch_.empty(); }
  bool leave_time() const override;
  bool one_could_begin() const override;
  bool come_at_a_rate() const override { return arrivals_.rate() > 0; }
  void profile_step_begins() override;
  void profile_step_ended(std::int64_t began_ns, std::int64_t ended_ns) override;
  /// Whether a request with this arrival time had to wait for the end of the last step.
  bool held_up(std::int64_t arrival_ns) const { return arrival_ns >= began_ns_ && arrival_ns < ended_ns_; }

 private:
  RequestBatch& batch_;
  const WaitingRequests& arrivals_;
  std::int64_t began_ns_ = 0, ended_ns_ = 0;  // the last step, on the serving clock
};

}  // namespace kvantage::inline scheduler
