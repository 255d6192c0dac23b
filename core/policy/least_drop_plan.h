// The greedy's working state, kept so that a change re-solves only what it touches.
//
// On each tier every context that entered it has a chain of steps, each with the least drop of utility from the one
// before: smaller forms, and last the way out, to its best configuration on the tiers below. The key of a step is its
// drop, but never less than an earlier key of its chain. Ordered by (key, context), the steps of all chains form one
// sequence; the shortest prefix that brings the tier within its budget is taken. Two heaps hold the place where the
// sequence is cut: the taken steps, greatest key first, and the next step of each chain, least key first. After a
// change the cut moves along the sequence, up or down, until it is right again, and what entered or left the tiers
// below is put right there in the same way.
//
// From scratch the cut is guessed from a sample of the chains, all contexts are walked once up to the guess, and the
// heaps settle the rest: a few passes over the options instead of a heap operation for every step.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "core/policy/least_drop_solver.h"

namespace kvantage {

class LeastDropPlan {
 public:
  /// The problem outlives the plan; entries larger than `limit` bytes are not considered, nor, where `fitting`, those
  /// that are larger than a tier there. `prices`, by tier, are what room on the tiers below counts when a way out is
  /// chosen, in utility per byte; none: nothing, as the paper has it.
  LeastDropPlan(const PlanningProblem& problem, double alpha, PlanStart start, bool per_byte, bool fitting = false,
                std::uint64_t limit = std::numeric_limits<std::uint64_t>::max(), std::vector<double> prices = {});

  /// After the problem's budgets changed.
  void budgets_changed();
  /// After PlanningProblem::update of this item, which may be a new one.
  void item_changed(std::size_t index);
  /// All keys change: from scratch, over the same problem.
  void set_alpha(double alpha);

  double total_utility() const;
  std::uint64_t steps() const { return steps_; }
  /// Where a context is, without the words.
  PlanChoice choice(std::size_t index) const;
  /// With the last step's drop, and the step that would have been taken next on the tier that made it necessary.
  PlanChoice explained_choice(std::size_t index) const;
  /// Steps that were moved over since the plan was made: what a change has cost.
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
    std::uint32_t to = absent;  // absent: there is none
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
    bool cut = false;  // the heaps are kept; else no step was taken yet
    std::vector<Cut> taken, spared;
    std::uint64_t limit = 0;                                 // entries above are not considered here
    mutable std::optional<std::array<Cut, 2>> least_spared;  // the next two steps, looked up when asked for
  };

  double value(std::size_t option, std::size_t tier) const {
    return alpha_ * problem_.quality(option) - problem_.ttft_seconds(option, tier);
  }
  void build();
  std::uint64_t limit_on(std::size_t tier) const { return fitting_ ? std::min(limit_, problem_.budget(tier)) : limit_; }
  void find_start(std::size_t index);
  Best best_on(const PlanningItem& item, std::size_t tier, std::uint64_t limit, double least_quality, Best best) const;
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
  const std::array<Cut, 2>& least_spared(const Tier& tier) const;
  std::uint64_t bytes_of(std::uint32_t option) const { return option < way_out ? problem_.bytes(option) : 0; }
  static constexpr Cut no_cut{std::numeric_limits<double>::infinity(), absent};

  const PlanningProblem& problem_;
  double alpha_;
  PlanStart start_;
  bool per_byte_, fitting_;
  std::uint64_t limit_;
  std::vector<double> prices_;
  std::vector<Tier> tiers_;
  std::vector<Best> starts_;  // [items]
  std::uint64_t steps_ = 0, work_ = 0;
};

}  // namespace kvantage
