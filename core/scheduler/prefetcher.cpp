#include "core/scheduler/prefetcher.h"

#include <utility>

#include "core/kv/codecs/codec.h"
#include "core/request/resident_hit_stage.h"

namespace kvantage::inline scheduler {

std::optional<std::size_t> Prefetcher::pump() {
  if (!prefetch_) return std::nullopt;
  const Status status = prefetch_->prefetched.load->pump(0);
  return status ? std::nullopt : give_up(status.error());
}

std::optional<std::size_t> Prefetcher::begin(const WaitingRequests& waiting) {
  looked_at_ = waiting.taken();
  auto hit = services_.store.find(services_.catalog.details(waiting.next_context()).tokens);
  // Of chunks, the question will say which ones are needed.
  if (!hit || names_token_chunks(hit->method) || hit->place.bytes_in_flight != nullptr || !hit->place.tier->reachable())
    return std::nullopt;
  if (resident_entries(services_.runtime, *hit->place.tier, hit->info.key) != nullptr) return std::nullopt;
  auto load = hit->load(services_.lender);
  const std::size_t entry = hit->context;
  prefetch_ = Prefetch{waiting.taken(), {std::move(*hit), std::move(load), serving_clock_.monotonic_ns()}};
  const Status status = prefetch_->prefetched.load->pump(0);
  return status ? std::optional(entry) : give_up(status.error());
}

std::optional<std::size_t> Prefetcher::give_up(const Error& error) {
  const ReadFailure failure = prefetch_->prefetched.load->failure(error);
  const std::optional<std::size_t> entry = drop();
  if (failure.entry_is_lost()) services_.store.drop(*entry, failure);
  return entry;
}

std::optional<Prefetcher::Prefetched> Prefetcher::take(const WaitingRequests& waiting) {
  if (!prefetch_ || prefetch_->in_sequence + 1 != waiting.taken()) return std::nullopt;
  return std::move(std::exchange(prefetch_, std::nullopt)->prefetched);
}

std::optional<std::size_t> Prefetcher::drop() {
  if (!prefetch_) return std::nullopt;
  const std::size_t entry = prefetch_->prefetched.hit.context;
  prefetch_.reset();
  return entry;
}

}  // namespace kvantage::inline scheduler
