#include <cmath>

#include "core/policy/importance_order.h"
#include "core/policy/policies.h"

namespace kvantage::inline policy {

// IMPRESS (Chen et al., FAST 2025) keeps the tokens that a few heads' attention ranks as important, loads only chunks
// that hold such tokens, and caches chunks by (important tokens) * (access frequency); its slowest tier holds
// everything.
// Here, per context: every context is stored as its important fraction, built by `method` (chunks of tokens by their
// attention). impress(snapkv) lets the first heads decide for all and keeps whole layers where they disagree. Tiers
// evict the lowest importance times frequency, and the archive is the full copy. An entry takes the bytes of its
// important fraction, where one of IMPRESS's slowest tier takes those of the whole context and is read in part. A hit
// reads the same bytes, but a budget on whole entries would hold fewer. Left out: partial reads, parts of a context on
// different tiers, and per-question importance. As everywhere here, importance is computed before any question is
// known.
// any question is known.
MadePolicy make_impress_policy(const FormArguments& arguments) {
  const double removed_fraction = std::round((1 - arguments.real("kept")) * 1e9) / 1e9;  // 0.3 where 0.7 is kept
  return make_eviction_policy(arguments.canonical_text(), arguments.text("method"), removed_fraction,
                              importance_order());
}

}  // namespace kvantage::inline policy
