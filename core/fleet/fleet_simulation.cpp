#include "core/fleet/fleet_simulation.h"

#include <algorithm>
#include <cmath>

#include "core/base/random.h"
#include "core/fleet/group_plan.h"
#include "core/fleet/price_bracket.h"
#include "core/fleet/shard_threads.h"

namespace kvantage::inline fleet {
namespace {

constexpr double plan_tolerance = 1e-4, smallest_price_share = 1e-9;
constexpr int greedy_steps = 60, reference_rounds = 60;

double sum_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum;
}

/// One epoch, step by step; each returns false where it was cancelled.
class EpochRun {
 public:
  EpochRun(const FleetSetup& setup, const ContextSource::Plan& plan, const FleetHooks& hooks, const Clock& clock)
      : setup_(setup), plan_(plan), hooks_(hooks), clock_(clock), parts_(setup.workload.shards) {}

  /// `leases`, `prices`, `shared`: of the epoch before, and of this one afterwards.
  bool run(FleetEpoch& made, std::vector<StoreLease>& leases, std::vector<FleetPrices>& prices, FleetPrices& shared) {
    const double begin = clock_.seconds();
    bool done = false;
    shards_ = stream_shards(setup_, plan_, made.epoch, hooks_, done);
    if (!done) return false;
    for (const FleetShard& shard : shards_) {
      made.contexts += shard.groups.contexts();
      made.groups += shard.groups.size();
      frequency_ += shard.groups.frequency();
    }
    made.group_bytes = made.groups * sizeof(FrequencyGroup);
    for (const FleetShard& shard : shards_) made.utility.prefill += unstored_utility(shard);
    const double streamed = clock_.seconds();
    made.exchange = exchange_prices(shards_, setup_.store, leases, options_of(made.epoch, shared), prices, hooks_);
    if (hooks_.cancelled && hooks_.cancelled()) return false;
    const double exchanged = clock_.seconds();
    if (!made.exchange.fell_back) shared = made.exchange.prices;
    leases = made.exchange.leases;
    if (!plan_leases("leases", leases, prices, shared, made.utility.prices)) return false;
    made.store_used = setup_.store.held > 0 ? sum_of(parts_) / setup_.store.held : 0;
    const double planned = clock_.seconds();
    if (!compare(made, prices, shared)) return false;
    for (double* value : {&made.utility.bound, &made.utility.prefill, &made.utility.prices, &made.utility.equal,
                          &made.utility.greedy, &made.utility.sketch})
      *value /= frequency_;
    made.seconds = {streamed - begin, exchanged - streamed, planned - exchanged};
    return true;
  }

 private:
  ExchangeOptions options_of(std::uint32_t epoch, const FleetPrices& start) const {
    ExchangeOptions options = setup_.exchange;
    options.seed = derive_seed(setup_.exchange.seed, epoch);
    options.start = start;
    options.smallest_price = smallest_price_share * first_store_price(setup_);
    return options;
  }

  /// Each shard plans its own tiers and its lease; the sum of their utilities.
  bool plan_leases(const std::string& stage, const std::vector<StoreLease>& leases,
                   const std::vector<FleetPrices>& prices, const FleetPrices& shared, double& utility) {
    std::vector<double> achieved(shards_.size());
    const bool done = for_each_shard(
        shards_.size(), hooks_, stage, [] { return ClassEnvelope(); },
        [&](std::size_t s, ClassEnvelope& envelope) {
          FleetShard& shard = shards_[s];
          shard.limits.held[shard.store()] = leases[s].held;
          shard.limits.loaded = leases[s].loaded;
          FleetPrices start = prices[s];
          start.held[shard.store()] = shared.held[shard.store()];
          start.loaded = shared.loaded;
          const ShardAnswer answer = search_prices(shard, start, all_resources(shard), plan_tolerance, envelope);
          const GroupPlan plan = plan_groups(shard, answer.prices, envelope);
          achieved[s] = plan.utility;
          parts_[s] = plan.use.held[shard.store()];
        });
    utility = sum_of(achieved);
    return done;
  }

  /// What the exchange is measured against. None of it is sent. Where messages were lost, the bound is that of prices
  /// that were exchanged without loss.
  bool compare(FleetEpoch& made, std::vector<FleetPrices> prices, FleetPrices shared) {
    if (!made.exchange.met) {
      ExchangeOptions options = options_of(made.epoch, shared);
      options.loss = 0;
      options.rounds = std::max(options.rounds, reference_rounds);
      const PriceExchange lossless =
          exchange_prices(shards_, setup_.store, made.exchange.leases, options, prices, hooks_);
      if (hooks_.cancelled && hooks_.cancelled()) return false;
      shared = lossless.prices;
    }
    if (!measure_bound(made.utility, prices, shared)) return false;
    const std::vector<StoreLease> equal = equal_leases(setup_.store, shards_.size());
    return plan_leases("equal shares", equal, prices, shared, made.utility.equal) && pooled_greedy(made.utility);
  }

  bool measure_bound(FleetUtility& utility, const std::vector<FleetPrices>& prices, const FleetPrices& shared) {
    std::vector<double> bounds(shards_.size()), sketch(shards_.size());
    const std::uint32_t store = shards_.front().store();
    const bool done = for_each_shard(
        shards_.size(), hooks_, "bound", [] { return ClassEnvelope(); },
        [&](std::size_t s, ClassEnvelope& envelope) {
          FleetPrices start = prices[s];
          start.held[store] = shared.held[store];
          start.loaded = shared.loaded;
          const ShardAnswer answer = search_prices(shards_[s], start, own_tiers(shards_[s]), plan_tolerance, envelope);
          const ShardDemand demand = demand_at(shards_[s], answer.prices, envelope);
          bounds[s] = answer.bound;
          sketch[s] = demand.net - demand.net_low;
        });
    utility.bound = sum_of(bounds) + shared.held[store] * setup_.store.held;
    if (shared.loaded > 0) utility.bound += shared.loaded * setup_.store.loaded;
    utility.sketch = sum_of(sketch);
    return done;
  }

  /// One planner with all contexts in memory that fills tier by tier, as a greedy does: each engine's own tiers as if
  /// the store were free, then the store by utility per byte, all engines' contexts in one order.
  bool pooled_greedy(FleetUtility& utility) {
    const std::uint32_t store = shards_.front().store();
    std::vector<FleetPrices> own(shards_.size());
    const auto each = [&](const std::string& stage, auto work) {
      return for_each_shard(
          shards_.size(), hooks_, stage, [] { return ClassEnvelope(); }, work);
    };
    if (!each("greedy: own tiers", [&](std::size_t s, ClassEnvelope& envelope) {
          own[s] = search_prices(shards_[s], {}, own_tiers(shards_[s]), plan_tolerance, envelope).prices;
        }))
      return false;
    PriceBracket bracket(setup_.store.held, first_store_price(setup_),
                         smallest_price_share * first_store_price(setup_));
    std::vector<FleetUse> uses(shards_.size()), fitting(shards_.size());
    for (int step = 0; step < greedy_steps && !bracket.is_met(plan_tolerance); ++step) {
      const double price = bracket.next();
      if (!each("greedy: store", [&](std::size_t s, ClassEnvelope& envelope) {
            FleetPrices at = own[s];
            at.held[store] = price;
            uses[s] = demand_at(shards_[s], at, envelope).use;
          }))
        return false;
      double held = 0;
      for (const FleetUse& use : uses) held += use.held[store];
      bracket.take(price, held);
      if (held <= setup_.store.held) fitting = uses;
    }
    std::vector<double> achieved(shards_.size());
    double held = 0;
    for (const FleetUse& use : fitting) held += use.held[store];
    const double spare = std::max(0.0, setup_.store.held - held) / static_cast<double>(shards_.size());
    const bool done = each("greedy: plans", [&](std::size_t s, ClassEnvelope& envelope) {
      FleetShard& shard = shards_[s];
      shard.limits.held[store] = std::floor(fitting[s].held[store] + spare);
      shard.limits.loaded = setup_.store.loaded / static_cast<double>(shards_.size());
      FleetPrices at = own[s];
      at.held[store] = bracket.high();
      achieved[s] = plan_groups(shard, at, envelope).utility;
    });
    utility.greedy = sum_of(achieved);
    return done;
  }

  const FleetSetup& setup_;
  const ContextSource::Plan& plan_;
  const FleetHooks& hooks_;
  const Clock& clock_;
  std::vector<FleetShard> shards_;
  std::vector<double> parts_;  // of the store, used by each shard
  double frequency_ = 0;
};

Status check_setup(const FleetSetup& setup) {
  if (setup.classes.empty()) return fail(ErrorCode::usage, "the fleet has no classes of contexts; give a profile");
  if (setup.workload.shards == 0 || setup.workload.contexts < setup.workload.shards)
    return fail(ErrorCode::usage, "the fleet has fewer contexts than engines; give each engine one or more");
  if (setup.own_tiers.size() + 1 > max_fleet_tiers)
    return fail(ErrorCode::usage,
                "an engine has more than " + std::to_string(max_fleet_tiers - 1) + " tiers of its own; give fewer");
  if (setup.classes.size() > max_fleet_classes || setup.classes.size() * setup.workload.shards > max_fleet_tables)
    return fail(ErrorCode::usage, "the fleet has " + std::to_string(setup.classes.size()) + " classes of contexts on " +
                                      std::to_string(setup.workload.shards) + " engines, more than the " +
                                      std::to_string(max_fleet_classes) + " classes or " +
                                      std::to_string(max_fleet_tables) +
                                      " tables of groups that fit in memory; give fewer curves or engines");
  return {};
}

}  // namespace

double fleet_gap(const FleetUtility& utility, double achieved) {
  return utility.bound != 0 ? (utility.bound - achieved) / std::fabs(utility.bound) : 0;
}

double fleet_gain_gap(const FleetUtility& utility, double achieved) {
  const double gain = utility.bound - utility.prefill;
  return gain > 0 ? (utility.bound - achieved) / gain : 0;
}

double first_store_price(const FleetSetup& setup) {
  const auto store = static_cast<std::uint32_t>(setup.own_tiers.size());
  double best = 0, any = 0;
  for (const ContextClass& one : setup.classes)
    for (const ClassOption& option : one.options) {
      const double density = (option.value - one.unstored) / option.bytes;
      any = std::max(any, density);
      if (option.tier == store) best = std::max(best, density);
    }
  if (best <= 0) best = any > 0 ? any : 1;  // nothing is worth storing there: a price of 0 will do
  return best / static_cast<double>(std::max<std::uint64_t>(setup.workload.contexts, 1));
}

std::vector<FleetShard> stream_shards(const FleetSetup& setup, const ContextSource::Plan& plan, std::uint32_t epoch,
                                      const FleetHooks& hooks, bool& done) {
  struct Scratch {
    GroupBuilder builder;
    ContextChunk chunk;
  };
  std::vector<FleetShard> shards(setup.workload.shards);
  done = for_each_shard(
      shards.size(), hooks, "contexts",
      [&] {
        return Scratch{GroupBuilder(setup.classes.size()), {}};
      },
      [&](std::size_t s, Scratch& scratch) {
        FleetShard& shard = shards[s];
        shard.classes = &setup.classes;
        shard.tiers = static_cast<std::uint32_t>(setup.own_tiers.size() + 1);
        std::ranges::copy(setup.own_tiers, shard.limits.held.begin());
        ContextSource source(plan, setup.classes.size(), static_cast<std::uint32_t>(s), epoch);
        for (;;) {
          source.next(setup.chunk, scratch.chunk);
          if (scratch.chunk.classes.empty()) break;
          scratch.builder.add(scratch.chunk.classes, scratch.chunk.frequencies);
          if (hooks.cancelled && hooks.cancelled()) break;
        }
        shard.groups = scratch.builder.take();
      });
  if (hooks.cancelled && hooks.cancelled()) done = false;
  return shards;
}

Expected<std::vector<FleetEpoch>> simulate_fleet(const FleetSetup& setup, const FleetHooks& hooks, const Clock& clock) {
  KV_TRY(check_setup(setup));
  const ContextSource::Plan plan(setup.workload);
  std::vector<StoreLease> leases = equal_leases(setup.store, setup.workload.shards);
  std::vector<FleetPrices> prices(setup.workload.shards);
  FleetPrices shared;
  shared.held[setup.own_tiers.size()] = first_store_price(setup);
  std::vector<FleetEpoch> epochs;
  for (std::uint32_t epoch = 0; epoch < setup.epochs; ++epoch) {
    FleetEpoch made;
    made.epoch = epoch;
    if (!EpochRun(setup, plan, hooks, clock).run(made, leases, prices, shared)) break;
    epochs.push_back(std::move(made));
  }
  return epochs;
}

}  // namespace kvantage::inline fleet
