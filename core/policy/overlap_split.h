// The fastest split when a part of a cache is recomputed while the rest is loaded. KVPR's balance (paper 004, equation
// 10 without its activation term) on fitted costs: the beginning of a context is prefilled, since a prefix needs
// nothing before it, and the rest is loaded. Predicted only: the engine loads or prefills a context as a whole.
#pragma once

#include "core/policy/types.h"

namespace kvantage::inline policy {

struct OverlapSplit {
  double recomputed_tokens = 0;  // at the beginning of the context
  double seconds = 0;            // until both parts are ready
  double load_seconds = 0;       // loading everything
  double prefill_seconds = 0;    // computing everything
};

/// min over l in [0, tokens] of max(prefill(l), load(tokens - l)): closed form, as prefill grows with l and load falls.
/// Loading nothing and computing nothing are free. `bytes` are those of the whole uncompressed entry.
OverlapSplit overlap_split(const TierModel& tier, const PrefillModel& prefill, double tokens, double bytes);

}  // namespace kvantage::inline policy
