#include "core/scheduler/entry_lookup.h"

#include <algorithm>
#include <utility>

namespace kvantage::inline scheduler {

std::optional<CacheHit> EntryLookup::look_up(std::size_t context) {
  auto hit = services_.store.find(services_.catalog.details(context).tokens);
  if (hit) choice_.choose(*hit, context);
  return hit;
}

FoundHit EntryLookup::find(std::size_t context, bool again) {
  const std::int64_t start = serving_clock_.monotonic_ns();
  FoundHit found;
  if (auto prefetched = again ? std::nullopt : prefetcher_.take(waiting_)) {
    found.hit = std::move(prefetched->hit);
    found.begun_load = std::move(prefetched->load);
    found.prefetch_seconds = static_cast<double>(start - prefetched->start_ns) * 1e-9;
  } else {
    if (!again) drop_prefetch();
    found.hit = look_up(context);
  }
  found.lookup_seconds = static_cast<double>(serving_clock_.monotonic_ns() - start) * 1e-9;
  return found;
}

void EntryLookup::retry(ServedRequest& request) {
  if (!request.task->may_take_hit()) return;
  auto hit = look_up(request.arrival.context);
  if (!hit) return;
  request.entry = hit->context;
  request.entry_header = services_.catalog.details(request.entry).header;
  request.task->take_hit(std::move(*hit));
  update_pin(request.entry);
}

// If the batch has a free place, the next request is started, not prefetched.
bool EntryLookup::may_prefetch() const {
  if (!prefetches_ || waiting_.rate() <= 0 || waiting_.exhausted() || prefetcher_.has_looked_at_next(waiting_) ||
      !waiting_.is_due())
    return false;
  const auto decodes = [](const ServedRequest& request) { return request.task->needs() == RequestTask::Need::token; };
  return !running_.has_free_place() && !waiting_.has_put_back() && std::ranges::all_of(running_.requests(), decodes);
}

void EntryLookup::prefetch() {
  if (prefetcher_.reads()) {
    if (const auto dropped = prefetcher_.pump()) update_pin(*dropped);
  } else if (may_prefetch()) {
    if (const auto entry = prefetcher_.begin(waiting_)) update_pin(*entry);
  }
}

void EntryLookup::drop_prefetch() {
  if (const auto entry = prefetcher_.drop()) update_pin(*entry);
}

void EntryLookup::update_pin(std::size_t entry) {
  services_.catalog.residency(entry).pinned =
      prefetcher_.reads_entry_of(entry) ||
      std::ranges::any_of(running_.requests(), [entry](const ServedRequest& request) {
        return request.entry == entry && request.task->reading();
      });
}

}  // namespace kvantage::inline scheduler
