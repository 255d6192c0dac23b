// What records of requests and runs show.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/base/json.h"
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

/// Requests at the start of a run that its metrics leave out, of the settings recorded with it.
inline std::uint64_t warmup_requests(const Json& settings) {
  constexpr double most = 1e15;  // settings come from files of others
  const auto found = settings.is_object() ? settings.find("warmup") : settings.end();
  if (!settings.is_object() || found == settings.end() || !found->is_number()) return 0;
  return static_cast<std::uint64_t>(std::clamp(found->get<double>(), 0.0, most));
}

}  // namespace kvantage::inline report
