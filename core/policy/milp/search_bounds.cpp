#include "core/policy/milp/search_bounds.h"

#include <algorithm>

namespace kvantage::inline milp {
namespace {

thread_local SearchBounds* innermost_bounds = nullptr;

ChoiceLimits tighter(const ChoiceLimits& one, const ChoiceLimits& other) {
  return {std::min(one.nodes, other.nodes), std::min(one.seconds, other.seconds), std::min(one.columns, other.columns)};
}

}  // namespace

SearchBounds::SearchBounds(const ChoiceLimits& limits) : limits_(within(limits)), outer_(innermost_bounds) {
  innermost_bounds = this;
}

SearchBounds::~SearchBounds() { innermost_bounds = outer_; }

ChoiceLimits SearchBounds::within(const ChoiceLimits& limits) {
  return innermost_bounds == nullptr ? limits : tighter(limits, innermost_bounds->limits_);
}

}  // namespace kvantage::inline milp
