#include "core/workload/bursts.h"

#include <algorithm>
#include <numeric>

#include "core/workload/field_range.h"

namespace kvantage::inline workload {

Status check(const Bursts& bursts) {
  KV_TRY(check_range(bursts.factor, 1, 1e6, "bursts.factor"));
  KV_TRY(check_range(bursts.mean_requests, 1, 1e6, "bursts.mean_requests"));
  KV_TRY(check_range(bursts.mean_quiet_requests, 1, 1e6, "bursts.mean_quiet_requests"));
  return check_range(static_cast<double>(bursts.contexts), 1, 1e6, "bursts.contexts");
}

BurstWalk::BurstWalk(const Bursts& bursts, std::size_t contexts, std::uint64_t seed)
    : bursts_(bursts), random_(seed), order_(contexts), about_(std::min<std::uint64_t>(bursts.contexts, contexts)) {
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  // Quiet gaps are longer so that the mean gap over bursts and quiet times matches the requested rate.
  const double on = bursts.mean_requests, off = bursts.mean_quiet_requests;
  quiet_pace_ = (off + on / bursts.factor) / (off + on);
}

void BurstWalk::begin_burst() {
  for (std::size_t i = 0; i < about_; ++i) std::swap(order_[i], order_[i + random_.below(order_.size() - i)]);
}

BurstWalk::Step BurstWalk::next() {
  const double mean_stay = in_burst_ ? bursts_.mean_requests : bursts_.mean_quiet_requests;
  if (!std::exchange(first_, false) && random_.uniform() * mean_stay < 1.0) {
    in_burst_ = !in_burst_;
    if (in_burst_) begin_burst();
  }
  if (!in_burst_) return {.context = std::nullopt, .pace = quiet_pace_};
  return {.context = order_[random_.below(about_)], .pace = quiet_pace_ * bursts_.factor};
}

}  // namespace kvantage::inline workload
