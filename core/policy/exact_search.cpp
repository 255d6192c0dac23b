#include "core/policy/exact_search.h"

#include <algorithm>
#include <cmath>

#include "core/base/units.h"
#include "core/policy/lp_bound.h"
#include "core/policy/utility.h"

namespace kvantage::inline policy {

namespace {

struct Option {
  int tier = not_stored;
  std::uint32_t option = 0;
  std::uint64_t bytes = 0;
  double value = 0;    // utility, weighted by frequency
  double reduced = 0;  // after paying for its bytes
};

struct Item {
  std::size_t index = 0;
  std::vector<Option> options;
  double best_reduced() const {
    return std::max_element(options.begin(), options.end(),
                            [](const Option& a, const Option& b) { return a.reduced < b.reduced; })
        ->reduced;
  }
};

class BranchAndBound {
 public:
  BranchAndBound(const PlanningProblem& problem, double alpha, std::uint64_t node_limit, const SearchLimits& limits)
      : problem_(problem), alpha_(alpha), node_limit_(node_limit), limits_(limits) {}

  SearchResult run(Assignment known) {
    best_ = std::move(known);
    result_.upper_bound = best_.total_utility;
    result_.proven = true;
    collect();
    if (!items_.empty()) {
      fit_prices();
      result_.upper_bound = std::max(bound_, best_.total_utility);
      leave_out_hopeless();
      dive();
      if (!result_.proven && limits_.milp) use_solver();
    }
    if (result_.proven) result_.upper_bound = best_.total_utility;
    best_.steps = result_.nodes;
    result_.assignment = std::move(best_);
    return std::move(result_);
  }

 private:
  // Sums of some hundred doubles differ in their last digits by order of addition: smaller gains are ignored.
  double tolerance() const { return 1e-12 * (1 + std::fabs(best_.total_utility)); }

  void collect() {
    rooms_.clear();
    std::vector<UnsignedWide> held(problem_.tiers(), 0);
    for (const PlanningItem& item : problem_.items())
      if (item.fixed && item.fixed_tier != not_stored)
        held[static_cast<std::size_t>(item.fixed_tier)] += problem_.bytes(item.first);
    for (std::size_t t = 0; t < held.size(); ++t)
      rooms_.push_back(held[t] >= problem_.budget(t) ? 0 : problem_.budget(t) - static_cast<std::uint64_t>(held[t]));
    prices_.assign(rooms_.size(), 0);

    for (std::size_t i = 0; i < problem_.items().size(); ++i) {
      const PlanningItem& item = problem_.items()[i];
      if (item.fixed || item.frequency <= 0) {
        PlanChoice choice;
        if (item.fixed) choice = {item.fixed_tier, item.first};
        const ChoiceValue value = value_of(problem_, item, choice);
        settled_ += utility(alpha_, value.quality, value.ttft_seconds, item.frequency);
        continue;
      }
      Item one{i, {}};
      const double unstored = utility(alpha_, item.prefill_quality, item.prefill_seconds, item.frequency);
      one.options.push_back({not_stored, 0, 0, unstored, 0});
      for (std::size_t t = 0; t < rooms_.size(); ++t) add_tier(item, t, unstored, one.options);
      items_.push_back(std::move(one));
    }
  }

  /// Options of the tier that no other option beats in both bytes and value.
  void add_tier(const PlanningItem& item, std::size_t tier, double floor, std::vector<Option>& into) const {
    std::vector<Option> here;
    for (std::uint32_t o = item.first; o < item.first + item.count; ++o)
      if (problem_.bytes(o) <= rooms_[tier])
        here.push_back({static_cast<int>(tier), o, problem_.bytes(o),
                        utility(alpha_, problem_.quality(o), problem_.ttft_seconds(o, tier), item.frequency), 0});
    std::sort(here.begin(), here.end(), [](const Option& a, const Option& b) {
      return a.bytes != b.bytes ? a.bytes < b.bytes : a.value > b.value;
    });
    for (const Option& option : here) {
      if (option.value <= floor) continue;
      floor = option.value;
      into.push_back(option);
    }
  }

  double price(const Option& option) const {
    if (option.tier == not_stored || option.bytes == 0) return 0;
    const auto tier = static_cast<std::size_t>(option.tier);
    return prices_[tier] * static_cast<double>(option.bytes) / static_cast<double>(rooms_[tier]);
  }

  /// The bound at the present prices; `overuse`: by how much each tier exceeds its capacity, as a share of it.
  double relaxed(std::vector<double>& overuse) {
    double sum = settled_;
    overuse.assign(rooms_.size(), -1);
    for (std::size_t t = 0; t < rooms_.size(); ++t) sum += prices_[t];
    for (Item& item : items_) {
      const Option* best = nullptr;
      for (Option& option : item.options) {
        option.reduced = option.value - price(option);
        if (best == nullptr || option.reduced > best->reduced) best = &option;
      }
      sum += best->reduced;
      if (best->tier != not_stored && best->bytes > 0) {
        const auto tier = static_cast<std::size_t>(best->tier);
        overuse[tier] += static_cast<double>(best->bytes) / static_cast<double>(rooms_[tier]);
      }
    }
    return sum;
  }

  /// Subgradient steps towards the prices of the lowest bound (Polyak's step length, halved where it stalls).
  void fit_prices() {
    std::vector<double> overuse, best_prices = prices_;
    double stretch = 1;
    int stalled = 0;
    bound_ = relaxed(overuse);
    double now = bound_;
    for (int step = 0; step < 300 && stretch > 1e-4; ++step) {
      const double distance = now - best_.total_utility;
      double square = 0;
      for (std::size_t t = 0; t < prices_.size(); ++t)
        if (prices_[t] > 0 || overuse[t] > 0) square += overuse[t] * overuse[t];
      if (square <= 0 || distance <= 0) break;
      for (std::size_t t = 0; t < prices_.size(); ++t)
        prices_[t] = std::max(0.0, prices_[t] + stretch * distance / square * overuse[t]);
      now = relaxed(overuse);
      if (now < bound_) {
        bound_ = now;
        best_prices = prices_;
        stalled = 0;
      } else if (++stalled == 8) {
        stretch /= 2;
        stalled = 0;
      }
    }
    prices_ = best_prices;
    bound_ = relaxed(overuse);
  }

  void leave_out_hopeless() {
    for (Item& item : items_) {
      const double best = item.best_reduced(), slack = bound_ - best_.total_utility + tolerance();
      std::erase_if(item.options, [&](const Option& option) { return best - option.reduced > slack; });
      std::sort(item.options.begin(), item.options.end(),
                [](const Option& a, const Option& b) { return a.reduced > b.reduced; });
    }
    // Large ones first: they decide early what fits. A single option needs no branch and comes first.
    std::stable_sort(items_.begin(), items_.end(), [](const Item& a, const Item& b) {
      const bool single_a = a.options.size() == 1, single_b = b.options.size() == 1;
      return single_a != single_b ? single_a : largest(a) > largest(b);
    });
    rest_.assign(items_.size() + 1, 0);
    for (std::size_t i = items_.size(); i > 0; --i) rest_[i - 1] = rest_[i] + items_[i - 1].options.front().reduced;
  }
  static std::uint64_t largest(const Item& item) {
    std::uint64_t most = 0;
    for (const Option& option : item.options) most = std::max(most, option.bytes);
    return most;
  }

  /// Iterative depth-first search over items_. `sum`: utility so far; the rest is bounded by its reduced utilities plus
  /// the priced value of the remaining capacity.
  void dive() {
    std::vector<std::size_t> at(items_.size(), 0);
    std::vector<std::uint64_t> left = rooms_;
    std::vector<double> sums(items_.size() + 1, settled_);
    std::size_t depth = 0;
    const auto bound_with = [&](std::size_t next, double sum, const Option& option) {
      double bound = sum + option.value + rest_[next + 1];
      for (std::size_t t = 0; t < left.size(); ++t) {
        if (rooms_[t] == 0) continue;
        const std::uint64_t taken = option.tier == static_cast<int>(t) ? option.bytes : 0;
        bound += prices_[t] * static_cast<double>(left[t] - taken) / static_cast<double>(rooms_[t]);
      }
      return bound;
    };
    const auto give_back = [&](std::size_t level) {
      const Option& option = items_[level].options[at[level]];
      if (option.tier != not_stored) left[static_cast<std::size_t>(option.tier)] += option.bytes;
    };
    while (true) {
      if (depth == items_.size()) {
        if (sums[depth] > best_.total_utility + tolerance()) accept(at, sums[depth]);
        if (depth-- == 0) return;
        give_back(depth);
        ++at[depth];
        continue;
      }
      const auto& options = items_[depth].options;
      bool entered = false;
      for (; at[depth] < options.size(); ++at[depth]) {
        const Option& option = options[at[depth]];
        if (option.tier != not_stored && option.bytes > left[static_cast<std::size_t>(option.tier)]) continue;
        constexpr std::uint64_t between_questions = 1024;
        if (++result_.nodes > node_limit_ || (result_.nodes % between_questions == 1 && SearchCancel::is_asked())) {
          result_.proven = false;
          return;
        }
        // All later options of the item have lower bounds.
        if (bound_with(depth, sums[depth], option) <= best_.total_utility + tolerance()) break;
        if (option.tier != not_stored) left[static_cast<std::size_t>(option.tier)] -= option.bytes;
        sums[depth + 1] = sums[depth] + option.value;
        entered = true;
        break;
      }
      if (entered) {
        if (++depth < items_.size()) at[depth] = 0;
        continue;
      }
      if (depth-- == 0) return;
      give_back(depth);
      ++at[depth];
    }
  }

  /// What is left of the options, as a mixed-integer program: whatever is better than the best known is among them.
  void use_solver() {
    ChoiceProblem left{rooms_, {}};
    left.groups.reserve(items_.size());
    for (const Item& item : items_) {
      std::vector<ChoiceOption>& group = left.groups.emplace_back();
      group.reserve(item.options.size());
      for (const Option& option : item.options) group.push_back({option.tier, option.bytes, option.value});
    }
    const auto solved = solve_choices(left, limits_.choices);
    if (!solved) return;
    const double sum = settled_ + solved->value;
    if (sum > best_.total_utility + tolerance()) accept(solved->chosen, sum);
    result_.upper_bound =
        std::clamp(settled_ + solved->bound, best_.total_utility, std::max(result_.upper_bound, best_.total_utility));
    result_.proven = result_.upper_bound - best_.total_utility <= 1e-9 * (1 + std::fabs(best_.total_utility));
  }

  void accept(const std::vector<std::size_t>& at, double sum) {
    best_.total_utility = sum;
    for (std::size_t i = 0; i < best_.choices.size(); ++i) {
      const PlanningItem& item = problem_.items()[i];
      best_.choices[i] = {};
      if (item.fixed) best_.choices[i] = {item.fixed_tier, item.first};
    }
    for (std::size_t i = 0; i < items_.size(); ++i) {
      const Option& option = items_[i].options[at[i]];
      best_.choices[items_[i].index] = {option.tier, option.option};
    }
  }

  const PlanningProblem& problem_;
  double alpha_;
  std::uint64_t node_limit_;
  const SearchLimits& limits_;
  Assignment best_;
  SearchResult result_;
  std::vector<std::uint64_t> rooms_;  // [tiers], budgets minus fixed entries
  std::vector<double> prices_;        // [tiers], of a whole capacity
  std::vector<Item> items_;
  std::vector<double> rest_;  // [items + 1], best reduced utilities from here on
  double settled_ = 0, bound_ = 0;
};

}  // namespace

SearchResult search_optimum(const PlanningProblem& problem, double alpha, const SearchLimits& limits) {
  Assignment known;
  bool first = true;
  for (const PlanStart start : {PlanStart::utility, PlanStart::quality}) {
    Assignment greedy = solve(problem, alpha, {start, DropMeasure::best});
    if (first || greedy.total_utility > known.total_utility) known = std::move(greedy);
    first = false;
  }
  for (PlanChoice& choice : known.choices) choice = {choice.tier, choice.option};
  if (problem.items().size() <= limits.contexts)
    return BranchAndBound(problem, alpha, limits.nodes, limits).run(std::move(known));
  SearchResult result = BranchAndBound(problem, alpha, 0, limits).run(known);
  result.nodes = 0;
  return result;
}

namespace {

/// Sums in another order differ in their last digits.
double gap_to(double upper_bound, double prefill_utility, double achieved) {
  if (upper_bound - achieved <= 1e-9 * (1 + std::fabs(achieved))) return 0;
  const double gain = upper_bound - prefill_utility;
  return gain > 0 ? (upper_bound - achieved) / gain : 0;
}

}  // namespace

double plan_gap(const Snapshot& snapshot, const Plan& plan) {
  if (!plan.upper_bound) return lp_gap(snapshot, plan);
  const LpBound bound = lp_bound(PlanningProblem(snapshot), snapshot.alpha);
  return gap_to(std::min(*plan.upper_bound, bound.utility), bound.prefill_utility, plan.total_utility);
}

double plan_gap(const Snapshot& snapshot, const Plan& plan, std::string_view policy) {
  if (policy.substr(0, policy.find('(')) != "optimal") return plan_gap(snapshot, plan);
  constexpr SearchLimits quick{.contexts = 256, .nodes = 100'000, .milp = false};
  Plan bounded = plan;
  bounded.upper_bound = search_optimum(PlanningProblem(snapshot), snapshot.alpha, quick).upper_bound;
  return plan_gap(snapshot, bounded);
}

std::string gap_text(double gap) {
  if (gap <= 0) return "proven";
  const double percent = 100 * gap;
  return format_fixed(percent, percent < 0.1 ? 4 : percent < 10 ? 2 : 1) + " %";
}

}  // namespace kvantage::inline policy
