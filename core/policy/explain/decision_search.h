// What would have to change for another choice, found by planning again: the frequency, the budget and the alpha at
// which the policy itself decides otherwise about one context. A search doubles or halves until the plan differs and
// then closes in; what it reports was planned on both sides.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "core/policy/policy.h"

namespace kvantage {

enum class Lever : std::uint8_t { frequency, budget, alpha };

struct Turning {
  Lever lever = Lever::frequency;
  int tier = not_stored;    // whose budget
  bool rises = true;        // the lever goes up
  double now = 0;           // requests, bytes, or seconds per unit of quality
  bool found = false;       // false: up to `at` nothing changes
  double still = 0;         // the plan keeps its choice here
  double at = 0;            // and makes another one here, within a hundredth of it
  Configuration to = {};    // that choice
  std::uint64_t plans = 0;  // that it took
};

/// For frequency and budget, rising: a faster tier, or on the fastest a larger form; falling: a slower tier, none, or a
/// smaller form on the same. For alpha, both ways, within 1/100 and 100 times its value: any other configuration.
/// Empty for policies that do not know alpha. `report` hears of each as it is found; `given_up` ends the search between
/// two plans, and what was found so far is returned.
std::vector<Turning> find_turnings(const Snapshot& snapshot, const Policy& policy, std::size_t index,
                                   const std::function<bool()>& given_up = {},
                                   const std::function<void(const Turning&)>& report = {});

}  // namespace kvantage
