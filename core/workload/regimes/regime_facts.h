// What a session measured of its machine and model, what a regime makes of it, and how far the session is from the
// regime.
#pragma once

#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/policy/types.h"
#include "core/workload/regimes/regimes.h"

namespace kvantage::inline regimes {

/// Of all contexts together, by the fits: the basis of a regime.
struct RegimeFacts {
  double contexts = 0, kv_bytes = 0, tokens = 0;  // kv_bytes: uncompressed entries
  double prefill_seconds = 0;
  double median_kv_bytes = 0, median_prefill_seconds = 0;  // over contexts
  double bytes_per_token() const { return kv_bytes / tokens; }
  double prefill_seconds_per_token() const { return prefill_seconds / tokens; }
};
RegimeFacts facts_of(const Snapshot& snapshot);

/// A session in a regime, in absolute numbers of one machine. Its tiers are tier_texts().
struct RegimeSession {
  std::vector<double> alphas;      // seconds per unit of quality, ascending
  double requests_per_second = 0;  // 0: closed loop
};
/// usage error for facts without contexts or times.
Expected<RegimeSession> session_in(const Regime& regime, const RegimeFacts& facts);

/// How far a measured number may be from the regime's, as a share of it, for a verdict to hold.
inline constexpr double regime_tolerance = 0.1;

struct RegimeDeviation {
  std::string what;                 // "load / prefill, ssd"
  double wanted = 0, measured = 0;  // infinite: unlimited
  double off_percent = 0;           // (measured - wanted) / wanted; infinite where one of them is
  bool holds = false;               // |off_percent| is at most 10
  bool operator==(const RegimeDeviation&) const = default;
};

/// RegimeDeviation::what of the row about the number of tiers.
inline constexpr const char* tiers_row = "tiers";

/// A row for each budget (percent of the contexts' uncompressed KV) and each load / prefill. The fastest tier is held
/// against the nearest percentage of the regime, the others against its multiples. Loads are uncompressed, by the
/// tier's fit: latency, transfer and unpacking. One row about the number of tiers where that differs.
std::vector<RegimeDeviation> regime_deviations(const Regime& regime, const Snapshot& snapshot);
/// The same rows for a session in no regime: behind the row about another number of tiers also those of the tiers that
/// both have, fastest first.
std::vector<RegimeDeviation> shared_deviations(const Regime& regime, const Snapshot& snapshot);
/// Whether a verdict about the regime's paper holds: every row does.
bool is_in_regime(const std::vector<RegimeDeviation>& rows);
/// Empty if it holds; else "no verdict: load / prefill, ssd is 0.52, 15.6 % off the regime's 0.45".
std::string withheld_text(const std::vector<RegimeDeviation>& rows);

}  // namespace kvantage::inline regimes
