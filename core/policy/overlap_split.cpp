#include "core/policy/overlap_split.h"

#include <algorithm>
#include <cmath>

namespace kvantage::inline policy {

OverlapSplit overlap_split(const TierModel& tier, const PrefillModel& prefill, double tokens, double bytes) {
  OverlapSplit split;
  if (tokens <= 0) return split;
  const double bytes_per_token = bytes / tokens;
  const auto load = [&](double count) { return count > 0 ? tier.seconds(bytes_per_token * count, count) : 0.0; };
  const auto compute = [&](double count) { return count > 0 ? prefill.seconds(count) : 0.0; };
  split.load_seconds = load(tokens);
  split.prefill_seconds = compute(tokens);
  split.seconds = std::min(split.load_seconds, split.prefill_seconds);
  split.recomputed_tokens = split.prefill_seconds < split.load_seconds ? tokens : 0;
  // Both take equally long where  a + b l + c l^2 = latency + k (tokens - l),  k: seconds to load a token.
  const double k = bytes_per_token / tier.bytes_per_second + tier.decode_seconds_per_token;
  const double a = prefill.base_seconds - tier.latency_seconds - k * tokens, b = prefill.seconds_per_token + k,
               c = prefill.seconds_per_token_squared;
  const double under = b * b - 4 * a * c;
  if (a >= 0 || b <= 0 || under < 0) return split;  // loading finishes before computing has started
  const double l = std::min(tokens, -2 * a / (b + std::sqrt(under)));
  const double both = std::max(compute(l), load(tokens - l));
  if (both < split.seconds) {
    split.seconds = both;
    split.recomputed_tokens = l;
  }
  return split;
}

}  // namespace kvantage::inline policy
