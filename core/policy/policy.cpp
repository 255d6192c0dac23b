#include "core/policy/policy.h"

namespace kvantage::inline policy {

PolicyStep Policy::advance(PolicyState& state, const PolicyEvent& event) const {
  state.memory = nullptr;
  return step(state, event);
}

}  // namespace kvantage::inline policy
