#include "core/fleet/price_exchange.h"

#include <algorithm>
#include <cmath>

#include "core/base/random.h"
#include "core/fleet/price_bracket.h"
#include "core/fleet/shard_threads.h"

namespace kvantage::inline fleet {
namespace {

constexpr double inner_tolerance = 1e-3;  // of a shard's own tiers
constexpr double stalled_bracket = 1e-3;  // narrower without being met: answers were of different prices

/// Which messages arrive, whatever the order in which they are asked about.
class LossyNetwork {
 public:
  LossyNetwork(double loss, std::uint64_t seed, FleetMessages& counts) : loss_(loss), seed_(seed), counts_(counts) {}
  bool deliver(std::uint64_t round, std::size_t shard, bool up, std::uint64_t numbers) {
    ++counts_.sent;
    counts_.bytes += message_header_bytes + numbers * message_number_bytes;
    if (loss_ <= 0) return true;
    const std::uint64_t message = ((round * 2 + (up ? 1 : 0)) << 32) ^ shard;
    if (Random(derive_seed(seed_, message)).uniform() >= loss_) return true;
    ++counts_.lost;
    return false;
  }

 private:
  double loss_;
  std::uint64_t seed_;
  FleetMessages& counts_;
};

struct KnownAnswer {
  StoreLease use;
  bool known = false;
};

class Coordinator {
 public:
  Coordinator(const std::vector<FleetShard>& shards, const FleetBudget& budget, const std::vector<StoreLease>& present,
              const ExchangeOptions& options, std::vector<FleetPrices>& own_prices, const FleetHooks& hooks)
      : shards_(shards),
        budget_(budget),
        present_(present),
        options_(options),
        own_prices_(own_prices),
        hooks_(hooks),
        store_(shards.empty() ? 0 : shards.front().store()),
        network_(options.loss, options.seed, made_.messages),
        answers_(shards.size()),
        limits_loads_(std::isfinite(budget.loaded)) {}

  PriceExchange run() {
    made_.leases = present_;
    FleetPrices prices = options_.start;
    bool by_load = false, continues = true;
    PriceBracket bracket = bracket_of(false, prices);
    for (int round = 0; round < options_.rounds && continues; ++round) {
      price_of(prices, by_load) = bracket.next();
      if (!ask(prices, static_cast<std::uint64_t>(round))) return std::move(made_);
      const FleetUse use = known_use();
      made_.rounds.push_back({prices, use, answered_});
      bracket.take(price_of(prices, by_load), by_load ? use.loaded : use.held[store_]);
      if (bracket.last_fits()) fit_use_ = use;
      note_sides(use);
      if (bracket.is_met(options_.tolerance) && all_known()) {
        price_of(prices, by_load) = bracket.high();
        continues = turn(prices, by_load, bracket);
      } else if (bracket.has_low() && bracket.has_high() && bracket.low() > 0 &&
                 bracket.high() < bracket.low() * (1 + stalled_bracket) && options_.loss > 0) {
        bracket.reopen();
      }
    }
    made_.met = !continues;
    if (bracket.has_high()) price_of(prices, by_load) = bracket.high();
    made_.prices = prices;
    made_.fell_back = std::ranges::none_of(answers_, &KnownAnswer::known);
    if (!made_.fell_back) distribute(targets());
    return std::move(made_);
  }

 private:
  double& price_of(FleetPrices& prices, bool load) const { return load ? prices.loaded : prices.held[store_]; }
  PriceBracket bracket_of(bool load, FleetPrices& prices) const {
    // Both prices cost the fleet alike where each is worth its whole budget.
    const double unit = load ? budget_.held / std::max(budget_.loaded, 1e-300) : 1;
    const double price = price_of(prices, load), guess = load ? prices.held[store_] * unit : 0;
    return PriceBracket(load ? budget_.loaded : budget_.held, price > 0 ? price : guess,
                        options_.smallest_price * unit);
  }
  std::uint64_t shared() const { return limits_loads_ ? 2 : 1; }

  bool all_known() const { return std::ranges::all_of(answers_, &KnownAnswer::known); }

  /// The other price, or none where its demand is met as well. Returns whether there is more to do.
  bool turn(FleetPrices& prices, bool& by_load, PriceBracket& bracket) {
    if (!limits_loads_) return false;
    const double other_use = by_load ? fit_use_.held[store_] : fit_use_.loaded;
    const double other_budget = by_load ? budget_.held : budget_.loaded;
    const double other_price = price_of(prices, !by_load);
    if (other_use <= other_budget && (other_price == 0 || other_use >= other_budget * (1 - 4 * options_.tolerance)))
      return false;
    by_load = !by_load;
    bracket = bracket_of(by_load, prices);
    return true;
  }

  /// One round. Returns false where it was cancelled.
  bool ask(const FleetPrices& prices, std::uint64_t round) {
    std::vector<std::uint8_t> reached(shards_.size());
    for (std::size_t s = 0; s < shards_.size(); ++s) reached[s] = network_.deliver(round, s, false, shared());
    std::vector<StoreLease> found(shards_.size());
    const std::string stage = "round " + std::to_string(round + 1);
    const bool done = for_each_shard(
        shards_.size(), hooks_, stage, [] { return ClassEnvelope(); },
        [&](std::size_t s, ClassEnvelope& envelope) {
          if (reached[s] == 0) return;
          FleetPrices start = own_prices_[s];
          start.held[store_] = prices.held[store_];
          start.loaded = prices.loaded;
          const ShardAnswer answer = search_prices(shards_[s], start, own_tiers(shards_[s]), inner_tolerance, envelope);
          own_prices_[s] = answer.prices;
          found[s] = {answer.use.held[store_], answer.use.loaded};
        });
    if (!done) return false;
    answered_ = 0;
    StoreLease before, now;  // of shards that answered, and answered earlier
    std::vector<std::uint8_t> heard(shards_.size());
    for (std::size_t s = 0; s < shards_.size(); ++s) {
      // Up: the bound and the use of each shared resource.
      if (reached[s] == 0 || !network_.deliver(round, s, true, shared() + 1)) continue;
      heard[s] = 1;
      ++answered_;
      if (answers_[s].known) {
        before.held += answers_[s].use.held;
        before.loaded += answers_[s].use.loaded;
        now.held += found[s].held;
        now.loaded += found[s].loaded;
      }
      answers_[s] = {found[s], true};
    }
    move_stale(heard, before.held > 0 ? now.held / before.held : 1, before.loaded > 0 ? now.loaded / before.loaded : 1);
    return true;
  }

  /// The demand of a shard that did not answer is taken to have moved as that of the others.
  void move_stale(const std::vector<std::uint8_t>& heard, double held, double loaded) {
    for (std::size_t s = 0; s < shards_.size(); ++s) {
      if (heard[s] != 0 || !answers_[s].known) continue;
      answers_[s].use.held *= held;
      answers_[s].use.loaded *= loaded;
    }
  }

  /// Of answers as old as they may be; a shard that never answered counts with its lease.
  FleetUse known_use() const {
    FleetUse use;
    for (std::size_t s = 0; s < shards_.size(); ++s) {
      const StoreLease& one = answers_[s].known ? answers_[s].use : present_[s];
      use.held[store_] += one.held;
      if (limits_loads_ || answers_[s].known) use.loaded += one.loaded;
    }
    return use;
  }

  /// Keeps the last answers on each side of the store's budget, for targets().
  void note_sides(const FleetUse& use) {
    std::vector<StoreLease>& side = use.held[store_] <= budget_.held ? fitting_ : exceeding_;
    side.resize(shards_.size());
    for (std::size_t s = 0; s < shards_.size(); ++s) side[s] = answers_[s].known ? answers_[s].use : present_[s];
  }

  /// The mix of both sides that fills the store: what the linear relaxation takes.
  std::vector<StoreLease> targets() const {
    std::vector<StoreLease> made = fitting_.empty() ? exceeding_ : fitting_;
    double held = sum(made, &StoreLease::held);
    if (!fitting_.empty() && !exceeding_.empty()) {
      const double more = sum(exceeding_, &StoreLease::held) - held;
      const double share = more > 0 ? std::clamp((budget_.held - held) / more, 0.0, 1.0) : 0;
      for (std::size_t s = 0; s < made.size(); ++s) {
        made[s].held += share * (exceeding_[s].held - made[s].held);
        made[s].loaded += share * (exceeding_[s].loaded - made[s].loaded);
      }
      held = sum(made, &StoreLease::held);
    }
    // What is left belongs to all alike: the rounding of a plan can use it.
    const double spare = held < budget_.held ? (budget_.held - held) / static_cast<double>(made.size()) : 0;
    const double scale = held > budget_.held ? budget_.held / held : 1;
    const double loaded = sum(made, &StoreLease::loaded);
    const double load_scale = limits_loads_ && loaded > 0 ? budget_.loaded / loaded : 1;
    for (StoreLease& lease : made) {
      lease.held = std::floor(lease.held * scale + spare);
      lease.loaded = limits_loads_ ? lease.loaded * load_scale : budget_.loaded;
    }
    return made;
  }

  static double sum(const std::vector<StoreLease>& leases, double StoreLease::*part) {
    double all = 0;
    for (const StoreLease& lease : leases) all += lease.*part;
    return all;
  }

  /// First those that shrink, then, out of what was acknowledged, those that grow.
  void distribute(const std::vector<StoreLease>& targets) {
    const auto round = static_cast<std::uint64_t>(options_.rounds);
    std::vector<std::uint8_t> stale(shards_.size());
    for (const auto part : {&StoreLease::held, &StoreLease::loaded}) {
      if (part == &StoreLease::loaded && !limits_loads_) break;
      double counted = 0, wanted = 0;
      const auto grows = [&](std::size_t s) { return targets[s].*part > present_[s].*part; };
      for (std::size_t s = 0; s < shards_.size(); ++s) {
        if (grows(s)) {
          counted += present_[s].*part;
          wanted += targets[s].*part - present_[s].*part;
          continue;
        }
        const bool reached = grant_arrives(round, s, false, part),
                   acknowledged = reached && grant_arrives(round, s, true, part);
        if (reached) made_.leases[s].*part = targets[s].*part;
        counted += acknowledged ? targets[s].*part : present_[s].*part;
        stale[s] |= reached ? 0 : 1;
      }
      const double whole = part == &StoreLease::held ? budget_.held : budget_.loaded;
      const double share = wanted > 0 ? std::clamp((whole - counted) / wanted, 0.0, 1.0) : 0;
      for (std::size_t s = 0; s < shards_.size(); ++s) {
        if (!grows(s)) continue;
        if (!grant_arrives(round, s, false, part)) {
          stale[s] = 1;
          continue;
        }
        made_.leases[s].*part += share * (targets[s].*part - present_[s].*part);
        grant_arrives(round, s, true, part);  // for the next epoch
      }
    }
    for (const std::uint8_t one : stale) made_.stale += one;
  }

  /// A lease and its acknowledgment are one message each: its second part is lost with the first.
  bool grant_arrives(std::uint64_t round, std::size_t shard, bool up, double StoreLease::*part) {
    if (part == &StoreLease::held) return network_.deliver(round, shard, up, shared());
    FleetMessages again;  // counted with the first part
    return LossyNetwork(options_.loss, options_.seed, again).deliver(round, shard, up, shared());
  }

  const std::vector<FleetShard>& shards_;
  const FleetBudget& budget_;
  const std::vector<StoreLease>& present_;
  const ExchangeOptions& options_;
  std::vector<FleetPrices>& own_prices_;
  const FleetHooks& hooks_;
  const std::uint32_t store_;
  PriceExchange made_;
  LossyNetwork network_;
  std::vector<KnownAnswer> answers_;
  std::vector<StoreLease> fitting_, exceeding_;
  FleetUse fit_use_;  // at the last price within the budget that is searched
  std::uint32_t answered_ = 0;
  const bool limits_loads_;
};

}  // namespace

std::vector<StoreLease> equal_leases(const FleetBudget& budget, std::size_t shards) {
  const double share = 1 / static_cast<double>(std::max<std::size_t>(shards, 1));
  return std::vector<StoreLease>(shards, {std::floor(budget.held * share), budget.loaded * share});
}

PriceExchange exchange_prices(const std::vector<FleetShard>& shards, const FleetBudget& budget,
                              const std::vector<StoreLease>& present, const ExchangeOptions& options,
                              std::vector<FleetPrices>& own_prices, const FleetHooks& hooks) {
  return Coordinator(shards, budget, present, options, own_prices, hooks).run();
}

}  // namespace kvantage::inline fleet
