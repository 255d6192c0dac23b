#include "core/fleet/shard_search.h"

#include <algorithm>
#include <cmath>

#include "core/fleet/price_bracket.h"

namespace kvantage::inline fleet {
namespace {

constexpr int max_sweeps = 24, max_steps = 40;
constexpr double smallest_share = 1e-15;  // of the highest price: below it nothing is priced

/// One resource of limits, use and prices.
class PricedResource {
 public:
  PricedResource(const FleetShard& shard, std::size_t index) : shard_(shard), index_(index) {}
  double& price(FleetPrices& prices) const { return loads() ? prices.loaded : prices.held[index_]; }
  double use(const FleetUse& use) const { return loads() ? use.loaded : use.held[index_]; }
  double limit() const { return loads() ? shard_.limits.loaded : shard_.limits.held[index_]; }
  bool is_balanced(const FleetUse& now, double price, double tolerance) const {
    return use(now) <= limit() && (price == 0 || use(now) >= limit() * (1 - tolerance));
  }

 private:
  bool loads() const { return index_ == max_fleet_tiers; }
  const FleetShard& shard_;
  std::size_t index_;
};

class ShardSearch {
 public:
  ShardSearch(const FleetShard& shard, const PricedResources& searched, ClassEnvelope& envelope)
      : shard_(shard), envelope_(envelope), highest_(highest_price(shard)) {
    for (std::size_t r = 0; r < searched.size(); ++r)
      if (searched.test(r)) resources_.emplace_back(shard, r);
  }

  ShardAnswer run(const FleetPrices& start, double tolerance) {
    prices_ = start;
    look();
    for (int sweep = 0; sweep < max_sweeps; ++sweep) {
      bool moved = false;
      for (const PricedResource& resource : resources_)
        if (!resource.is_balanced(now_.use, resource.price(prices_), tolerance)) moved |= balance(resource, tolerance);
      if (!moved) break;
    }
    best_.evaluations = evaluations_;
    return best_;
  }

 private:
  /// At the present prices; the least bound so far is the answer.
  void look() {
    now_ = demand_at(shard_, prices_, envelope_);
    double bound = now_.net;
    for (const PricedResource& resource : resources_)
      if (const double price = resource.price(prices_); price > 0) bound += price * resource.limit();
    if (evaluations_++ == 0 || bound < best_.bound) best_ = {prices_, bound, now_.use};
  }

  /// Whether the price changed.
  bool balance(const PricedResource& resource, double tolerance) {
    double& price = resource.price(prices_);
    const double before = price;
    PriceBracket bracket(resource.limit(), before > 0 ? before : highest_ * first_share(), highest_ * smallest_share);
    if (before > 0) bracket.take(before, resource.use(now_.use));
    for (int step = 0; step < max_steps && !bracket.is_met(tolerance); ++step) {
      price = bracket.next();
      look();
      bracket.take(price, resource.use(now_.use));
    }
    if (bracket.has_high() && price != bracket.high()) {
      price = bracket.high();
      look();
    }
    return std::fabs(price - before) > 1e-6 * std::max(price, before);
  }

  /// A context of average frequency, as a share of the most requested one.
  double first_share() const {
    double most = 0;
    for (std::size_t c = 0; c < shard_.groups.classes(); ++c)
      if (const auto groups = shard_.groups.of(c); !groups.empty())
        most = std::max(most, static_cast<double>(groups.back().high));
    const auto contexts = static_cast<double>(shard_.groups.contexts());
    return most > 0 && contexts > 0 ? std::max(shard_.groups.frequency() / contexts / most, 1e-12) : 1;
  }

  const FleetShard& shard_;
  ClassEnvelope& envelope_;
  const double highest_;
  std::vector<PricedResource> resources_;
  FleetPrices prices_;
  ShardDemand now_;
  ShardAnswer best_;
  int evaluations_ = 0;
};

}  // namespace

PricedResources own_tiers(const FleetShard& shard) {
  PricedResources tiers;
  for (std::size_t t = 0; t < shard.store(); ++t) tiers.set(t);
  return tiers;
}

PricedResources all_resources(const FleetShard& shard) {
  PricedResources all = own_tiers(shard);
  all.set(shard.store());
  if (std::isfinite(shard.limits.loaded)) all.set(max_fleet_tiers);
  return all;
}

ShardAnswer search_prices(const FleetShard& shard, const FleetPrices& start, const PricedResources& searched,
                          double tolerance, ClassEnvelope& envelope) {
  return ShardSearch(shard, searched, envelope).run(start, tolerance);
}

}  // namespace kvantage::inline fleet
