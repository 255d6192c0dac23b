// links: kv_base
// Streamed fleets: ranks are a permutation, results do not depend on threads or chunks, memory does not grow with
// contexts, prices stay useful when popularity drifts, and a plan can be carried out context by context.
#include <QtTest>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <vector>

#include "core/base/clock.h"
#include "core/base/executor.h"
#include "core/fleet/fleet_simulation.h"
#include "core/fleet/group_plan.h"
#include "tests/fleet/drawn_fleets.h"
#include "tests/support/test_program.h"

namespace fleet_simulation_test {

using namespace kvantage;
using namespace kvantage::testing;

namespace {

/// Twelve curves over sixteen forms on dram, ssd and a store.
FleetSetup drawn_setup(std::uint64_t contexts, std::uint32_t shards) {
  FleetSetup setup;
  Random random(3);
  double bytes = 0;
  for (int c = 0; c < 12; ++c) {
    ContextClass one;
    const double full = 1e6 * (1 + static_cast<double>(random.below(100)) / 100),
                 quality = 0.9 + 0.1 * random.uniform();
    one.unstored = quality - full * 4e-8;
    constexpr std::array seconds_per_byte{3e-9, 1.5e-8, 2e-8};
    for (std::uint32_t t = 0; t < 3; ++t)
      for (int form = 1; form <= 16; ++form) {
        const double kept = form / 16.0;
        one.options.push_back(
            {t, std::floor(full * kept),
             quality - (1 - kept) * (1 - kept) * 0.05 * random.uniform() - full * kept * seconds_per_byte[t]});
      }
    keep_priced_forms(one);
    setup.classes.push_back(std::move(one));
    bytes += full / 12;
  }
  setup.workload.contexts = contexts;
  setup.workload.shards = shards;
  const double all = bytes * static_cast<double>(contexts);
  setup.own_tiers = {std::floor(all / shards * 0.01), std::floor(all / shards * 0.02)};
  setup.store.held = std::floor(all * 0.03);
  return setup;
}

std::vector<FleetEpoch> simulated(const FleetSetup& setup, unsigned threads = 1) {
  SystemExecutor executor;
  FleetHooks hooks;
  hooks.executor = &executor;
  hooks.threads = threads;
  const ManualClock clock;
  return simulate_fleet(setup, hooks, clock).value();
}

}  // namespace

class FleetSimulationTest : public QObject {
  Q_OBJECT

 private slots:
  void everyRankIsOneContexts() {
    for (const std::uint64_t contexts : {1, 2, 3, 7, 64, 1000, 4097}) {
      FleetWorkload workload{.contexts = contexts, .shards = 1, .zipf_exponent = 1};
      const ContextSource::Plan plan(workload);
      ContextSource source(plan, 5, 0, 0);
      ContextChunk chunk;
      source.next(contexts + 1, chunk);
      QCOMPARE(chunk.frequencies.size(), std::size_t{contexts});
      std::vector<bool> seen(contexts);
      double sum = 0;
      for (const float frequency : chunk.frequencies) {
        sum += static_cast<double>(frequency);
        const auto rank = static_cast<std::size_t>(std::lround(plan.scale / static_cast<double>(frequency))) - 1;
        QVERIFY(rank < contexts && !seen[rank]);
        seen[rank] = true;
      }
      QVERIFY(std::fabs(sum - 1) < 1e-5);
      source.next(1, chunk);
      QVERIFY(chunk.classes.empty());
    }
  }

  // The share of the sum that is integrated.
  void frequenciesSumToOne() {
    for (const double exponent : {0.0, 0.5, 0.9, 1.0, 1.3}) {
      const FleetWorkload workload{.contexts = 300'000, .shards = 3, .zipf_exponent = exponent, .shard_exponent = 0.7};
      const ContextSource::Plan plan(workload);
      double ranks = 0;
      for (int rank = 1; rank <= 300'000; ++rank) ranks += std::pow(rank, -exponent);
      QVERIFY2(std::fabs(plan.scale * ranks - 1) < 1e-9, qPrintable(QString::number(exponent)));
      QVERIFY(std::fabs(plan.shard_scale[0] + plan.shard_scale[1] + plan.shard_scale[2] - 3) < 1e-12);
      QVERIFY(std::fabs(plan.shard_scale[0] / plan.shard_scale[2] - std::pow(3, 0.7)) < 1e-12);
    }
  }

  void aDriftChangesThatShare() {
    const FleetWorkload workload{.contexts = 50'000, .shards = 1, .drift = 0.1};
    const ContextSource::Plan plan(workload);
    ContextChunk first, second, third;
    ContextSource(plan, 5, 0, 0).next(50'000, first);
    ContextSource(plan, 5, 0, 1).next(50'000, second);
    ContextSource(plan, 5, 0, 2).next(50'000, third);
    QVERIFY(first.classes == third.classes);
    int after_one = 0, after_two = 0;
    for (std::size_t i = 0; i < 50'000; ++i) {
      after_one += first.frequencies[i] != second.frequencies[i] ? 1 : 0;
      after_two += first.frequencies[i] != third.frequencies[i] ? 1 : 0;
    }
    QVERIFY2(std::abs(after_one - 5000) < 300 && std::abs(after_two - 9500) < 400,
             qPrintable(QString("%1, %2").arg(after_one).arg(after_two)));
  }

  void threadsAndChunksChangeNothing() {
    FleetSetup setup = drawn_setup(20'000, 7);
    setup.workload.shard_exponent = 0.8;
    setup.workload.drift = 0.05;
    setup.exchange.loss = 0.1;
    setup.epochs = 2;
    const auto one = simulated(setup, 1);
    QCOMPARE(one.size(), std::size_t{2});
    const std::vector<std::pair<unsigned, std::size_t>> ways{{3, 4096}, {2, 1}, {8, 999}};
    for (const auto& [threads, chunk] : ways) {
      setup.chunk = chunk;
      const auto other = simulated(setup, threads);
      for (std::size_t e = 0; e < 2; ++e) {
        QCOMPARE(other[e].utility.bound, one[e].utility.bound);
        QCOMPARE(other[e].utility.prices, one[e].utility.prices);
        QCOMPARE(other[e].utility.equal, one[e].utility.equal);
        QCOMPARE(other[e].utility.greedy, one[e].utility.greedy);
        QCOMPARE(other[e].exchange.rounds.size(), one[e].exchange.rounds.size());
        QCOMPARE(other[e].exchange.messages.lost, one[e].exchange.messages.lost);
        QCOMPARE(other[e].groups, one[e].groups);
      }
    }
  }

  void pricesComeCloseAndStayUseful() {
    FleetSetup setup = drawn_setup(200'000, 20);
    setup.workload.shard_exponent = 0.8;
    setup.workload.drift = 0.02;
    setup.epochs = 3;
    const auto epochs = simulated(setup, 2);
    QCOMPARE(epochs.size(), std::size_t{3});
    for (const FleetEpoch& epoch : epochs) {
      const FleetUtility& u = epoch.utility;
      QVERIFY(epoch.exchange.met);
      const double slack = 1e-9 * std::fabs(u.bound);
      for (const double achieved : {u.prices, u.equal, u.greedy})
        QVERIFY(u.prefill <= achieved && achieved <= u.bound + slack);
      QVERIFY2(fleet_gain_gap(u, u.prices) < 0.01, qPrintable(QString::number(fleet_gain_gap(u, u.prices))));
      QVERIFY2(u.equal < u.prices, "engines with different demand gain by prices");
      QVERIFY(u.sketch >= 0 && u.sketch < 0.01 * (u.bound - u.prefill));
      QVERIFY(epoch.store_used > 0.98 && epoch.store_used <= 1);
    }
    QVERIFY(epochs[1].exchange.rounds.size() < epochs[0].exchange.rounds.size());
  }

  void lossesCostRoundsAndNotTheBudget() {
    FleetSetup setup = drawn_setup(50'000, 20);
    setup.workload.shard_exponent = 0.8;
    const auto without = simulated(setup);
    setup.exchange.loss = 0.1;
    const auto with = simulated(setup);
    setup.exchange.loss = 1;
    const auto none = simulated(setup);
    QVERIFY(with[0].exchange.messages.lost > 0 && !with[0].exchange.fell_back);
    QVERIFY(with[0].utility.prices <= without[0].utility.bound);
    QVERIFY(none[0].exchange.fell_back);
    // Then every engine has the same part of the store; only where the search for its prices begins differs.
    const double apart = std::fabs(none[0].utility.prices - none[0].utility.equal);
    QVERIFY2(apart < 1e-3 * (none[0].utility.bound - none[0].utility.prefill), qPrintable(QString::number(apart)));
    QVERIFY(std::fabs(none[0].utility.bound - without[0].utility.bound) < 1e-4 * std::fabs(without[0].utility.bound));
  }

  // A hundred times the contexts: groups fill up and then only count.
  void memoryDoesNotGrowWithContexts() {
    const auto groups_of = [](std::uint64_t contexts) {
      const FleetSetup setup = drawn_setup(contexts, 4);
      bool done = false;
      std::size_t groups = 0;
      for (const FleetShard& shard : stream_shards(setup, ContextSource::Plan(setup.workload), 0, {}, done))
        groups += shard.groups.size();
      return groups;
    };
    const std::size_t few = groups_of(100'000), many = groups_of(10'000'000);
    QVERIFY2(many < 3 * few, qPrintable(QString("%1, %2").arg(few).arg(many)));
    // At most 16 groups a doubling of frequency, which spans the ranks.
    QVERIFY(many <= 4 * 12 * static_cast<std::size_t>(16 * (0.9 * std::log2(1e7) + 1)));
  }

  // Contexts of a group in order of frequency, the most requested ones in the form that is worth most.
  void aPlanCanBeCarriedOut() {
    FleetSetup setup = drawn_setup(3000, 1);
    bool done = false;
    const ContextSource::Plan drawn(setup.workload);
    FleetShard shard = std::move(stream_shards(setup, drawn, 0, {}, done)[0]);
    QVERIFY(done);
    shard.limits.held[2] = setup.store.held;
    ClassEnvelope envelope;
    const GroupPlan plan =
        plan_groups(shard, search_prices(shard, {}, all_resources(shard), 1e-4, envelope).prices, envelope);
    ContextChunk chunk;
    ContextSource(drawn, setup.classes.size(), 0, 0).next(3000, chunk);
    std::array<double, 3> held{};
    double utility = 0;
    std::size_t split = 0, placed = 0;
    for (std::uint32_t c = 0; c < setup.classes.size(); ++c)
      for (std::uint32_t g = 0; g < shard.groups.of(c).size(); ++g) {
        const FrequencyGroup& group = shard.groups.of(c)[g];
        std::vector<float> contexts;
        for (std::size_t i = 0; i < chunk.classes.size(); ++i)
          if (chunk.classes[i] == c && chunk.frequencies[i] >= group.low && chunk.frequencies[i] <= group.high)
            contexts.push_back(chunk.frequencies[i]);
        QCOMPARE(contexts.size(), std::size_t{group.count});
        std::ranges::sort(contexts, std::greater());
        std::vector<PlanPart> parts;
        for (const PlanPart& part : plan.parts)
          if (part.in_class == c && part.group == g) parts.push_back(part);
        split += parts.size() > 1 ? 1 : 0;
        const auto value = [&](const PlanPart& part) {
          return part.option < 0 ? setup.classes[c].unstored
                                 : setup.classes[c].options[static_cast<std::size_t>(part.option)].value;
        };
        std::ranges::sort(parts, [&](const PlanPart& a, const PlanPart& b) { return value(a) > value(b); });
        std::size_t at = 0;
        for (const PlanPart& part : parts)
          for (std::uint32_t i = 0; i < part.count; ++i, ++placed) {
            utility += static_cast<double>(contexts.at(at++)) * value(part);
            if (part.option < 0) continue;
            const ClassOption& option = setup.classes[c].options[static_cast<std::size_t>(part.option)];
            held[option.tier] += option.bytes;
          }
      }
    QCOMPARE(placed, std::size_t{3000});
    QVERIFY2(split > 0, "no group is split");
    for (std::size_t t = 0; t < 3; ++t) {
      QCOMPARE(held[t], plan.use.held[t]);
      QVERIFY(held[t] <= shard.limits.held[t]);
    }
    QVERIFY2(utility >= plan.utility - 1e-9, "the plan promises more than it has");
    QVERIFY(utility - plan.utility < 1e-3 * std::fabs(utility - unstored_utility(shard)));
  }

  void theEndOnRequestKeepsWhatWasPlanned() {
    FleetSetup setup = drawn_setup(2000, 4);
    setup.epochs = 3;
    std::size_t plans = 0;
    FleetHooks hooks;
    hooks.progress = [&](const std::string& stage, double shard, double all) {
      if (stage == "greedy: plans" && shard == all) ++plans;
    };
    hooks.cancelled = [&] { return plans == 2; };
    const ManualClock clock;
    const auto epochs = simulate_fleet(setup, hooks, clock);
    QVERIFY(epochs.has_value());
    QCOMPARE(epochs->size(), std::size_t{2});
    setup.workload.contexts = 3;
    const auto refused = simulate_fleet(setup, {}, clock);
    QVERIFY(!refused && refused.error().code == ErrorCode::usage);
  }
};

KV_TEST_GUILESS_MAIN(FleetSimulationTest)

}  // namespace fleet_simulation_test

#include "fleet_simulation_test.moc"
