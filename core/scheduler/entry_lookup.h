// Finds the stored entry that serves a request: when it starts, again before it computes its context, and as a prefetch
// for the next request while requests queue. An entry that is being read, or is about to be, is pinned: no plan moves
// it.
#pragma once

#include <optional>

#include "core/scheduler/prefetcher.h"
#include "core/scheduler/scheduler_ports.h"
#include "core/store/engine_services.h"

namespace kvantage::inline scheduler {

class EntryLookup {
 public:
  /// running: requests that read entries. prefetches: whether to prefetch.
  EntryLookup(const EngineServices& services, const Clock& serving_clock, const WaitingRequests& waiting,
              HitChoice& choice, const RunningRequests& running, bool prefetches)
      : services_(services),
        serving_clock_(serving_clock),
        waiting_(waiting),
        choice_(choice),
        running_(running),
        prefetches_(prefetches),
        prefetcher_(services, serving_clock) {}

  void begin_run() { prefetcher_.begin_run(); }
  /// For a starting request about `context`. again: it was preempted, so the prefetch belongs to another request.
  FoundHit find(std::size_t context, bool again);
  /// Looks up again before computing a context: another request may have computed it meanwhile.
  void retry(ServedRequest& request);
  /// Starts or continues reading the entry of the sequence's next request.
  void prefetch();
  void drop_prefetch();
  /// Call after a change of who reads this context's entry.
  void update_pin(std::size_t entry);

 private:
  std::optional<CacheHit> look_up(std::size_t context);
  bool may_prefetch() const;

  EngineServices services_;
  const Clock& serving_clock_;
  const WaitingRequests& waiting_;
  HitChoice& choice_;
  const RunningRequests& running_;
  bool prefetches_;
  Prefetcher prefetcher_;
};

}  // namespace kvantage::inline scheduler
