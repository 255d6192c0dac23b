#include <utility>

#include "core/policy/milp/choice_problem.h"

namespace kvantage::inline milp {
namespace {

thread_local SearchCancel* innermost_cancel = nullptr;

}  // namespace

SearchCancel::SearchCancel(std::function<bool()> asked) : asked_(std::move(asked)), outer_(innermost_cancel) {
  innermost_cancel = this;
}

SearchCancel::~SearchCancel() { innermost_cancel = outer_; }

bool SearchCancel::is_asked() {
  return innermost_cancel != nullptr && innermost_cancel->asked_ && innermost_cancel->asked_();
}

}  // namespace kvantage::inline milp
