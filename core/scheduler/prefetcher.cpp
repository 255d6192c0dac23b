#include "core/scheduler/prefetcher.h"

#include <utility>

namespace kvantage::inline scheduler {

std::optional<std::size_t> Prefetcher::pump() {
  if (!prefetch_ || prefetch_->prefetched.load->pump(0)) return std::nullopt;
  return drop();
}

std::optional<std::size_t> Prefetcher::begin(const WaitingRequests& waiting) {
  looked_at_ = waiting.taken();
  auto hit = services_.store.find(services_.catalog.details(waiting.next_context()).tokens);
  if (!hit || hit->place.bytes_in_flight != nullptr || !hit->place.tier->reachable()) return std::nullopt;
  auto load = hit->load(services_.lender);
  const std::size_t entry = hit->context;
  prefetch_ = Prefetch{waiting.taken(), {std::move(*hit), std::move(load), serving_clock_.monotonic_ns()}};
  return prefetch_->prefetched.load->pump(0) ? std::optional(entry) : drop();
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
