// What tests and benches of partial recomputation share.
#pragma once

#include <QtTest>

#include <algorithm>
#include <span>

#include "tiers/buffer_pool.h"
#include "tiers/tier_spec.h"

namespace kvantage::test {

inline std::unique_ptr<StorageTier> open_or_fail(const TierSpec& spec) {
  auto tier = open_tier(spec);
  if (!tier) qFatal("%s", tier.error().message.c_str());
  return std::move(*tier);
}

inline std::unique_ptr<StorageTier> memory_tier(double bytes_per_second = 0, double latency_seconds = 0) {
  TierSpec spec;
  spec.name = "dram";
  spec.bandwidth_bytes_per_second = bytes_per_second;
  spec.latency_seconds = latency_seconds;
  return open_or_fail(spec);
}

inline std::int32_t greedy(std::span<const float> logits) {
  return static_cast<std::int32_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
}

}  // namespace kvantage::test
