// Reports the pool of KV blocks: its state now, samples of it as events, and the compaction passes of the requests.
#pragma once

#include "core/ports/pool_report.h"
#include "core/scheduler/request_batch.h"
#include "core/store/engine_services.h"
#include "core/store/run_counters.h"

namespace kvantage::inline scheduler {

class PoolSampler {
 public:
  /// Between two samples of one run, unless a request ends. By tokens and not by time, so that a run repeated on the
  /// same inputs has the same number of events.
  static constexpr std::uint64_t decode_steps_apart = 8;

  PoolSampler(const EngineServices& services, const RunCounters& counters) : services_(services), counters_(counters) {}

  /// The counters start again.
  void begin_run() { seen_ = {}; }
  /// The pool and the caches of running requests; its totals of decoding are the run's counters.
  PoolReport report(const RequestBatch& batch) const;
  /// Publishes the compaction passes of the step that the batch has just decoded, before requests leave it.
  void publish_passes(RequestBatch& batch) const;
  /// Publishes a sample when one is due. ended: a request has left the batch with its answer.
  void sample(const RequestBatch& batch, bool ended);

 private:
  void add_request(const ServedRequest& request, PoolReport& report) const;

  EngineServices services_;
  const RunCounters& counters_;
  RunCounters::DecodeSteps seen_;  // by the last sample
  double step_seconds_ = 0;        // mean before it
};

}  // namespace kvantage::inline scheduler
