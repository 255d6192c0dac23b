// Explains a placement: the plan's choice for a context, the predictions of every alternative, and why the best
// alternative was rejected. Reads what the policies read and decides nothing.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/policy/formula/formula.h"
#include "core/policy/policy.h"

namespace kvantage::inline explain {

/// One configuration of a context, and its predictions.
struct Alternative {
  Configuration configuration;
  std::uint64_t bytes = 0;  // 0 when not stored
  double quality = 0, ttft_seconds = 0;
  double utility = 0;       // as the policy weighs it: EvicPress's in s, or its formula's value
  double utility_drop = 0;  // from the plan's choice to this; below 0: the context alone would gain
  bool quality_assumed = false;
  bool chosen = false;
  bool dominated = false;  // another form on its tier has at least its utility and no more bytes
};

/// A forced alternative: the context is fixed there and the policy plans all others around it.
struct Instead {
  struct Moved {
    std::size_t context = 0;
    Configuration from, to;
    double utility_change = 0;
  };
  std::size_t alternative = 0;  // the one of highest utility except the choice
  double own_change = 0;        // of the context's utility
  double others_change = 0;     // all other contexts, displaced by it or using the space that it frees
  std::vector<Moved> moved;     // other contexts, the greatest loss first
  bool too_large = false;       // the entry alone exceeds the tier's budget
  bool planned = false;         // false: the policy does not use utility, and nothing was planned
};

/// What a formula read of two configurations: "alpha = 0.5, quality = 0.9, ...", only what it names.
struct FormulaReading {
  std::string formula, choice;
  std::string other;  // of the best alternative; empty: there is none
};

/// The alpha at which another form becomes better for the context alone. Exact: utilities are linear in alpha.
struct Crossing {
  double alpha = 0;
  std::size_t alternative = 0;
};

struct Decision {
  std::size_t context = 0;
  double alpha = 0, frequency = 0;
  Configuration placed;                   // where it is now
  std::string reason;                     // as the policy states it
  bool weighs_utility = true;             // false: the policy follows events (lru), and its choice is the current
                                          // placement
  std::vector<Alternative> alternatives;  // fastest tier first, largest form first on each; last: not stored
  std::size_t chosen = 0;                 // index into alternatives
  std::optional<Instead> instead;         // nothing: there is no alternative, or the context has no weight
  std::optional<FormulaReading> formula;  // nothing: the policy has none, and utilities are in s
  std::optional<Crossing> below,
      above;  // not with a formula; the nearest ones among the forms on the choice's tier and not storing it
  const Alternative& choice() const { return alternatives[chosen]; }
};

/// Every tier x candidate form of contexts[index] as a planner sees them, plus not storing it, compared with `chosen`.
std::vector<Alternative> alternatives(const Snapshot& snapshot, std::size_t index, const Configuration& chosen,
                                      QualityReading reading = QualityReading::pooled,
                                      const Formula* formula = nullptr);

/// Effect on all other contexts of fixing contexts[index] to `alternative`; `plan`: the one of `policy` for `snapshot`.
/// Plans once. Sets neither `alternative` nor `own_change` of the result.
Instead force_alternative(const Snapshot& snapshot, const Policy& policy, const Plan& plan, std::size_t index,
                          const Alternative& alternative);

/// The decision of `policy` on contexts[index]. Plans twice. `snapshot`: see steady_state() for one unaffected by reads
/// in flight. Nothing when `given_up` becomes true.
std::optional<Decision> decide(const Snapshot& snapshot, const Policy& policy, std::size_t index,
                               const std::function<bool()>& given_up = {});

}  // namespace kvantage::inline explain
