#include "core/policy/least_drop_solver.h"

#include <algorithm>
#include <limits>
#include <queue>

#include "core/policy/utility.h"

namespace kvantage {

namespace {

constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();

// A configuration that a context could take, while the best one is being looked for.
struct Candidate {
  bool any = false;
  int tier = not_stored;
  std::uint32_t option = 0;
  double value = 0;         // utility per unit of frequency
  std::uint64_t bytes = 0;  // on its tier, 0 when not stored
};

bool better(const Candidate& a, const Candidate& b) {
  if (!b.any || a.value != b.value) return !b.any || a.value > b.value;
  return a.bytes < b.bytes;  // at equal value the one that takes less room
}

struct Step {
  Candidate to;
  double drop = 0;  // weighted by frequency
  double key = 0;   // what the queue is ordered by
};

/// One run of the greedy with one way to order steps; entries larger than `limit` bytes are not considered.
class Greedy {
 public:
  Greedy(const PlanningProblem& problem, double alpha, PlanStart start, bool per_byte, std::uint64_t limit)
      : problem_(problem), alpha_(alpha), start_(start), per_byte_(per_byte), limit_(limit),
        used_(problem.tiers(), 0) {}

  Assignment run() {
    const auto& items = problem_.items();
    assignment_.choices.resize(items.size());
    steps_.resize(items.size());
    ways_out_.resize(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) begin(i);
    for (std::size_t tier = 0; tier < problem_.tiers(); ++tier)
      if (used_[tier] > problem_.budget(tier)) shrink(tier);
    for (std::size_t i = 0; i < items.size(); ++i) {
      const ChoiceValue value = value_of(problem_, items[i], assignment_.choices[i]);
      assignment_.total_utility += utility(alpha_, value.quality, value.ttft_seconds, items[i].frequency);
    }
    return std::move(assignment_);
  }

 private:
  double value(std::size_t option, std::size_t tier) const {
    return alpha_ * problem_.quality(option) - problem_.ttft_seconds(option, tier);
  }
  Candidate unstored(const PlanningItem& item) const {
    return {true, not_stored, 0, alpha_ * item.prefill_quality - item.prefill_seconds, 0};
  }

  void begin(std::size_t index) {
    const PlanningItem& item = problem_.items()[index];
    PlanChoice& choice = assignment_.choices[index];
    if (item.fixed) {
      choice.tier = item.fixed_tier;
      choice.option = item.first;
    } else if (item.frequency > 0) {
      const Candidate best = start_ == PlanStart::utility ? best_by_utility(item) : best_by_quality(item);
      choice.tier = best.tier;
      choice.option = best.option;
    }
    if (choice.tier != not_stored) used_[static_cast<std::size_t>(choice.tier)] += problem_.bytes(choice.option);
  }

  Candidate best_by_utility(const PlanningItem& item) const { return best_below(item, 0); }

  Candidate best_by_quality(const PlanningItem& item) const {
    double highest = item.prefill_quality;
    for (std::uint32_t o = item.first; o < item.first + item.count; ++o)
      if (problem_.bytes(o) <= limit_) highest = std::max(highest, problem_.quality(o));
    Candidate best;
    if (item.prefill_quality >= highest) best = unstored(item);
    for (std::uint32_t o = item.first; o < item.first + item.count; ++o)
      if (problem_.bytes(o) <= limit_ && problem_.quality(o) >= highest) consider_all_tiers(o, 0, best);
    return best;
  }

  /// The best configuration on `tier` or below it, or not stored.
  Candidate best_below(const PlanningItem& item, std::size_t tier) const {
    Candidate best = unstored(item);
    for (std::uint32_t o = item.first; o < item.first + item.count; ++o)
      if (problem_.bytes(o) <= limit_) consider_all_tiers(o, tier, best);
    return best;
  }

  void consider_all_tiers(std::uint32_t option, std::size_t from, Candidate& best) const {
    for (std::size_t t = from; t < problem_.tiers(); ++t) {
      const Candidate candidate{true, static_cast<int>(t), option, value(option, t), problem_.bytes(option)};
      if (better(candidate, best)) best = candidate;
    }
  }

  /// The context's next step: depends on its present configuration alone. Between equal steps the one that frees more.
  Step next_step(std::size_t index, std::size_t tier) const {
    const PlanningItem& item = problem_.items()[index];
    const std::uint32_t now = assignment_.choices[index].option;
    const std::uint64_t bytes_now = problem_.bytes(now);
    const double value_now = value(now, tier);
    Candidate best = ways_out_[index];
    std::uint64_t left = 0;  // bytes that the best step leaves on the tier
    // Drop per unit of frequency, which is the same for all steps of one context.
    double least = per_byte_ ? (value_now - best.value) / static_cast<double>(bytes_now) : value_now - best.value;
    const std::uint64_t limit = std::min(limit_, bytes_now - 1);
    for (std::uint32_t o = item.first; o < item.first + item.count; ++o) {
      const std::uint64_t bytes = problem_.bytes(o);
      if (bytes > limit) continue;
      const double there = value(o, tier);
      const double drop =
          per_byte_ ? (value_now - there) / static_cast<double>(bytes_now - bytes) : value_now - there;
      if (drop > least || (drop == least && bytes >= left)) continue;
      best = {true, static_cast<int>(tier), o, there, bytes};
      left = bytes;
      least = drop;
    }
    return {best, item.frequency * (value_now - best.value), item.frequency * least};
  }

  void shrink(std::size_t tier) {
    struct Entry {
      double key;
      std::uint32_t item;
      bool operator>(const Entry& other) const { return key != other.key ? key > other.key : item > other.item; }
    };
    const auto& items = problem_.items();
    std::vector<Entry> entries;
    for (std::size_t i = 0; i < items.size(); ++i) {
      const PlanChoice& choice = assignment_.choices[i];
      if (choice.tier != static_cast<int>(tier) || items[i].fixed || problem_.bytes(choice.option) == 0) continue;
      ways_out_[i] = best_below(items[i], tier + 1);
      steps_[i] = next_step(i, tier);
      entries.push_back({steps_[i].key, static_cast<std::uint32_t>(i)});
    }
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue(std::greater<>(), std::move(entries));
    while (used_[tier] > problem_.budget(tier) && !queue.empty()) {
      const std::uint32_t index = queue.top().item;
      queue.pop();
      take(index, tier, queue.empty() ? -1 : static_cast<int>(queue.top().item));
      const PlanChoice& choice = assignment_.choices[index];
      if (choice.tier != static_cast<int>(tier) || problem_.bytes(choice.option) == 0) continue;
      steps_[index] = next_step(index, tier);
      queue.push({steps_[index].key, index});
    }
  }

  void take(std::uint32_t index, std::size_t tier, int rival) {
    PlanChoice& choice = assignment_.choices[index];
    const Step step = steps_[index];
    used_[tier] -= problem_.bytes(choice.option);
    choice = {step.to.tier, step.to.option, static_cast<int>(tier), step.drop};
    if (rival >= 0) {
      const Step& other = steps_[static_cast<std::size_t>(rival)];
      choice.rival_item = rival;
      choice.rival_tier = other.to.tier;
      choice.rival_option = other.to.option;
      choice.rival_drop = other.drop;
    }
    if (choice.tier != not_stored) used_[static_cast<std::size_t>(choice.tier)] += problem_.bytes(choice.option);
    ++assignment_.steps;
  }

  const PlanningProblem& problem_;
  double alpha_;
  PlanStart start_;
  bool per_byte_;
  std::uint64_t limit_;
  std::vector<UnsignedWide> used_;
  std::vector<Step> steps_;           // next step of each context on the tier that is being shrunk
  std::vector<Candidate> ways_out_;   // best configuration below that tier
  Assignment assignment_;
};

}  // namespace

Assignment solve(const PlanningProblem& problem, double alpha, const PlanRules& rules) {
  if (rules.drop != DropMeasure::best)
    return Greedy(problem, alpha, rules.start, rules.drop == DropMeasure::per_byte, no_limit).run();
  Assignment best;
  bool first = true;
  for (const bool per_byte : {false, true})
    for (int halvings = 0; halvings <= 5; ++halvings) {
      const std::uint64_t limit = halvings == 0 ? no_limit : problem.largest_option_bytes() >> halvings;
      Assignment candidate = Greedy(problem, alpha, rules.start, per_byte, limit).run();
      if (first || candidate.total_utility > best.total_utility) best = std::move(candidate);
      first = false;
    }
  return best;
}

FrontierPoint summary(const PlanningProblem& problem, double alpha, const Assignment& assignment) {
  FrontierPoint point{alpha, 0, 0, assignment.total_utility};
  double total_frequency = 0;
  for (const PlanningItem& item : problem.items()) total_frequency += item.frequency;
  double weights = 0;
  for (std::size_t i = 0; i < assignment.choices.size(); ++i) {
    const PlanningItem& item = problem.items()[i];
    const double weight = total_frequency > 0 ? item.frequency : 1;  // before the first request all count alike
    const ChoiceValue value = value_of(problem, item, assignment.choices[i]);
    weights += weight;
    point.mean_quality += weight * value.quality;
    point.mean_ttft_seconds += weight * value.ttft_seconds;
  }
  if (weights > 0) {
    point.mean_quality /= weights;
    point.mean_ttft_seconds /= weights;
  }
  return point;
}

ChoiceValue value_of(const PlanningProblem& problem, const PlanningItem& item, const PlanChoice& choice) {
  if (choice.tier == not_stored) return {item.prefill_quality, item.prefill_seconds};
  return {problem.quality(choice.option), problem.ttft_seconds(choice.option, static_cast<std::size_t>(choice.tier))};
}

}  // namespace kvantage
