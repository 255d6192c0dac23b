// A decision as sentences for the user, under 'why here?'.
#pragma once

#include <string>
#include <vector>

#include "core/policy/explain/decision.h"
#include "core/policy/explain/decision_search.h"

namespace kvantage::inline explain {

/// The choice and its reason; why the best alternative was rejected; at which alpha another form becomes better.
std::vector<std::string> in_words(const Snapshot& snapshot, const Decision& decision);

/// "from frequency 12.3 on (now 4.1): dram, snapkv without 50 %"; where none was found: that nothing changes.
std::string in_words(const Snapshot& snapshot, const Turning& turning);

}  // namespace kvantage::inline explain
