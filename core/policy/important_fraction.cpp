#include <cmath>

#include "core/policy/importance_order.h"
#include "core/policy/policies.h"

namespace kvantage::inline policy {

// After IMPRESS (Chen et al., FAST 2025), but decided for whole contexts before any question is known: every context is
// stored as its important fraction, built by `method` (chunks of tokens by their attention). impress(snapkv) lets the
// first heads decide for all and keeps whole layers where they disagree. Tiers evict the lowest importance times
// frequency, and the archive is the full copy. An entry takes the bytes of its important fraction, so a budget holds
// more contexts than under IMPRESS itself (impress.cpp), which stores contexts whole and reads them in part.
MadePolicy make_important_fraction_policy(const FormArguments& arguments) {
  const double removed_fraction = std::round((1 - arguments.real("kept")) * 1e9) / 1e9;  // 0.3 where 0.7 is kept
  return make_eviction_policy(arguments.canonical_text(), arguments.text("method"), removed_fraction,
                              importance_order());
}

}  // namespace kvantage::inline policy
