#include "core/policy/policy.h"

namespace kvantage {

std::vector<PlacementAction> Policy::advance(PolicyState& state, const PolicyEvent& event) const {
  state.memory = nullptr;
  return step(state, event);
}

}  // namespace kvantage
