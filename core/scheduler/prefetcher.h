// While requests queue, reads the cache of the next one during the decoding of the current one, when its tier is idle.
// In a closed loop the next request starts only after the current answer, so there is nothing to prefetch.
#pragma once

#include <memory>
#include <optional>

#include "core/request/load_task.h"
#include "core/request/request_task.h"
#include "core/scheduler/scheduler_ports.h"
#include "core/store/engine_services.h"

namespace kvantage::inline scheduler {

class Prefetcher {
 public:
  struct Prefetched {
    CacheHit hit;
    std::unique_ptr<LoadTask> load;
    std::int64_t start_ns = 0;  // on the serving clock
  };

  Prefetcher(const EngineServices& services, const Clock& serving_clock)
      : services_(services), serving_clock_(serving_clock) {}

  /// Takes arrived bytes. A failed prefetch is dropped and its context returned. An entry that is lost is reported to
  /// the store, as its request may compute and read nothing; after any other failure the request's own read tells.
  std::optional<std::size_t> pump();
  /// Starts reading for the next request of the sequence; each one is tried once. Returns the context whose entry it
  /// reads.
  std::optional<std::size_t> begin(const WaitingRequests& waiting);
  bool has_looked_at_next(const WaitingRequests& waiting) const { return looked_at_ == waiting.taken(); }
  bool reads() const { return prefetch_.has_value(); }
  bool reads_entry_of(std::size_t context) const { return prefetch_ && prefetch_->prefetched.hit.context == context; }
  /// The prefetch for the request taken last.
  std::optional<Prefetched> take(const WaitingRequests& waiting);
  /// Returns its buffers to the pool, and the context whose entry it read.
  std::optional<std::size_t> drop();
  void begin_run() { looked_at_ = SIZE_MAX; }

 private:
  struct Prefetch {
    std::size_t in_sequence = 0;  // index of its request in the sequence
    Prefetched prefetched;
  };
  std::optional<std::size_t> give_up(const Error& error);

  EngineServices services_;
  const Clock& serving_clock_;
  std::optional<Prefetch> prefetch_;
  std::size_t looked_at_ = SIZE_MAX;  // index in the sequence that was tried last
};

}  // namespace kvantage::inline scheduler
