// What tests and benches of partial recomputation share.
#pragma once

#include <QtTest>

#include <algorithm>
#include <span>

#include "tiers/buffer_pool.h"
#include "tiers/kinds/tier_place.h"

namespace kvantage::test {

inline std::unique_ptr<StorageTier> open_or_fail(const TierConfig& config) {
  auto tier = open_tier(config, {.executor = system_executor()});
  if (!tier) qFatal("%s", tier.error().message.c_str());
  return std::move(*tier);
}

inline std::unique_ptr<StorageTier> memory_tier(double bytes_per_second = 0, double latency_seconds = 0) {
  return open_or_fail({.name = "dram", .throttle = {bytes_per_second, latency_seconds}});
}

inline std::int32_t greedy(std::span<const float> logits) {
  return static_cast<std::int32_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
}

}  // namespace kvantage::test
