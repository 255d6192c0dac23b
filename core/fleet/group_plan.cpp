#include "core/fleet/group_plan.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace kvantage::inline fleet {
namespace {

constexpr int max_fill_passes = 3;

class GroupRepair {
 public:
  GroupRepair(const FleetShard& shard, const FleetPrices& prices) : shard_(shard), prices_(prices) {}

  GroupPlan run(ClassEnvelope& envelope) {
    choose(envelope);
    for (std::size_t t = 0; t < shard_.tiers; ++t)
      while (over(t) > 0 && relieve(t)) {
      }
    while (over(loads) > 0 && relieve(loads)) {
    }
    for (int pass = 0; pass < max_fill_passes && fill(); ++pass) {
    }
    plan_.utility = 0;
    for (const PlanPart& part : plan_.parts) {
      const FrequencyGroup& group = group_of(part);
      plan_.utility +=
          value_of(part, part.option) * (part.count == group.count ? group.sum : part.count * group.mean());
    }
    return std::move(plan_);
  }

 private:
  static constexpr std::size_t loads = max_fleet_tiers;

  struct Move {
    double score = 0;  // per byte: lost, or gained
    std::size_t part = 0;
    std::int32_t option = -1;
  };

  const ContextClass& class_of(const PlanPart& part) const { return (*shard_.classes)[part.in_class]; }
  const FrequencyGroup& group_of(const PlanPart& part) const { return shard_.groups.of(part.in_class)[part.group]; }
  const ClassOption& option_of(const PlanPart& part, std::int32_t option) const {
    return class_of(part).options[static_cast<std::size_t>(option)];
  }
  double value_of(const PlanPart& part, std::int32_t option) const {
    return option < 0 ? class_of(part).unstored : option_of(part, option).value;
  }
  /// Per context, with prices: what else the space is worth.
  double net_of(const PlanPart& part, std::int32_t option) const {
    if (option < 0) return group_of(part).mean() * class_of(part).unstored;
    const ClassOption& form = option_of(part, option);
    const double load = form.tier == shard_.store() ? prices_.loaded * form.bytes : 0;
    return group_of(part).mean() * (form.value - load) - prices_.held[form.tier] * form.bytes;
  }

  /// Of one context: bytes on tier r, or bytes that it loads at most.
  double share_of(const PlanPart& part, std::int32_t option, std::size_t r) const {
    if (option < 0) return 0;
    const ClassOption& form = option_of(part, option);
    if (r != loads) return form.tier == r ? form.bytes : 0;
    return form.tier == shard_.store() ? static_cast<double>(group_of(part).high) * form.bytes : 0;
  }
  double limit(std::size_t r) const { return r == loads ? shard_.limits.loaded : shard_.limits.held[r]; }
  double used(std::size_t r) const { return r == loads ? plan_.use.loaded : plan_.use.held[r]; }
  double over(std::size_t r) const { return used(r) - limit(r); }

  /// Adds the part's use, or takes it away.
  void count_use(const PlanPart& part, double sign) {
    if (part.option < 0 || part.count == 0) return;
    const ClassOption& form = option_of(part, part.option);
    plan_.use.held[form.tier] += sign * part.count * form.bytes;
    if (form.tier != shard_.store()) return;
    const FrequencyGroup& group = group_of(part);
    const double frequency = part.count == group.count ? group.sum : part.count * static_cast<double>(group.high);
    plan_.use.loaded = std::max(0.0, plan_.use.loaded + sign * frequency * form.bytes);
  }

  void choose(ClassEnvelope& envelope) {
    plan_.parts.reserve(shard_.groups.size() + 2 * max_fleet_tiers);
    for (std::size_t c = 0; c < shard_.groups.classes(); ++c) {
      const auto groups = shard_.groups.of(c);
      if (groups.empty()) continue;
      envelope.build((*shard_.classes)[c], prices_, shard_.store());
      std::size_t at = 0;
      for (std::size_t g = 0; g < groups.size(); ++g) {
        at = envelope.piece_of(groups[g].mean(), at);
        const PlanPart part{static_cast<std::uint32_t>(c), static_cast<std::uint32_t>(g), envelope.pieces()[at].option,
                            groups[g].count};
        plan_.parts.push_back(part);
        count_use(part, 1);
      }
    }
  }

  /// How many contexts of a part may become this form, as far as room goes that the part does not free itself.
  double room_for(const PlanPart& part, std::int32_t option) const {
    double room = part.count;
    if (option < 0) return room;
    for (const std::size_t r : {static_cast<std::size_t>(option_of(part, option).tier), loads}) {
      const double more = share_of(part, option, r) - share_of(part, part.option, r);
      if (more > 0 && std::isfinite(limit(r))) room = std::min(room, std::floor((limit(r) - used(r)) / more));
    }
    return std::max(room, 0.0);
  }

  /// The form that a part loses least by, of those that need less of r; `with_room`: and for which there is room.
  Move best_relief(std::size_t at, std::size_t r, bool with_room) const {
    const PlanPart& part = plan_.parts[at];
    const double now = share_of(part, part.option, r), net = net_of(part, part.option);
    Move best{std::numeric_limits<double>::infinity(), at, -1};
    for (std::int32_t o = -1; o < static_cast<std::int32_t>(class_of(part).options.size()); ++o) {
      const double freed = now - share_of(part, o, r);
      if (o == part.option || freed <= 0 || (with_room && room_for(part, o) < 1)) continue;
      const double lost = (net - net_of(part, o)) / freed;
      if (lost < best.score) best = {lost, at, o};
    }
    return best;
  }

  /// Whether there was anything to move.
  bool relieve(std::size_t r) {
    std::vector<Move> moves;
    for (std::size_t i = 0; i < plan_.parts.size(); ++i)
      if (plan_.parts[i].count > 0 && share_of(plan_.parts[i], plan_.parts[i].option, r) > 0)
        moves.push_back(best_relief(i, r, false));
    std::ranges::sort(
        moves, [](const Move& a, const Move& b) { return std::tuple(a.score, a.part) < std::tuple(b.score, b.part); });
    for (const Move& move : moves) {
      if (over(r) <= 0) return true;
      const Move now = best_relief(move.part, r, true);  // not storing it always has room
      const PlanPart& part = plan_.parts[move.part];
      const double freed = share_of(part, part.option, r) - share_of(part, now.option, r);
      change(move.part, now.option, std::min(std::ceil(over(r) / freed), room_for(part, now.option)));
    }
    return !moves.empty();
  }

  void change(std::size_t at, std::int32_t option, double contexts) {
    const auto moved = static_cast<std::uint32_t>(std::min<double>(contexts, plan_.parts[at].count));
    if (moved == 0) return;
    count_use(plan_.parts[at], -1);
    PlanPart part = plan_.parts[at];
    part.option = option;
    part.count = moved;
    if (moved == plan_.parts[at].count) {
      plan_.parts[at] = part;
    } else {
      plan_.parts[at].count -= moved;
      count_use(plan_.parts[at], 1);
      plan_.parts.push_back(part);
    }
    count_use(part, 1);
  }

  /// Whether anything moved.
  bool fill() {
    std::vector<Move> moves;
    for (std::size_t i = 0; i < plan_.parts.size(); ++i) {
      const PlanPart& part = plan_.parts[i];
      Move best{0, i, -1};
      for (std::int32_t o = 0; part.count > 0 && o < static_cast<std::int32_t>(class_of(part).options.size()); ++o) {
        const double gain = (value_of(part, o) - value_of(part, part.option)) * group_of(part).mean();
        if (!(gain > 0) || room_for(part, o) < 1) continue;
        const auto tier = static_cast<std::size_t>(option_of(part, o).tier);
        const double more = std::max(1.0, share_of(part, o, tier) - share_of(part, part.option, tier));
        if (gain / more > best.score) best = {gain / more, i, o};
      }
      if (best.option >= 0) moves.push_back(best);
    }
    std::ranges::sort(moves, [](const Move& a, const Move& b) {
      return std::tuple(-a.score, a.part) < std::tuple(-b.score, b.part);
    });
    bool moved = false;
    for (const Move& move : moves) {
      const double contexts = move_without_excess(move);
      if (contexts < 1) continue;
      change(move.part, move.option, contexts);
      moved = true;
    }
    return moved;
  }

  /// As room_for(); splitting a group that loads from the store counts the rest of it at its highest frequency, so a
  /// group whose loads are limited moves as a whole or not at all.
  double move_without_excess(const Move& move) const {
    const PlanPart& part = plan_.parts[move.part];
    const double room = room_for(part, move.option);
    const bool limited = std::isfinite(limit(loads)) && part.option >= 0 && share_of(part, part.option, loads) > 0;
    return limited && room < part.count ? 0 : room;
  }

  const FleetShard& shard_;
  const FleetPrices& prices_;
  GroupPlan plan_;
};

}  // namespace

GroupPlan plan_groups(const FleetShard& shard, const FleetPrices& prices, ClassEnvelope& envelope) {
  return GroupRepair(shard, prices).run(envelope);
}

double unstored_utility(const FleetShard& shard) {
  double utility = 0;
  for (std::size_t c = 0; c < shard.groups.classes(); ++c)
    for (const FrequencyGroup& group : shard.groups.of(c)) utility += group.sum * (*shard.classes)[c].unstored;
  return utility;
}

}  // namespace kvantage::inline fleet
