#include "core/policy/explain/win_search.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/policy/utility.h"

namespace kvantage::inline explain {
namespace {

constexpr double win_bracket = 1.01;  // between both sides of a result

class WinSearch {
 public:
  WinSearch(const Snapshot& snapshot, const Policy& policy, std::size_t index, const Configuration& wanted,
            const std::function<bool()>& given_up)
      : snapshot_(snapshot), policy_(policy), index_(index), wanted_(wanted), given_up_(given_up) {}

  /// Where the context is planned at present; nothing when given up.
  std::optional<Configuration> planned() {
    if (given_up_ && given_up_()) ended_ = true;
    if (ended_) return std::nullopt;
    return policy_.plan(snapshot_).contexts[index_].configuration;
  }

  /// From `first` to `limit` in steps, on the way from turning.now; nothing when nothing was found, or given up.
  /// `set`: makes a value that of the snapshot.
  template <class Set>
  std::optional<Turning> look(Turning turning, double first, double limit, Set set) {
    turning.rises = limit > turning.now;
    turning.to = wanted_;
    turning.still = turning.now;
    const auto wins_at = [&](double value) {
      set(snapshot_, value);
      const auto planned_there = planned();
      ++turning.plans;
      return planned_there && same_configuration(*planned_there, wanted_);
    };
    const double step = turning.rises ? win_search_step : 1 / win_search_step;
    for (double value = first; !ended_ && !turning.found; value *= step) {
      const bool last = turning.rises ? value >= limit : value <= limit;
      turning.at = last ? limit : value;
      turning.found = wins_at(turning.at);
      if (last && !turning.found) break;
      if (!turning.found) turning.still = turning.at;
    }
    while (turning.found && !ended_ &&
           std::max(turning.at, turning.still) > win_bracket * std::min(turning.at, turning.still)) {
      const double middle = turning.still > 0 ? std::sqrt(turning.still) * std::sqrt(turning.at) : turning.at / 2;
      if (wins_at(middle))
        turning.at = middle;
      else
        turning.still = middle;
    }
    set(snapshot_, turning.now);
    return turning.found && !ended_ ? std::optional(turning) : std::nullopt;
  }

 private:
  Snapshot snapshot_;
  const Policy& policy_;
  std::size_t index_;
  Configuration wanted_;
  const std::function<bool()>& given_up_;
  bool ended_ = false;
};

}  // namespace

std::vector<Turning> find_wins(const Snapshot& snapshot, const Policy& policy, std::size_t index,
                               const Configuration& wanted, const std::function<bool()>& given_up,
                               const std::function<void(const Turning&)>& report) {
  std::vector<Turning> wins;
  const ContextState& context = snapshot.contexts[index];
  if (!weighs_utility(policy) || !(context.frequency > 0)) return wins;
  WinSearch search(snapshot, policy, index, wanted, given_up);
  const auto choice = search.planned();
  if (!choice || same_configuration(*choice, wanted)) return wins;
  const auto note = [&](const std::optional<Turning>& win) {
    if (!win) return;
    if (report) report(*win);
    wins.push_back(*win);
  };
  const auto both_ways = [&](const Turning& lever, double range, auto set) {
    note(search.look(lever, lever.now * win_search_step, lever.now * range, set));
    note(search.look(lever, lever.now / win_search_step, lever.now / range, set));
  };
  if (snapshot.alpha > 0)
    both_ways({.lever = Lever::alpha, .now = snapshot.alpha}, win_search_alpha_range,
              [](Snapshot& s, double value) { s.alpha = value; });

  double all_bytes = 0;
  for (const ContextState& each : snapshot.contexts) all_bytes += static_cast<double>(each.full_bytes);
  all_bytes *= 1.1;  // rounding of pages: everything fits
  const auto set_budget = [&snapshot](std::size_t tier) {
    return [&snapshot, tier](Snapshot& s, double bytes) {  // a double cannot represent every budget
      const std::uint64_t exact = snapshot.tiers[tier].budget_bytes;
      s.tiers[tier].budget_bytes =
          bytes == static_cast<double>(exact) ? exact : static_cast<std::uint64_t>(std::max(bytes, 0.0));
    };
  };
  const auto budget_of = [&](int tier) {
    return Turning{.lever = Lever::budget,
                   .tier = tier,
                   .now = static_cast<double>(snapshot.tiers[static_cast<std::size_t>(tier)].budget_bytes)};
  };
  if (wanted.stored()) {
    const Turning lever = budget_of(wanted.tier);
    const double entry = static_cast<double>(configuration_bytes(snapshot, context, wanted));
    if (lever.now < all_bytes)
      note(search.look(lever, std::max(lever.now * win_search_step, entry), std::max(all_bytes, entry),
                       set_budget(static_cast<std::size_t>(wanted.tier))));
  }
  if (choice->stored()) {
    const Turning lever = budget_of(choice->tier);
    const double from = std::min(lever.now / win_search_step, all_bytes);
    if (lever.now > 1)
      note(search.look(lever, from, from / win_search_frequency_range,
                       set_budget(static_cast<std::size_t>(choice->tier))));
  }
  both_ways({.lever = Lever::frequency, .now = context.frequency}, win_search_frequency_range,
            [index](Snapshot& s, double value) { s.contexts[index].frequency = value; });
  return wins;
}

}  // namespace kvantage::inline explain
