// Where requests queue, the cache of the next one is read while the present one decodes: its tier is idle then. Without
// a rate a request is there only when the one before it is answered, so there is nothing to look ahead to.
#pragma once

#include <memory>
#include <optional>

#include "core/request/load_task.h"
#include "core/request/request_task.h"
#include "core/scheduler/arrival_queue.h"
#include "core/store/engine_services.h"

namespace kvantage::inline scheduler {

class Prefetcher {
 public:
  struct Prefetched {
    CacheHit hit;
    std::unique_ptr<LoadTask> load;
    std::int64_t start_ns = 0;  // by the clock of serving
  };

  Prefetcher(const EngineServices& services, const Clock& serving_clock)
      : services_(services), serving_clock_(serving_clock) {}

  /// Takes bytes that have arrived. What fails here fails again, and is counted, where the request itself reads: it is
  /// dropped, and its context returned.
  std::optional<std::size_t> pump();
  /// Begins to read for the next request of the sequence, which is looked at once. Returns the context whose entry it
  /// reads.
  std::optional<std::size_t> begin(const ArrivalQueue& arrivals);
  bool has_looked_at_next(const ArrivalQueue& arrivals) const { return looked_at_ == arrivals.taken(); }
  bool reads() const { return prefetch_.has_value(); }
  bool reads_entry_of(std::size_t context) const { return prefetch_ && prefetch_->prefetched.hit.context == context; }
  /// What was read for the request that was taken last.
  std::optional<Prefetched> take(const ArrivalQueue& arrivals);
  /// Gives its buffers back. Returns the context whose entry it read.
  std::optional<std::size_t> drop();
  void begin_run() { looked_at_ = SIZE_MAX; }

 private:
  struct Prefetch {
    std::size_t in_sequence = 0;  // of the request it is for
    Prefetched prefetched;
  };
  EngineServices services_;
  const Clock& serving_clock_;
  std::optional<Prefetch> prefetch_;
  std::size_t looked_at_ = SIZE_MAX;  // place in the sequence that was looked at last
};

}  // namespace kvantage::inline scheduler
