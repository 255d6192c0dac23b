#include "core/workload/drift.h"

#include <numeric>

#include "core/workload/field_range.h"

namespace kvantage::inline workload {

Status check(const Drift& drift) {
  KV_TRY(check_range(drift.begin, 0, 1, "drift.begin"));
  KV_TRY(check_range(drift.end, 0, 1, "drift.end"));
  if (drift.end >= drift.begin) return {};
  return fail(ErrorCode::usage, "field 'drift.end' is before 'drift.begin'; a drift ends when it begins or later");
}

namespace {

std::uint64_t request_at(double share, std::uint64_t requests) {
  return static_cast<std::uint64_t>(share * static_cast<double>(requests) + 0.5);
}

}  // namespace

DriftWalk::DriftWalk(const Drift& drift, std::size_t contexts, std::uint64_t requests, std::uint64_t order_seed,
                     std::uint64_t seed)
    : begin_(request_at(drift.begin, requests)),
      end_(request_at(drift.end, requests)),
      one_by_one_(drift.one_by_one),
      random_(seed) {
  if (!one_by_one_) return;
  std::vector<std::size_t> order(contexts);
  std::iota(order.begin(), order.end(), std::size_t{0});
  Random(order_seed).shuffle(std::span(order));
  changes_at_.resize(contexts);
  // Evenly spaced; the last one switches when the drift ends.
  for (std::size_t place = 0; place < contexts; ++place)
    changes_at_[order[place]] = begin_ + (end_ - begin_) * (place + 1) / contexts;
}

int DriftWalk::next(std::size_t context) {
  const std::uint64_t index = index_++;
  const std::uint64_t drawn = random_.next();
  if (one_by_one_) return index >= changes_at_[context] ? 1 : 0;
  if (index < begin_) return 0;
  if (index >= end_) return 1;
  // In integers: a probability of (index - begin) / (end - begin).
  const auto scaled = static_cast<std::uint64_t>((static_cast<UnsignedWide>(drawn) * (end_ - begin_)) >> 64);
  return scaled < index - begin_ ? 1 : 0;
}

}  // namespace kvantage::inline workload
