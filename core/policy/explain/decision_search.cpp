#include "core/policy/explain/decision_search.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/policy/utility.h"

namespace kvantage::inline explain {
namespace {

constexpr double close_enough = 1.01;
constexpr double max_frequency_factor = 1e6;
constexpr double alpha_factor = 100;

bool same_place(const PlannedContext& a, const PlannedContext& b) {
  return same_configuration(a.configuration, b.configuration);
}

/// Slower tiers have higher numbers; not stored is the slowest.
int slowness(const Configuration& c, const Snapshot& snapshot) {
  return c.stored() ? c.tier : static_cast<int>(snapshot.tiers.size());
}

class Search {
 public:
  Search(const Snapshot& snapshot, const Policy& policy, std::size_t index, const std::function<bool()>& given_up)
      : snapshot_(snapshot), policy_(policy), index_(index), given_up_(given_up) {
    choice_ = plan();  // returns the current choice when canceled
  }

  bool ended() const { return ended_; }
  const PlannedContext& choice() const { return choice_; }

  /// From `now` to `limit`, by a constant factor per step; nothing when canceled.
  template <class Set, class Wanted>
  std::optional<Turning> look(Turning turning, double limit, Set set, Wanted wanted) {
    turning.rises = limit > turning.now;
    const auto other_at = [&](double value) {
      set(snapshot_, value);
      const PlannedContext planned = plan();
      ++turning.plans;
      const bool other = wanted(planned);
      if (other) turning.to = planned.configuration;
      return other;
    };
    const auto finish = [&]() -> std::optional<Turning> {
      set(snapshot_, turning.now);
      if (ended_) return std::nullopt;
      return turning;
    };
    turning.still = turning.now;
    turning.at = limit;
    // If the choice changes several times on the way, finds the first change, up to the step size.
    const double step = turning.rises ? 2 : 0.5;
    for (double value = turning.now * step; !ended_; value *= step) {
      const bool last = turning.rises ? value >= limit : value <= limit;
      if (last) value = limit;
      turning.found = other_at(value);
      if (turning.found) turning.at = value;
      if (turning.found || last) break;
      turning.still = value;
    }
    if (!turning.found) return finish();
    while (!ended_ && std::max(turning.at, turning.still) > close_enough * std::min(turning.at, turning.still)) {
      const double middle = turning.still > 0 ? std::sqrt(turning.still) * std::sqrt(turning.at) : turning.at / 2;
      const Configuration kept = turning.to;
      if (other_at(middle))
        turning.at = middle;
      else {
        turning.still = middle;
        turning.to = kept;
      }
    }
    return finish();
  }

 private:
  PlannedContext plan() {
    if (given_up_ && given_up_()) ended_ = true;
    return ended_ ? choice_ : policy_.plan(snapshot_).contexts[index_];
  }

  Snapshot snapshot_;
  const Policy& policy_;
  std::size_t index_;
  const std::function<bool()>& given_up_;
  bool ended_ = false;
  PlannedContext choice_;
};

}  // namespace

std::vector<Turning> find_turnings(const Snapshot& snapshot, const Policy& policy, std::size_t index,
                                   const std::function<bool()>& given_up,
                                   const std::function<void(const Turning&)>& report) {
  std::vector<Turning> turnings;
  if (!weighs_utility(policy)) return turnings;
  Search search(snapshot, policy, index, given_up);
  if (search.ended()) return turnings;
  const PlannedContext& choice = search.choice();
  if (snapshot.contexts[index].frequency <= 0 && !choice.configuration.stored()) return turnings;
  const int here = slowness(choice.configuration, snapshot);
  const auto up = [&](const PlannedContext& planned) {
    const int there = slowness(planned.configuration, snapshot);
    return here > 0 ? there < here : there == here && planned.bytes > choice.bytes;
  };
  const auto down = [&](const PlannedContext& planned) {
    const int there = slowness(planned.configuration, snapshot);
    return there > here || (there == here && planned.bytes < choice.bytes);
  };
  const auto note = [&](std::optional<Turning> turning) {
    if (!turning) return false;
    if (report) report(*turning);
    turnings.push_back(*turning);
    return turning->found;
  };

  // Nothing is better than the full cache on the fastest tier.
  const bool at_the_top = here == 0 && choice.configuration.stored() && choice.configuration.method == "none" &&
                          same_fraction(choice.configuration.removed_fraction, 0);
  const double frequency = snapshot.contexts[index].frequency;
  double all_requests = 0, all_bytes = 0;
  for (const ContextState& context : snapshot.contexts) {
    all_requests += context.frequency;
    all_bytes += static_cast<double>(context.full_bytes);
  }
  const auto set_frequency = [index](Snapshot& s, double value) { s.contexts[index].frequency = value; };
  if (frequency > 0) {
    const Turning lever{.lever = Lever::frequency, .now = frequency};
    if (!at_the_top)
      note(search.look(lever, std::max(frequency, all_requests) * max_frequency_factor, set_frequency, up));
    if (choice.configuration.stored()) note(search.look(lever, frequency / max_frequency_factor, set_frequency, down));
  }

  const auto look_at_budget = [&](int tier, bool rises) {
    const auto t = static_cast<std::size_t>(tier);
    const double now = static_cast<double>(snapshot.tiers[t].budget_bytes);
    const Turning lever{.lever = Lever::budget, .tier = tier, .now = now};
    const std::uint64_t exact = snapshot.tiers[t].budget_bytes;
    const auto set = [t, now, exact](Snapshot& s, double bytes) {  // a double cannot represent every budget
      s.tiers[t].budget_bytes = bytes == now ? exact : static_cast<std::uint64_t>(bytes);
    };
    if (!rises) return now > 1 && note(search.look(lever, 1, set, down));
    if (now >= all_bytes * 1.1) return false;  // everything fits uncompressed
    if (now >= 1) return note(search.look(lever, all_bytes * 1.1, set, up));
    Turning from_nothing = lever;
    from_nothing.now = 1;
    return note(search.look(from_nothing, all_bytes * 1.1, set, up));
  };
  for (int tier = std::max(here - 1, 0); tier >= 0 && !at_the_top && !snapshot.tiers.empty() && !search.ended(); --tier)
    if (look_at_budget(tier, true)) break;
  if (choice.configuration.stored()) look_at_budget(choice.configuration.tier, false);

  const auto set_alpha = [](Snapshot& s, double value) { s.alpha = value; };
  const auto any = [&](const PlannedContext& planned) { return !same_place(planned, choice); };
  if (snapshot.alpha > 0) {
    const Turning lever{.lever = Lever::alpha, .now = snapshot.alpha};
    note(search.look(lever, snapshot.alpha * alpha_factor, set_alpha, any));
    note(search.look(lever, snapshot.alpha / alpha_factor, set_alpha, any));
  }
  return turnings;
}

}  // namespace kvantage::inline explain
