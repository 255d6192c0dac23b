// Counters of the engine thread during a run, filled by its parts and published at the end.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/ports/events.h"
#include "core/ports/pool_report.h"

namespace kvantage::inline store {

/// All in seconds, by the clock of the caller.
class RunCounters {
 public:
  void reset() {
    counted_ = {};
    decoding_ = {};
    steps_ = {};
  }

  void note_running(std::size_t requests) {
    counted_.max_running = std::max(counted_.max_running, static_cast<int>(requests));
  }
  void note_decoding(const EvictionWork& answer) { decoding_.add(answer); }
  const DecodingTotals& decoding() const { return decoding_; }
  /// One token of all requests that decode. Its time also goes to note_serving().
  void note_decode_step(double seconds) {
    ++steps_.steps;
    steps_.seconds += seconds;
  }
  struct DecodeSteps {
    std::uint64_t steps = 0;
    double seconds = 0;
  };
  const DecodeSteps& decode_steps() const { return steps_; }
  void note_requeued() { ++counted_.requeued; }
  void note_serving(double seconds) { counted_.serving_seconds += seconds; }
  /// One layer of one chunk of a request.
  void note_prefill_step(double seconds) {
    counted_.serving_seconds += seconds;
    counted_.longest_prefill_step_seconds = std::max(counted_.longest_prefill_step_seconds, seconds);
  }
  /// again: re-profiling of a context with an outdated curve.
  void note_profiling(double seconds, bool again) {
    (again ? counted_.reprofiling_seconds : counted_.profiling_seconds) += seconds;
  }
  /// A profiling step that a request may have waited for.
  void note_profile_step(double seconds) {
    counted_.longest_profile_step_seconds = std::max(counted_.longest_profile_step_seconds, seconds);
  }
  void note_drift() { ++counted_.drifts; }
  void note_reprofile() { ++counted_.reprofiles; }
  /// For TimedWork.
  double& placing_seconds() { return counted_.placing_seconds; }

  /// busy_seconds is their sum; model_device is left empty.
  events::EngineCounted so_far() const {
    events::EngineCounted counted = counted_;
    counted.busy_seconds =
        counted.serving_seconds + counted.placing_seconds + counted.profiling_seconds + counted.reprofiling_seconds;
    return counted;
  }

 private:
  events::EngineCounted counted_;
  DecodingTotals decoding_;
  DecodeSteps steps_;
};

}  // namespace kvantage::inline store
