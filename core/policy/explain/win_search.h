// What would have to change for one given configuration to be chosen: the alpha, the budget or the frequency from which
// on the policy plans it. Found by planning: both sides of each result were planned.
#pragma once

#include <functional>
#include <vector>

#include "core/policy/explain/decision_search.h"

namespace kvantage::inline explain {

/// Steps of a search, as a factor: a range of a lever that is narrower may be stepped over.
inline constexpr double win_search_step = 1.25;
inline constexpr double win_search_alpha_range = 100, win_search_frequency_range = 1000;

/// Changes of one input each after which contexts[index] is planned in `wanted`, the nearest in each direction: alpha
/// down to 1/100 and up to 100 times its value, frequency to 1/1000 and 1000 times, a larger budget of the wanted tier
/// up to what holds all contexts uncompressed, a smaller one of the chosen tier down to 1/1000. `still` is planned
/// otherwise and `at` as wanted, within a hundredth of each other. Empty where nothing was found, where it is the
/// choice already, for policies that do not weigh utility and for a context without requests. `report` receives each
/// result as it is found; `given_up` ends the search between two plans, which returns the results so far.
std::vector<Turning> find_wins(const Snapshot& snapshot, const Policy& policy, std::size_t index,
                               const Configuration& wanted, const std::function<bool()>& given_up = {},
                               const std::function<void(const Turning&)>& report = {});

}  // namespace kvantage::inline explain
