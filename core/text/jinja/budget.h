// What rendering a template may use: a template is a stranger's program.
#pragma once

#include <cstdint>

#include "core/base/error.h"

namespace kvantage::inline jinja {

class JinjaBudget {
 public:
  /// Ample for a chat template and a conversation of a few messages.
  static constexpr std::uint64_t max_steps = 2'000'000;
  static constexpr std::uint64_t bytes_per_step = 32;  // of texts that are made or searched
  static constexpr int max_depth = 250;                // of expressions, blocks and calls in one another

  explicit JinjaBudget(std::uint64_t steps = max_steps) : steps_(steps) {}
  /// rejected_input once the steps are used up, then and ever after.
  Status take(std::uint64_t steps) {
    if (steps > steps_) {
      steps_ = 0;
      used_up_ = true;
    }
    if (used_up_) return fail(ErrorCode::rejected_input, "the template needs too many steps");
    steps_ -= steps;
    return {};
  }
  /// For a text of this size.
  Status take_text(std::uint64_t bytes) { return take(1 + bytes / bytes_per_step); }

 private:
  std::uint64_t steps_;
  bool used_up_ = false;
};

}  // namespace kvantage::inline jinja
