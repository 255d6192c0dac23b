#include "core/policy/min_drop_plan.h"

#include <algorithm>
#include <utility>

#include "core/policy/utility.h"

namespace kvantage::inline policy {

namespace {
constexpr std::size_t sample_contexts = 4096;
}  // namespace

MinDropPlan::MinDropPlan(const PlanningProblem& problem, double alpha, PlanStart start, bool per_byte, bool fitting,
                         std::uint64_t limit, std::vector<double> prices)
    : problem_(problem),
      values_(problem, alpha),
      start_(start),
      per_byte_(per_byte),
      fitting_(fitting),
      limit_(limit),
      prices_(std::move(prices)) {
  prices_.resize(problem.tiers(), 0);
  if (!prices_.empty()) prices_[0] = 0;  // no tier above it
  values_.build(alpha);
  build();
}

void MinDropPlan::set_alpha(double alpha) {
  values_.build(alpha);
  build();
}

void MinDropPlan::build() {
  const std::size_t count = problem_.items().size();
  tiers_.resize(problem_.tiers());
  for (std::size_t t = 0; t < tiers_.size(); ++t) {
    Tier& tier = tiers_[t];
    tier.limit = limit_on(t, fitting_);
    tier.places.assign(count, Place{});
    tier.below.resize(count);
    tier.used = 0;
    tier.cut = false;
    tier.taken.clear();
    tier.spared.clear();
  }
  starts_.resize(count);
  steps_ = work_ = 0;
  for (std::size_t i = 0; i < count; ++i) find_start(i);
  for (std::size_t t = 0; t < tiers_.size(); ++t) settle(t);
}

/// The better of `best` and the item's options on a tier; on equal value the smaller one.
MinDropPlan::Best MinDropPlan::best_on(const PlanningItem& item, std::size_t tier, std::uint64_t limit,
                                       double min_quality, Best best) const {
  double highest = -std::numeric_limits<double>::infinity();
  std::uint32_t option = absent;
  const double price = item.weight > 0 ? prices_[tier] / item.weight : 0;
  for (std::uint32_t o = item.first; o < item.first + item.count && problem_.bytes(o) <= limit; ++o) {
    const double here = value(o, tier) - price * static_cast<double>(problem_.bytes(o));
    if (!(here > highest) || problem_.quality(o) < min_quality) continue;
    highest = here;
    option = o;
  }
  if (option == absent || highest < best.value) return best;
  const std::uint64_t bytes = best.tier == not_stored ? 0 : problem_.bytes(best.option);
  if (highest == best.value && problem_.bytes(option) > bytes) return best;
  return {highest, option, static_cast<int>(tier)};
}

void MinDropPlan::find_start(std::size_t index) {
  const PlanningItem& item = problem_.items()[index];
  Best best{values_.prefill(index), 0, not_stored};
  constexpr double any = -std::numeric_limits<double>::infinity();
  for (std::size_t t = tiers_.size(); t-- > 0;) {
    tiers_[t].below[index] = best;
    if (item.weight > 0 && !item.fixed) best = best_on(item, t, tiers_[t].limit, any, best);
  }
  if (item.fixed) {
    best = {0, item.first, item.fixed_tier};
  } else if (start_ == PlanStart::quality && item.weight > 0) {
    double highest = item.prefill_quality;
    std::uint64_t largest = limit_;
    for (std::size_t t = 0; t < tiers_.size(); ++t) largest = std::max(largest, limit_on(t, false));
    for (std::uint32_t o = item.first; o < item.first + item.count && problem_.bytes(o) <= largest; ++o)
      highest = std::max(highest, problem_.quality(o));
    best = {any, 0, not_stored};
    if (item.prefill_quality >= highest) best.value = values_.prefill(index);
    for (std::size_t t = tiers_.size(); t-- > 0;) best = best_on(item, t, limit_on(t, false), highest, best);
    // The best answers do not fit there: choose the option with the least loss of quality.
    if (best.tier != not_stored && problem_.bytes(best.option) > tiers_[static_cast<std::size_t>(best.tier)].limit) {
      const auto t = static_cast<std::size_t>(best.tier);
      best = best_on(item, t, tiers_[t].limit, any, tiers_[t].below[index]);
    }
  }
  starts_[index] = best;
  if (best.tier != not_stored) enter(index, static_cast<std::size_t>(best.tier), best.option);
}

/// Ties go to the step that frees more.
MinDropPlan::Step MinDropPlan::next_step(std::size_t index, std::size_t tier, std::uint32_t now,
                                         double taken_key) const {
  const PlanningItem& item = problem_.items()[index];
  const std::uint64_t bytes_now = bytes_of(now);
  if (bytes_now == 0 || item.fixed) return {};
  const double value_now = value(now, tier);
  const double out = tiers_[tier].below[index].value;
  Step step{way_out, per_byte_ ? (value_now - out) / static_cast<double>(bytes_now) : value_now - out};
  for (std::uint32_t o = item.first; o < now && problem_.bytes(o) < bytes_now; ++o) {
    double drop = value_now - value(o, tier);
    if (per_byte_) drop /= static_cast<double>(bytes_now - problem_.bytes(o));
    if (drop < step.key) step = {o, drop};
  }
  step.key = std::max(item.weight * step.key, taken_key);
  return step;
}

/// The position of the chain before its last step, and the key of that step.
std::uint32_t MinDropPlan::before_last(std::size_t index, std::size_t tier, double& taken_key) const {
  const Place& place = tiers_[tier].places[index];
  std::uint32_t at = place.entry;
  taken_key = -std::numeric_limits<double>::infinity();
  for (;;) {
    const Step step = next_step(index, tier, at, taken_key);
    if (step.to == place.now || step.to == absent) return at;
    at = step.to;
    taken_key = step.key;
  }
}

void MinDropPlan::enter(std::size_t index, std::size_t tier, std::uint32_t option) {
  Tier& here = tiers_[tier];
  Place& place = here.places[index];
  place = {};
  place.entry = place.now = option;
  place.bytes = problem_.bytes(option);
  here.used += place.bytes;
  if (!here.cut) return;
  place.next = next_step(index, tier, option, place.taken_key);
  push(index, here);
}

void MinDropPlan::leave(std::size_t index, std::size_t tier) {
  Place& place = tiers_[tier].places[index];
  if (place.entry == absent) return;
  tiers_[tier].used -= place.bytes;
  steps_ -= place.steps;
  place = {};
}

void MinDropPlan::take(std::size_t index, std::size_t tier) {
  Tier& here = tiers_[tier];
  Place& place = here.places[index];
  here.used -= place.bytes;
  place.now = place.next.to;
  place.taken_key = place.next.key;
  place.bytes = bytes_of(place.now);
  here.used += place.bytes;
  ++place.steps;
  ++steps_;
  if (place.now == way_out) {
    place.next = {};
    const Best& below = here.below[index];
    if (below.tier != not_stored) enter(index, static_cast<std::size_t>(below.tier), below.option);
  } else {
    place.next = next_step(index, tier, place.now, place.taken_key);
  }
}

void MinDropPlan::undo(std::size_t index, std::size_t tier, std::uint32_t to, double taken_key) {
  Tier& here = tiers_[tier];
  Place& place = here.places[index];
  if (place.now == way_out)
    for (std::size_t t = tier + 1; t < tiers_.size(); ++t) leave(index, t);
  here.used -= place.bytes;
  place.next = {place.now, place.taken_key};
  place.now = to;
  place.bytes = problem_.bytes(to);
  place.taken_key = taken_key;
  here.used += place.bytes;
  --place.steps;
  --steps_;
}

/// Samples every n-th chain: the key up to which steps must be taken, or nothing when there is little to guess.
double MinDropPlan::guess_cut(std::size_t tier) const {
  const Tier& here = tiers_[tier];
  const std::size_t stride = here.places.size() / sample_contexts + 1;
  std::vector<std::pair<double, double>> freed;  // key, bytes
  for (std::size_t i = 0; i < here.places.size(); i += stride) {
    if (here.places[i].entry == absent) continue;
    double key = -std::numeric_limits<double>::infinity();
    for (std::uint32_t at = here.places[i].entry; at != way_out;) {
      const Step step = next_step(i, tier, at, key);
      if (step.to == absent) break;
      key = step.key;
      freed.emplace_back(key, static_cast<double>(problem_.bytes(at) - bytes_of(step.to)));
      at = step.to;
    }
  }
  std::sort(freed.begin(), freed.end());
  double excess = static_cast<double>(here.used - problem_.budget(tier)) / static_cast<double>(stride);
  for (const auto& [key, bytes] : freed)
    if ((excess -= bytes) <= 0) return key;
  return freed.empty() ? 0 : freed.back().first;
}

void MinDropPlan::begin_cut(std::size_t tier) {
  Tier& here = tiers_[tier];
  const double guess = guess_cut(tier);
  here.cut = true;
  for (std::size_t i = 0; i < here.places.size(); ++i) {
    Place& place = here.places[i];
    if (place.entry == absent) continue;
    place.next = next_step(i, tier, place.now, place.taken_key);
    while (place.next.to != absent && place.next.key < guess) take(i, tier);
    if (place.next.to != absent) here.spared.push_back({place.next.key, static_cast<std::uint32_t>(i)});
    if (place.now != place.entry) here.taken.push_back({place.taken_key, static_cast<std::uint32_t>(i)});
  }
  std::make_heap(here.spared.begin(), here.spared.end(), std::greater<>());
  std::make_heap(here.taken.begin(), here.taken.end());
}

void MinDropPlan::push(std::size_t index, Tier& tier) {
  const Place& place = tier.places[index];
  const auto item = static_cast<std::uint32_t>(index);
  if (place.next.to != absent) {
    tier.spared.push_back({place.next.key, item});
    std::push_heap(tier.spared.begin(), tier.spared.end(), std::greater<>());
  }
  if (place.now != place.entry) {
    tier.taken.push_back({place.taken_key, item});
    std::push_heap(tier.taken.begin(), tier.taken.end());
  }
}

// Heap entries are not removed when a context moves on: they are skipped when they reach the top.
const MinDropPlan::Cut* MinDropPlan::top_spared(Tier& tier) const {
  while (!tier.spared.empty()) {
    const Cut& top = tier.spared.front();
    const Place& place = tier.places[top.item];
    if (place.entry != absent && place.next.to != absent && place.next.key == top.key) return &top;
    std::pop_heap(tier.spared.begin(), tier.spared.end(), std::greater<>());
    tier.spared.pop_back();
  }
  return nullptr;
}

const MinDropPlan::Cut* MinDropPlan::top_taken(Tier& tier) const {
  while (!tier.taken.empty()) {
    const Cut& top = tier.taken.front();
    const Place& place = tier.places[top.item];
    if (place.entry != absent && place.now != place.entry && place.taken_key == top.key) return &top;
    std::pop_heap(tier.taken.begin(), tier.taken.end());
    tier.taken.pop_back();
  }
  return nullptr;
}

void MinDropPlan::settle(std::size_t t) {
  Tier& tier = tiers_[t];
  tier.min_spared.reset();
  const UnsignedWide budget = problem_.budget(t);
  if (!tier.cut) {
    if (tier.used <= budget) return;
    begin_cut(t);
  }
  const auto take_top = [&](const Cut& top) {
    const std::size_t index = top.item;
    take(index, t);
    push(index, tier);
    ++work_;
  };
  // New arrivals may have steps that come before the cut.
  for (const Cut* next = top_spared(tier); next != nullptr; next = top_spared(tier)) {
    const Cut* last = top_taken(tier);
    if (last == nullptr || !(*next < *last)) break;
    take_top(*next);
  }
  while (tier.used > budget) {
    const Cut* next = top_spared(tier);
    if (next == nullptr) break;
    take_top(*next);
  }
  while (const Cut* last = top_taken(tier)) {
    const std::size_t index = last->item;
    double key = 0;
    const std::uint32_t to = before_last(index, t, key);
    if (tier.used + (problem_.bytes(to) - tier.places[index].bytes) > budget) break;
    undo(index, t, to, key);
    push(index, tier);
    ++work_;
  }
}

void MinDropPlan::budgets_changed() {
  // Entries that start or cease to fit change where contexts start.
  const std::uint64_t largest = problem_.largest_option_bytes();
  for (std::size_t t = 0; t < tiers_.size(); ++t)
    if (std::min(limit_on(t, fitting_), largest) != std::min(tiers_[t].limit, largest)) return build();
  for (std::size_t t = 0; t < tiers_.size(); ++t) settle(t);
}

void MinDropPlan::item_changed(std::size_t index) {
  for (std::size_t t = 0; index < starts_.size() && t < tiers_.size(); ++t) leave(index, t);
  if (index == starts_.size()) {
    starts_.emplace_back();
    for (Tier& tier : tiers_) {
      tier.places.emplace_back();
      tier.below.emplace_back();
    }
  }
  values_.update(index);
  find_start(index);
  for (std::size_t t = 0; t < tiers_.size(); ++t) settle(t);
}

double MinDropPlan::total_utility() const {
  double total = 0;
  const auto& items = problem_.items();
  for (std::size_t i = 0; i < items.size(); ++i) {
    const PlanChoice placed = choice(i);
    const double own =
        placed.tier == not_stored ? values_.prefill(i) : value(placed.option, static_cast<std::size_t>(placed.tier));
    total += own * items[i].weight;
  }
  return total;
}

PlanChoice MinDropPlan::choice(std::size_t index) const {
  PlanChoice choice;
  for (std::size_t t = tiers_.size(); t-- > 0;) {
    const Place& place = tiers_[t].places[index];
    if (place.entry == absent) continue;
    if (place.now != way_out) {
      choice.tier = static_cast<int>(t);
      choice.option = place.now;
    }
    if (place.now != place.entry && choice.full_tier == not_stored) choice.full_tier = static_cast<int>(t);
  }
  return choice;
}

const std::array<MinDropPlan::Cut, 2>& MinDropPlan::min_spared(const Tier& tier) const {
  if (tier.min_spared) return *tier.min_spared;
  std::array<Cut, 2> least{no_cut, no_cut};
  for (std::size_t i = 0; i < tier.places.size(); ++i) {
    const Place& place = tier.places[i];
    if (place.entry == absent || place.next.to == absent) continue;
    const Cut cut{place.next.key, static_cast<std::uint32_t>(i)};
    if (cut < least[0])
      least[1] = std::exchange(least[0], cut);
    else if (cut < least[1])
      least[1] = cut;
  }
  return tier.min_spared.emplace(least);
}

PlanChoice MinDropPlan::explained_choice(std::size_t index) const {
  PlanChoice choice = this->choice(index);
  if (choice.full_tier == not_stored) return choice;
  const auto t = static_cast<std::size_t>(choice.full_tier);
  const Tier& tier = tiers_[t];
  const auto& items = problem_.items();
  const auto drop = [&](std::size_t i, std::uint32_t from, std::uint32_t to) {
    return items[i].weight * (value(from, t) - (to == way_out ? tier.below[i].value : value(to, t)));
  };
  double key = 0;
  choice.utility_drop = drop(index, before_last(index, t, key), tier.places[index].now);
  const auto& spared = min_spared(tier);
  const Cut& least = spared[0].item == index ? spared[1] : spared[0];
  if (least.item == absent) return choice;
  const Place& rival = tier.places[least.item];
  choice.rival_item = static_cast<int>(least.item);
  choice.rival_tier = rival.next.to == way_out ? tier.below[least.item].tier : static_cast<int>(t);
  choice.rival_option = rival.next.to == way_out ? tier.below[least.item].option : rival.next.to;
  choice.rival_drop = drop(least.item, rival.now, rival.next.to);
  return choice;
}

}  // namespace kvantage::inline policy
