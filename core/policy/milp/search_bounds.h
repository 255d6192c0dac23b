// Limits of the searches of one thread, beside their own: what may not take long on some thread says so there.
#pragma once

#include "core/policy/milp/choice_problem.h"

namespace kvantage::inline milp {

/// While it lives, searches of this thread end at these limits where their own are wider. Of several, the tightest.
class SearchBounds {
 public:
  explicit SearchBounds(const ChoiceLimits& limits);
  ~SearchBounds();
  SearchBounds(const SearchBounds&) = delete;
  SearchBounds& operator=(const SearchBounds&) = delete;
  /// `limits` within those of this thread.
  static ChoiceLimits within(const ChoiceLimits& limits);

 private:
  ChoiceLimits limits_;
  SearchBounds* outer_;
};

/// Of plans that a session makes on the engine's thread, where requests wait for them: about two turns of placing
/// between requests (0.05 s each). The seconds end the tree of the search, the columns keep its first relaxation short,
/// which no clock ends.
inline constexpr ChoiceLimits session_search_limits{.nodes = 1000, .seconds = 0.1, .columns = 10'000};

}  // namespace kvantage::inline milp
