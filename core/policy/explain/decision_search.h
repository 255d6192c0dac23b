// Counterfactuals: the frequency, budget and alpha at which the policy decides differently about one context. A search
// doubles or halves until the plan differs, then bisects; both sides of the result were planned.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "core/policy/policy.h"

namespace kvantage::inline explain {

enum class Lever : std::uint8_t { frequency, budget, alpha };

struct Turning {
  Lever lever = Lever::frequency;
  int tier = not_stored;    // whose budget
  bool rises = true;        // the input increases
  double now = 0;           // requests, bytes, or seconds per unit of quality
  bool found = false;       // false: nothing changes up to `at`
  double still = 0;         // the plan keeps its choice here
  double at = 0;            // and changes it here, within a hundredth of the threshold
  Configuration to = {};    // the new choice
  std::uint64_t plans = 0;  // plans computed
};

/// Rising frequency and budget: searches for a faster tier, or on the fastest one for a larger form. Falling: a slower
/// tier, none, or a smaller form on the same tier. Alpha, both ways, within 1/100 and 100 times its value: any other
/// configuration. Empty for policies that do not weigh utility, and for a context without requests that is not stored.
/// `report` receives each result as it is found; `given_up` ends the search between two plans, which returns the
/// results so far.
std::vector<Turning> find_turnings(const Snapshot& snapshot, const Policy& policy, std::size_t index,
                                   const std::function<bool()>& given_up = {},
                                   const std::function<void(const Turning&)>& report = {});

}  // namespace kvantage::inline explain
