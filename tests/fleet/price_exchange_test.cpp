// links: kv_base
// Bounds and plans of small fleets against every choice, against HiGHS (tests/parity/make_fleet_goldens.py) and against
// sums over contexts that are made one by one; messages and losses of planted fleets.
#include <QtTest>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>

#include "core/base/json.h"
#include "core/fleet/group_plan.h"
#include "tests/fleet/drawn_fleets.h"
#include "tests/support/test_program.h"

namespace price_exchange_test {

using namespace kvantage;
using namespace kvantage::testing;

namespace {

struct PlannedFleet {
  PriceExchange exchange;
  double bound = 0, achieved = 0, store_used = 0, loaded = 0;
  bool fits = true;  // own tiers, leases and the store
};

PlannedFleet planned(DrawnFleet& fleet, const ExchangeOptions& options) {
  PlannedFleet made;
  std::vector<FleetPrices> own(fleet.shards.size());
  const auto present = equal_leases(fleet.store, fleet.shards.size());
  made.exchange = exchange_prices(fleet.shards, fleet.store, present, options, own, {});
  const std::uint32_t store = fleet.shards.front().store();
  ClassEnvelope envelope;
  made.bound = made.exchange.prices.held[store] * fleet.store.held;
  if (made.exchange.prices.loaded > 0) made.bound += made.exchange.prices.loaded * fleet.store.loaded;
  for (std::size_t s = 0; s < fleet.shards.size(); ++s) {
    FleetShard& shard = fleet.shards[s];
    FleetPrices start = own[s];
    start.held[store] = made.exchange.prices.held[store];
    start.loaded = made.exchange.prices.loaded;
    made.bound += search_prices(shard, start, own_tiers(shard), 1e-6, envelope).bound;
    shard.limits.held[store] = made.exchange.leases[s].held;
    shard.limits.loaded = made.exchange.leases[s].loaded;
    const ShardAnswer answer = search_prices(shard, start, all_resources(shard), 1e-4, envelope);
    const GroupPlan plan = plan_groups(shard, answer.prices, envelope);
    made.achieved += plan.utility;
    made.store_used += plan.use.held[store];
    for (std::size_t t = 0; t < shard.tiers; ++t) made.fits = made.fits && plan.use.held[t] <= shard.limits.held[t];
    made.loaded += plan.use.loaded;
  }
  made.fits = made.fits && made.store_used <= fleet.store.held && made.loaded <= fleet.store.loaded * (1 + 1e-9);
  return made;
}

/// Each shard's choices: bytes of the store, and the most utility with them. Every combination is tried.
std::map<double, double> every_choice(const DrawnFleet& fleet, std::size_t s) {
  const FleetShard& shard = fleet.shards[s];
  std::map<double, double> best;
  std::vector<double> used(shard.tiers, 0);
  const std::function<void(std::size_t, double)> choose = [&](std::size_t c, double utility) {
    if (c == fleet.classes[s].size()) {
      const auto [at, is_new] = best.emplace(used[shard.store()], utility);
      at->second = std::max(at->second, utility);
      return;
    }
    const double frequency = static_cast<double>(fleet.frequencies[s][c]);
    choose(c + 1, utility + frequency * fleet.classes[s][c].unstored);
    for (const ClassOption& option : fleet.classes[s][c].options) {
      if (option.tier != shard.store() && used[option.tier] + option.bytes > shard.limits.held[option.tier]) continue;
      used[option.tier] += option.bytes;
      choose(c + 1, utility + frequency * option.value);
      used[option.tier] -= option.bytes;
    }
  };
  choose(0, 0);
  return best;
}

/// Without what takes more bytes for no more utility.
std::map<double, double> useful(const std::map<double, double>& choices) {
  std::map<double, double> kept;
  double most = -1e300;
  for (const auto& [bytes, utility] : choices)
    if (utility > most) kept.emplace_hint(kept.end(), bytes, most = utility);
  return kept;
}

double best_of_all(const DrawnFleet& fleet) {
  std::map<double, double> all{{0, 0}};
  for (std::size_t s = 0; s < fleet.shards.size(); ++s) {
    std::map<double, double> next;
    const std::map<double, double> own = useful(every_choice(fleet, s));
    for (const auto& [bytes, utility] : all)
      for (const auto& [more, gain] : own) {
        if (bytes + more > fleet.store.held) break;
        const auto [at, is_new] = next.emplace(bytes + more, utility + gain);
        at->second = std::max(at->second, utility + gain);
      }
    all = useful(next);
  }
  return all.rbegin()->second;
}

}  // namespace

class PriceExchangeTest : public QObject {
  Q_OBJECT

 private slots:
  void boundThenOptimumThenPlan() {
    for (std::uint64_t seed = 100; seed < 140; ++seed) {
      DrawnFleet fleet = drawn_fleet({.seed = seed, .shards = 3, .contexts = 5, .own = seed % 2, .forms = 2});
      const PlannedFleet made = planned(fleet, options_for(fleet));
      const double best = best_of_all(fleet), slack = 1e-9 * (1 + std::fabs(best));
      const QString place =
          QString("seed %1: bound %2, optimum %3, plan %4").arg(seed).arg(made.bound).arg(best).arg(made.achieved);
      QVERIFY2(made.bound >= best - slack && best >= made.achieved - slack, qPrintable(place));
      QVERIFY2(made.fits, qPrintable(place));
    }
  }

  // One price is exact; with own tiers, prices that are moved in turn stop a little above.
  void theBoundIsTheLinearRelaxationsOptimum() {
    const auto goldens = read_json_file(std::filesystem::path(KVANTAGE_SOURCE_DIR) / "tests/goldens/fleet_optima.json");
    QVERIFY(goldens.has_value());
    int exact = 0, close = 0, optima = 0;
    for (const Json& one : goldens->at("cases")) {
      const std::size_t own = one.at("own").get<std::size_t>();
      DrawnFleet fleet = drawn_fleet({.seed = one.at("seed").get<std::uint64_t>(),
                                      .shards = one.at("shards").get<std::size_t>(),
                                      .contexts = one.at("contexts").get<std::size_t>(),
                                      .own = own,
                                      .forms = one.at("forms").get<std::uint64_t>()});
      const double relaxed = one.at("relaxation").get<double>();
      if (one.contains("optimum")) {  // the search of this test is right as well
        QVERIFY(std::fabs(best_of_all(fleet) - one.at("optimum").get<double>()) < 1e-6);
        ++optima;
      }
      const PlannedFleet made = planned(fleet, options_for(fleet));
      const QString place = QString("seed %1: %2 instead of %3")
                                .arg(one.at("seed").get<int>())
                                .arg(made.bound, 0, 'g', 12)
                                .arg(relaxed, 0, 'g', 12);
      QVERIFY2(made.bound >= relaxed * (1 - 1e-8), qPrintable(place));
      QVERIFY2(made.bound <= relaxed * (own == 0 ? 1 + 1e-8 : 1 + 1e-3), qPrintable(place));
      QVERIFY2(made.achieved <= relaxed * (1 + 1e-8) && made.fits, qPrintable(place));
      ++(own == 0 ? exact : close);
    }
    QVERIFY(exact == 3 && close == 4 && optima == 2);
  }

  // Weak duality: at any prices, of any plan within the budgets.
  void noPlanExceedsTheBoundAtAnyPrices() {
    Random random(7);
    for (std::uint64_t seed = 1000; seed < 2000; ++seed) {
      DrawnFleet fleet =
          drawn_fleet({.seed = seed, .shards = 3, .contexts = 6, .own = random.below(3), .forms = 1 + random.below(4)});
      const std::uint32_t store = fleet.shards.front().store();
      const double price = 1e-4 * std::pow(10.0, 4 * random.uniform() - 2);
      double bound = price * fleet.store.held, left = fleet.store.held, utility = 0;
      ClassEnvelope envelope;
      for (std::size_t s = 0; s < fleet.shards.size(); ++s) {
        const FleetShard& shard = fleet.shards[s];
        FleetPrices prices;
        prices.held[store] = price;
        for (std::size_t t = 0; t < store; ++t) {
          prices.held[t] = price * 2 * random.uniform();
          bound += prices.held[t] * shard.limits.held[t];
        }
        const ShardDemand demand = demand_at(shard, prices, envelope);
        bound += demand.net;
        QVERIFY(demand.net_low == demand.net);  // groups of one frequency
        // Some plan: options drawn until one fits.
        auto room = shard.limits.held;
        for (std::size_t c = 0; c < fleet.classes[s].size(); ++c) {
          const ContextClass& one = fleet.classes[s][c];
          double value = one.unstored;
          for (int draw = 0; draw < 4; ++draw) {
            const ClassOption& option = one.options[random.below(one.options.size())];
            double& of_tier = option.tier == store ? left : room[option.tier];
            if (option.bytes > of_tier) continue;
            of_tier -= option.bytes;
            value = option.value;
            break;
          }
          utility += static_cast<double>(fleet.frequencies[s][c]) * value;
        }
      }
      QVERIFY2(bound >= utility - 1e-9 * (1 + std::fabs(utility)),
               qPrintable(QString("seed %1: %2 below %3").arg(seed).arg(bound).arg(utility)));
    }
  }

  // The chord of a group is at least the sum over its contexts, which is at least the value at their mean.
  void groupsBoundTheirContexts() {
    Random random(8);
    double worst = 0;
    for (int round = 0; round < 200; ++round) {
      DrawnFleet one =
          drawn_fleet({.seed = 50 + static_cast<std::uint64_t>(round), .shards = 1, .contexts = 4, .own = 1});
      FleetShard shard = std::move(one.shards[0]);
      GroupBuilder builder(4);
      std::vector<std::pair<std::uint32_t, float>> contexts;
      for (int i = 0; i < 500; ++i) {
        contexts.emplace_back(static_cast<std::uint32_t>(random.below(4)),
                              static_cast<float>(std::pow(1 + random.below(1000), -0.9)));
        builder.add(contexts.back().first, contexts.back().second);
      }
      shard.groups = builder.take();
      QCOMPARE(shard.groups.contexts(), std::uint64_t{500});
      FleetPrices prices;
      prices.held[0] = 1e-4 * random.uniform() * random.uniform();
      prices.held[1] = 1e-4 * random.uniform() * random.uniform();
      prices.loaded = round % 2 == 0 ? 0 : 1e-4 * random.uniform();
      double sum = 0;
      for (const auto& [c, f] : contexts) {
        const ContextClass& form = one.classes[0][c];
        double best = static_cast<double>(f) * form.unstored;
        for (const ClassOption& o : form.options)
          best = std::max(best, static_cast<double>(f) * (o.value - (o.tier == 1 ? prices.loaded * o.bytes : 0)) -
                                    prices.held[o.tier] * o.bytes);
        sum += best;
      }
      ClassEnvelope envelope;
      const ShardDemand demand = demand_at(shard, prices, envelope);
      const double slack = 1e-9 * (1 + std::fabs(sum));
      QVERIFY(demand.net >= sum - slack && sum >= demand.net_low - slack);
      worst = std::max(worst, (demand.net - demand.net_low) / std::fabs(sum));
      // What no price chooses may be left out.
      std::vector<ContextClass> hulls = one.classes[0];
      std::size_t before = 0, after = 0;
      for (ContextClass& hull : hulls) {
        before += hull.options.size();
        keep_priced_forms(hull);
        after += hull.options.size();
      }
      QVERIFY(after <= before);
      shard.classes = &hulls;
      QVERIFY(std::fabs(demand_at(shard, prices, envelope).net - demand.net) < slack);
    }
    QVERIFY2(worst > 0 && worst < 0.01, qPrintable(QString::number(worst)));
  }

  void messagesAreCounted() {
    DrawnFleet fleet = drawn_fleet({.seed = 9, .shards = 4, .contexts = 50, .own = 1, .forms = 3});
    const PlannedFleet made = planned(fleet, options_for(fleet, 200));
    const std::uint64_t rounds = made.exchange.rounds.size();
    QVERIFY(made.exchange.met && rounds > 2 && rounds < 200);
    // A round: a price to each of four, bytes and bound back. In the end a lease to each and its acknowledgment.
    QCOMPARE(made.exchange.messages.sent, 8 * rounds + 8);
    QCOMPARE(made.exchange.messages.bytes, 4 * rounds * (24 + 32) + 4 * (24 + 24));
    QCOMPARE(made.exchange.messages.lost, std::uint64_t{0});
    QCOMPARE(made.exchange.stale, 0U);
    for (const ExchangeRound& round : made.exchange.rounds) QCOMPARE(round.answered, 4U);
    // Limited loads add a number to each message.
    fleet.store.loaded = 1e9;  // but bind nothing
    const PlannedFleet both = planned(fleet, options_for(fleet, 200));
    QCOMPARE(both.exchange.rounds.size(), std::size_t{rounds});
    QCOMPARE(both.exchange.messages.bytes, 4 * rounds * (32 + 40) + 4 * (32 + 32));
  }

  void aLargeStoreHasNoPrice() {
    DrawnFleet fleet = drawn_fleet({.seed = 10, .shards = 4, .contexts = 50, .own = 0, .forms = 3});
    fleet.store.held = 1e9;
    const PlannedFleet made = planned(fleet, options_for(fleet));
    QVERIFY(made.exchange.met);
    QCOMPARE(made.exchange.prices.held[0], 0.0);
    QVERIFY(std::fabs(made.bound - made.achieved) < 1e-9);  // everything has its best form
  }

  void withoutAnswersLeasesStay() {
    DrawnFleet fleet = drawn_fleet({.seed = 11, .shards = 5, .contexts = 30, .own = 1, .forms = 3});
    const PlannedFleet made = planned(fleet, options_for(fleet, 12, 1));
    QVERIFY(made.exchange.fell_back && !made.exchange.met);
    QCOMPARE(made.exchange.messages.sent, std::uint64_t{5 * 12});  // nobody gets a price, so nobody answers
    QCOMPARE(made.exchange.messages.lost, made.exchange.messages.sent);
    const auto equal = equal_leases(fleet.store, 5);
    for (std::size_t s = 0; s < 5; ++s) QCOMPARE(made.exchange.leases[s].held, equal[s].held);
    QVERIFY(made.fits);
  }

  // Whatever is lost, leases never sum to more than the store.
  void leasesNeverExceedTheStore() {
    std::uint64_t stale = 0, lost = 0;
    for (std::uint64_t seed = 300; seed < 360; ++seed) {
      DrawnFleet fleet = drawn_fleet({.seed = seed, .shards = 6, .contexts = 40, .own = 1, .forms = 3});
      ExchangeOptions options = options_for(fleet, 40, 0.05 * static_cast<double>(seed % 12));
      options.seed = seed;
      if (seed % 3 == 0) fleet.store.loaded = 2000;
      const PlannedFleet made = planned(fleet, options);
      double held = 0, loaded = 0;
      for (const StoreLease& lease : made.exchange.leases) {
        held += lease.held;
        loaded += lease.loaded;
      }
      QVERIFY2(held <= fleet.store.held * (1 + 1e-12), qPrintable(QString::number(seed)));
      if (std::isfinite(fleet.store.loaded)) QVERIFY(loaded <= fleet.store.loaded * (1 + 1e-9));
      QVERIFY(made.fits);
      stale += made.exchange.stale;
      lost += made.exchange.messages.lost;
    }
    QVERIFY2(stale > 10 && lost > 1000, qPrintable(QString("%1, %2").arg(stale).arg(lost)));
  }

  // All plans together keep the limit of loads.
  void limitedLoadsHaveAPrice() {
    DrawnFleet fleet = drawn_fleet({.seed = 12, .shards = 4, .contexts = 200, .own = 1, .forms = 3});
    const PlannedFleet unlimited = planned(fleet, options_for(fleet, 200));
    QVERIFY(unlimited.loaded > 0);
    fleet.store.loaded = unlimited.loaded / 4;
    const PlannedFleet made = planned(fleet, options_for(fleet, 200));
    QVERIFY(made.exchange.prices.loaded > 0);
    QVERIFY2(made.achieved < unlimited.achieved, "loads do not bind");
    QVERIFY2(made.fits && made.loaded > 0.5 * fleet.store.loaded, qPrintable(QString::number(made.loaded)));
    QVERIFY(made.bound >= made.achieved);
  }
};

KV_TEST_GUILESS_MAIN(PriceExchangeTest)

}  // namespace price_exchange_test

#include "price_exchange_test.moc"
