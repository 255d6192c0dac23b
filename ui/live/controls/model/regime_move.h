// What puts a running session into a regime of the papers, as far as its settings can.
#pragma once

#include <cstddef>

#include "core/ports/session.h"
#include "core/workload/regimes/regimes.h"

namespace kvantage {

struct RegimeChoice {
  const Regime* regime = nullptr;
  double first_percent = 0;  // budget of the fastest tier, of all contexts' uncompressed KV
  std::size_t alpha = 0;     // index into alpha_factors
};

/// Whether prefill and all tiers have a fit.
bool is_timed(const Snapshot& snapshot);

/// `settings` with the choice's budgets, bandwidths, alpha, policy, candidates and arrival rate, by the fits of
/// `snapshot`; always loading, and without re-profiling. Its tiers, those of `settings` and those of the regime must be
/// as many. A tier that is slower than the regime's by itself gets full speed, unless it is throttled now: its own
/// speed is not known then. usage error for a snapshot without contexts or times.
Expected<SessionSettings> settings_in(const RegimeChoice& choice, const Snapshot& snapshot, SessionSettings settings);

}  // namespace kvantage
