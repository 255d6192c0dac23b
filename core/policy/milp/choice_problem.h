// Choosing one option of each group within the rooms of several tiers: the multiple-choice knapsack as a mixed-integer
// program, solved by coinor-cbc (COIN-OR) where the program was built with it (KVANTAGE_CBC).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace kvantage::inline milp {

struct ChoiceOption {
  int tier = -1;  // -1: takes no room
  std::uint64_t bytes = 0;
  double value = 0;
};

struct ChoiceProblem {
  std::vector<std::uint64_t> rooms;               // bytes, by tier
  std::vector<std::vector<ChoiceOption>> groups;  // exactly one of each is taken
};

/// One thread. Nodes and columns are the same on every machine; the seconds only end what takes far too long.
struct ChoiceLimits {
  int nodes = 1000;
  double seconds = 5;
  std::size_t columns = 100'000;  // options of all groups; a larger problem is not tried
};

struct ChoiceSolution {
  std::vector<std::size_t> chosen;  // by group; it fits, to the byte
  double value = 0;                 // sum of their values
  double bound = 0;                 // no choice has more, within the solver's tolerances (1e-9 of the largest value)
  std::int64_t nodes = 0;
};

/// Whether the program was built with a solver.
bool milp_is_available();

/// Within the limits and those of its thread (search_bounds.h). Nothing without a solver, beyond the limit of columns,
/// where cancelled, or where no choice was found.
std::optional<ChoiceSolution> solve_choices(const ChoiceProblem& problem, const ChoiceLimits& limits = {});

/// While it lives, a search of this thread ends early when `asked` says so: plans of the window, of commands and of
/// sessions that end. Not for plans that must be the same each time.
class SearchCancel {
 public:
  explicit SearchCancel(std::function<bool()> asked);
  ~SearchCancel();
  SearchCancel(const SearchCancel&) = delete;
  SearchCancel& operator=(const SearchCancel&) = delete;
  /// Of the innermost one of this thread; false without any.
  static bool is_asked();

 private:
  std::function<bool()> asked_;
  SearchCancel* outer_;
};

}  // namespace kvantage::inline milp
