// Two tiers, together too small for all contexts; all of them are profiled, requested and archived.
#pragma once

#include <cstdint>

#include "core/policy/frontier.h"
#include "tests/policy/random_snapshots.h"

namespace kvantage::testing {

inline Snapshot crowded_snapshot(std::uint64_t seed, std::size_t contexts = 12) {
  Random random(seed);
  Snapshot s = random_snapshot(random, {.contexts = contexts, .tiers = 2, .methods = 2, .fractions = 3});
  std::uint64_t total = 0;
  for (ContextState& context : s.contexts) {
    context.frequency += 0.1;
    total += context.full_bytes;
  }
  s.tiers[0].budget_bytes = total / 6;
  s.tiers[1].budget_bytes = total / 4;
  s.tiers[0].model = {1e-4, 2e9, 0, 0};
  s.tiers[1].model = {1e-3, 5e7, 0, 0};
  s.prefill = {0.01, 2e-4, 1e-8};
  s.alpha = alpha_scale(s).middle;
  return s;
}

}  // namespace kvantage::testing
