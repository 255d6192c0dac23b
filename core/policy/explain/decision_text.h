// A decision in sentences, as a user reads them under 'why here?'.
#pragma once

#include <string>
#include <vector>

#include "core/policy/explain/decision.h"
#include "core/policy/explain/decision_search.h"

namespace kvantage {

/// What was decided and why; why the best of the other ways was not taken; at which alpha another form becomes better.
std::vector<std::string> in_words(const Snapshot& snapshot, const Decision& decision);

/// "from frequency 12.3 on (now 4.1): dram, snapkv without 50 %"; for one that was not found: that nothing changes.
std::string in_words(const Snapshot& snapshot, const Turning& turning);

}  // namespace kvantage
