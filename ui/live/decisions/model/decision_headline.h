// A decision in one sentence: where the context is, and what the best other way to keep it would gain and cost.
#pragma once

#include <QString>

#include "core/policy/explain/decision.h"

namespace kvantage {

/// "ssd, keydiff 50 %", "dram, uncompressed" or "not stored".
QString configuration_name(const Snapshot& snapshot, const Configuration& configuration);
/// The same for all snapshots of a session; no two configurations share one.
QString configuration_id(const Configuration& configuration);

/// "research-3 is in ssd as keydiff 50 %: uncompressed in dram it would gain 0.02 s of utility, but displace news-1,
/// which costs 0.05 s." Utility in s: (alpha * quality - TTFT) * request frequency. `snapshot`: of the decision.
QString decision_headline(const Snapshot& snapshot, const Decision& decision);

/// With its sign: "+0.02", "−0.05", "0".
QString signed_text(double value);

}  // namespace kvantage
