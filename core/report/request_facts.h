// What a request's record says about the cache that served it.
#pragma once

#include <algorithm>

#include "core/ports/events.h"
#include "core/ports/tier_config.h"

namespace kvantage::inline report {

/// Whether a stored cache served it.
inline bool is_hit(const RequestRecord& record) {
  return !record.source.empty() && role_of(record.source) != TierRole::prefill;
}

/// Context tokens loaded from the tier. An entry that covers the whole context may leave the prefix at 0.
inline int tokens_from_tier(const RequestRecord& record) {
  if (!is_hit(record)) return 0;
  return record.prefix_hit_tokens > 0 ? std::min(record.prefix_hit_tokens, record.context_tokens)
                                      : record.context_tokens;
}

}  // namespace kvantage::inline report
