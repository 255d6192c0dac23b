// A decision as sentences for the user, under 'why here?'.
#pragma once

#include <string>
#include <vector>

#include "core/policy/explain/decision.h"
#include "core/policy/explain/decision_search.h"

namespace kvantage::inline explain {

/// The choice and its reason; why the best alternative was rejected; at which alpha another form becomes better. Of a
/// context without requests: that nothing changes until its first one.
std::vector<std::string> decision_text(const Snapshot& snapshot, const Decision& decision);

/// "frequency ≥ 12.3 (now 4.1): dram, snapkv, 50 % removed"; where none was found: "raising the frequency to 123 would
/// not change it (now 4.1)".
std::string turning_text(const Snapshot& snapshot, const Turning& turning);

}  // namespace kvantage::inline explain
