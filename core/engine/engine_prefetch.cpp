// Where requests queue, the cache of the next one is read while the present one decodes: its tier is idle then. Without
// a rate a request is there only when the one before it is answered, so there is nothing to look ahead to.
#include <algorithm>

#include "core/engine/engine_worker.h"

namespace kvantage {

void Engine::Worker::prefetch_next() {
  if (prefetch_) {
    // What fails here fails again, and is counted, where the request itself reads.
    if (!prefetch_->load->pump(0)) drop_prefetch();
    return;
  }
  if (engine_.config_.frozen || arrival_rate() <= 0 || next_in_sequence_ >= sequence_.size() ||
      prefetch_looked_at_ == next_in_sequence_ || !next_request_is_due())
    return;
  // Where there is a place for it, it is begun and not read ahead.
  if (running_.size() < batch_limit() || !requeued_.empty() ||
      !std::ranges::all_of(running_, [](const Running& request) { return request.task->decoding(); }))
    return;
  prefetch_looked_at_ = next_in_sequence_;
  const std::string& id = engine_.config_.workload.contexts[sequence_[next_in_sequence_].context].id;
  auto hit = store_->find(catalogue_->details(*catalogue_->index_of_id(id)).tokens);
  if (!hit || hit->at_hand != nullptr || !hit->tier->reachable()) return;
  catalogue_->state(hit->context).pinned = true;
  auto load = hit->load(*opened_.lender);
  prefetch_ = Prefetch{next_in_sequence_, std::move(*hit), std::move(load), serving_clock_.monotonic_ns()};
  if (!prefetch_->load->pump(0)) drop_prefetch();
}

void Engine::Worker::drop_prefetch() {
  if (!prefetch_) return;
  const std::size_t entry = prefetch_->hit.context;
  prefetch_.reset();  // gives its buffers back
  repin(entry);
}

}  // namespace kvantage
