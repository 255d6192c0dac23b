// Which stored entry serves a request: looked up when the request begins, again before it computes its context, and
// ahead for the next one where requests queue. An entry that is being read, or about to be, is pinned: no plan moves
// it.
#pragma once

#include "core/cost/hit_planner.h"
#include "core/scheduler/arrival_queue.h"
#include "core/scheduler/prefetcher.h"
#include "core/scheduler/request_batch.h"
#include "core/scheduler/request_builder.h"
#include "core/store/engine_services.h"

namespace kvantage::inline scheduler {

class EntryLookup {
 public:
  /// batch: whose requests read entries. prefetches: false where nothing is read ahead.
  EntryLookup(const EngineServices& services, const Clock& serving_clock, const ArrivalQueue& arrivals,
              HitPlanner& planner, const RequestBatch& batch, bool prefetches)
      : services_(services),
        serving_clock_(serving_clock),
        arrivals_(arrivals),
        planner_(planner),
        batch_(batch),
        prefetches_(prefetches),
        prefetcher_(services, serving_clock) {}

  void begin_run() { prefetcher_.begin_run(); }
  /// For a request about `context` that begins. again: it was preempted, so what is read ahead is for another one.
  FoundHit find(std::size_t context, bool again);
  /// It waited for its turn to compute a context, and others may have computed that meanwhile.
  void retry(ServedRequest& request);
  /// Reads the entry of the next request of the sequence, or takes what arrived of it.
  void prefetch();
  void drop_prefetch();
  /// After anything that changes who reads the entry of this context.
  void update_pin(std::size_t entry);

 private:
  std::optional<CacheHit> look_up(std::size_t context);
  bool may_prefetch() const;

  EngineServices services_;
  const Clock& serving_clock_;
  const ArrivalQueue& arrivals_;
  HitPlanner& planner_;
  const RequestBatch& batch_;
  bool prefetches_;
  Prefetcher prefetcher_;
};

}  // namespace kvantage::inline scheduler
