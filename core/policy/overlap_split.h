// Loading one part of a cache while the other is computed again, at the same time: how much of each is fastest. KVPR's
// balance (paper 004, equation 10 without its activation term) on what is measured here: the beginning of a context is
// prefilled, since a prefix needs nothing before it, and the rest is loaded. Predicted: the engine loads or prefills a
// context as a whole.
#pragma once

#include "core/policy/types.h"

namespace kvantage {

struct OverlapSplit {
  double recomputed_tokens = 0;  // of the context's beginning
  double seconds = 0;            // until both parts are there
  double load_seconds = 0;       // of all by loading alone
  double prefill_seconds = 0;    // of all by computing alone
};

/// min over l in [0, tokens] of max(prefill(l), load(tokens - l)): closed form, as prefill grows with l and load falls.
/// Loading nothing and computing nothing cost nothing. `bytes` are those of the whole uncompressed entry.
OverlapSplit overlap_split(const TierModel& tier, const PrefillModel& prefill, double tokens, double bytes);

}  // namespace kvantage
