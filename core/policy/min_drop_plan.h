// Incremental state of the greedy, so that a change re-solves only what it affects.
//
// On each tier every context that entered it has a chain of steps, each with the least drop of utility from the
// previous configuration: smaller forms, and last the exit to its best configuration on the tiers below. The key of a
// step is its drop, but never less than an earlier key of its chain. Ordered by (key, context), the steps of all chains
// form one sequence; the shortest prefix that brings the tier within its budget is taken. Two heaps track the cut: the
// taken steps, greatest key first, and the next step of each chain, least key first. After a change the cut moves along
// the sequence, up or down, until it is correct. Arrivals and departures on the tiers below are processed in the same
// way.
//
// A build from scratch guesses the cut from a sample of the chains and walks all contexts once up to the guess; the
// heaps fix the rest. That takes a few passes over the options instead of a heap operation for every step.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "core/policy/min_drop_solver.h"

namespace kvantage::inline policy {

class MinDropPlan {
 public:
  /// The problem outlives the plan. Entries larger than `limit` bytes are ignored except on tiers without a budget, and
  /// with `fitting` those larger than a tier there. `prices`, by tier, are the cost of space on the tiers below when an
  /// exit is chosen, in utility per byte; none: 0, as in the paper.
  MinDropPlan(const PlanningProblem& problem, double alpha, PlanStart start, bool per_byte, bool fitting = false,
              std::uint64_t limit = std::numeric_limits<std::uint64_t>::max(), std::vector<double> prices = {});

  /// Call after the problem's budgets changed.
  void budgets_changed();
  /// Call after PlanningProblem::update of this item, which may be a new one.
  void item_changed(std::size_t index);
  /// All keys change: rebuilds from scratch, over the same problem.
  void set_alpha(double alpha);

  /// By what is planned: EvicPress's utility, or the formula.
  double total_utility() const;
  std::uint64_t steps() const { return steps_; }
  /// The placement of a context, without the reason.
  PlanChoice choice(std::size_t index) const;
  /// With the last step's drop, and the runner-up step on the tier that forced it.
  PlanChoice explained_choice(std::size_t index) const;
  /// Steps applied or undone since the plan was built: the cost of a change.
  std::uint64_t work() const { return work_; }

 private:
  static constexpr std::uint32_t absent = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::uint32_t way_out = absent - 1;
  struct Best {  // the best configuration below a tier
    double value = 0;
    std::uint32_t option = 0;
    int tier = not_stored;
  };
  struct Step {
    std::uint32_t to = absent;  // absent: none
    double key = std::numeric_limits<double>::infinity();
  };
  struct Place {  // of one context on one tier
    std::uint32_t entry = absent, now = absent;
    std::uint32_t steps = 0;                                      // taken
    std::uint64_t bytes = 0;                                      // now
    double taken_key = -std::numeric_limits<double>::infinity();  // of the last step taken
    Step next;
  };
  struct Cut {
    double key = 0;
    std::uint32_t item = 0;
    auto operator<=>(const Cut&) const = default;
  };
  struct Tier {
    std::vector<Place> places;  // [items]
    std::vector<Best> below;    // [items]
    UnsignedWide used = 0;
    bool cut = false;  // the heaps are maintained; otherwise no step was taken yet
    std::vector<Cut> taken, spared;
    std::uint64_t limit = 0;                               // larger entries are ignored here
    mutable std::optional<std::array<Cut, 2>> min_spared;  // the next two steps, computed on demand
  };

  double value(std::size_t option, std::size_t tier) const { return values_.of(option, tier); }
  void build();
  /// A tier without a budget takes every size: there an entry displaces nothing.
  std::uint64_t limit_on(std::size_t tier, bool fitting) const {
    const std::uint64_t budget = problem_.budget(tier);
    if (budget == std::numeric_limits<std::uint64_t>::max()) return budget;
    return fitting ? std::min(limit_, budget) : limit_;
  }
  void find_start(std::size_t index);
  Best best_on(const PlanningItem& item, std::size_t tier, std::uint64_t limit, double min_quality, Best best) const;
  Step next_step(std::size_t index, std::size_t tier, std::uint32_t now, double taken_key) const;
  std::uint32_t before_last(std::size_t index, std::size_t tier, double& taken_key) const;
  void enter(std::size_t index, std::size_t tier, std::uint32_t option);
  void leave(std::size_t index, std::size_t tier);
  void take(std::size_t index, std::size_t tier);
  void undo(std::size_t index, std::size_t tier, std::uint32_t to, double taken_key);
  double guess_cut(std::size_t tier) const;
  void begin_cut(std::size_t tier);
  void settle(std::size_t tier);
  const Cut* top_spared(Tier& tier) const;
  const Cut* top_taken(Tier& tier) const;
  void push(std::size_t index, Tier& tier);
  const std::array<Cut, 2>& min_spared(const Tier& tier) const;
  std::uint64_t bytes_of(std::uint32_t option) const { return option < way_out ? problem_.bytes(option) : 0; }
  static constexpr Cut no_cut{std::numeric_limits<double>::infinity(), absent};

  const PlanningProblem& problem_;
  OptionValues values_;
  PlanStart start_;
  bool per_byte_, fitting_;
  std::uint64_t limit_;
  std::vector<double> prices_;
  std::vector<Tier> tiers_;
  std::vector<Best> starts_;  // [items]
  std::uint64_t steps_ = 0, work_ = 0;
};

}  // namespace kvantage::inline policy
