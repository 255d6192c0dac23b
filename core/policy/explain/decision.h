// Why a context is where it is: what the plan decided for it, what every other way to keep it would predict, and why
// the best of those was not taken. Reads what the policies read and decides nothing.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/policy/policy.h"

namespace kvantage {

/// One way to keep a context, and what it predicts.
struct Alternative {
  Configuration configuration;
  std::uint64_t bytes = 0;  // 0 when not stored
  double quality = 0, ttft_seconds = 0, utility = 0;
  double utility_drop = 0;  // from the plan's choice to this; below 0: the context itself would gain
  bool quality_assumed = false;
  bool chosen = false;
  bool dominated = false;  // another form on its tier has no less utility and takes no more bytes
};

/// Taking an alternative by force: the context is held there and the policy plans all others around it.
struct Instead {
  struct Moved {
    std::size_t context = 0;
    Configuration from, to;
    double utility_change = 0;
  };
  std::size_t alternative = 0;  // the one of highest utility beside the choice
  double own_change = 0;        // of the context's utility
  double others_change = 0;     // of everybody else's, who make room for it or take the room that it leaves
  std::vector<Moved> moved;     // of the others, the greatest loss first
  bool too_large = false;       // the entry alone is above the tier's budget
  bool planned = false;         // false: the policy does not weigh utility, and nothing was planned
};

/// The alpha at which another form becomes better for the context by itself. Exact: utilities are linear in alpha.
struct Crossing {
  double alpha = 0;
  std::size_t alternative = 0;
};

struct Decision {
  std::size_t context = 0;
  double alpha = 0, frequency = 0;
  Configuration placed;                   // where it is now
  std::string reason;                     // the policy's own words
  bool weighs_utility = true;             // false: the policy follows events (lru), and what it chose is where it is
  std::vector<Alternative> alternatives;  // fastest tier first, the largest first on each; last: not stored
  std::size_t chosen = 0;                 // of the alternatives
  std::optional<Instead> instead;         // nothing: there is no other way, or the context counts for nothing
  std::optional<Crossing> below, above;   // nearest ones among the forms on the choice's tier and not storing it
  const Alternative& choice() const { return alternatives[chosen]; }
};

/// Every tier x candidate form of contexts[index] as a planner sees them, and not storing it, against `chosen`.
std::vector<Alternative> alternatives(const Snapshot& snapshot, std::size_t index, const Configuration& chosen);

/// The decision of `policy` on contexts[index]. Plans twice. `snapshot`: see steady_state() for one that is not
/// disturbed by what is being read this moment. Nothing when `given_up` says so in between.
std::optional<Decision> decide(const Snapshot& snapshot, const Policy& policy, std::size_t index,
                               const std::function<bool()>& given_up = {});

}  // namespace kvantage
