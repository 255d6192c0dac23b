// A machine whose times are worked out by hand: three contexts, no tiers.
#pragma once

#include "core/policy/types.h"

namespace kvantage::test {

/// Contexts of 1,000, 2,000 and 3,000 tokens of 3,000 bytes: 18 MB. Prefill takes 60, 110 and 160 ms: 330 ms.
inline Snapshot three_contexts() {
  Snapshot snapshot;
  snapshot.prefill = {0.01, 5e-5, 0};
  for (const int tokens : {1000, 2000, 3000}) {
    ContextState context;
    context.tokens = tokens;
    context.full_bytes = static_cast<std::uint64_t>(tokens) * 3000;
    snapshot.contexts.push_back(context);
  }
  return snapshot;
}

}  // namespace kvantage::test
