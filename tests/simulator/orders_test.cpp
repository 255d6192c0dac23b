// links: kv_reports
// The compact caches against something else: an LRU that is searched, and the policies of the live engine, request by
// request.
#include <QtTest>

#include <cmath>
#include <numeric>

#include "core/base/random.h"
#include "core/policy/planning_problem.h"
#include "core/policy/policies.h"
#include "core/policy/simulate.h"
#include "core/policy/utility.h"
#include "core/simulator/planned_simulation.h"
#include "core/trace/prefix_lru.h"
#include "tests/support/test_program.h"

namespace orders_test {

using namespace kvantage;

namespace {

struct Asked {
  std::uint64_t context = 0, tokens = 0;
};

/// A power law over contexts of different sizes.
std::vector<Asked> requests_of(std::uint64_t seed, std::size_t count, std::uint64_t contexts) {
  Random random(seed);
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t i = 0; i < contexts; ++i) sizes.push_back(1 + random.below(40));
  std::vector<Asked> made;
  for (std::size_t i = 0; i < count; ++i) {
    const auto rank = static_cast<std::uint64_t>(static_cast<double>(contexts) * std::pow(random.uniform(), 2.5));
    made.push_back({rank * 7919 + 13, sizes[rank] * 100});
  }
  return made;
}

PlannedSetup planned_setup(const std::vector<std::uint64_t>& budgets) {
  PlannedSetup setup;
  setup.preset.name = "test";
  setup.preset.bytes_per_token = 1000;
  setup.preset.prefill = PrefillModel{0.01, 1e-3, 1e-7};
  for (std::size_t t = 0; t < budgets.size(); ++t)
    setup.tiers.push_back({"tier" + std::to_string(t),
                           budgets[t],
                           {0.001 * static_cast<double>(t + 1), 1e-5 * static_cast<double>(t + 1)}});
  return setup;
}

}  // namespace

class SimulatorOrdersTest : public QObject {
  Q_OBJECT

 private slots:
  void blocksOfRandomPrefixesHitAsInTheSearchedList() {
    for (const std::uint64_t capacity : {1, 2, 7, 100, 1000}) {
      Random random(capacity);
      SimulatorSetup setup;
      setup.capacities = {capacity};
      auto simulator = TraceSimulator::make(setup);
      QVERIFY(simulator.has_value());
      PrefixLru other(capacity);
      for (int i = 0; i < 3000; ++i) {
        std::vector<std::uint64_t> blocks;
        const std::uint64_t family = random.below(20), length = random.below(30);
        for (std::uint64_t b = 0; b < length; ++b)
          blocks.push_back(b < 10 ? family * 1000 + b : random.below(3000) + 100'000);
        other.touch(blocks);
        (*simulator)->serve(0, 512 * length, 0, blocks);
      }
      QCOMPARE((*simulator)->totals().hit_blocks, other.counts().hits);
      QCOMPARE((*simulator)->totals().blocks, other.counts().all);
    }
  }

  void ordersDecideAsThePolicyOfTheirName_data() {
    QTest::addColumn<QString>("order");
    QTest::addColumn<int>("tiers");
    for (const QString order : {"lru", "lfu", "gdsf", "s3fifo", "sieve", "w_tinylfu", "arc"})
      for (const int tiers : {1, 2, 3})
        QTest::newRow(qPrintable(QString("%1 on %2 tiers").arg(order).arg(tiers))) << order << tiers;
  }
  void ordersDecideAsThePolicyOfTheirName() {
    QFETCH(QString, order);
    QFETCH(int, tiers);
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      std::vector<std::uint64_t> budgets;
      for (int t = 0; t < tiers; ++t) budgets.push_back((t == 0 ? 9'000'000U : 20'000'000U) * (seed % 2 + 1));
      const auto requests = requests_of(seed, 1500, 60);
      const PlannedSetup setup = planned_setup(budgets);
      TraceContexts contexts;
      for (const Asked& asked : requests) contexts[asked.context] = asked.tokens;
      auto snapshot = snapshot_of(setup, contexts);
      QVERIFY(snapshot.has_value());
      auto policy = make_policy(order.toStdString());
      QVERIFY2(policy.has_value(), policy ? "" : policy.error().message.c_str());
      WhatIfSimulation what_if(*snapshot, *policy);
      SimulatorSetup compact;
      compact.mode = ReuseMode::contexts;
      compact.order = order.toStdString();
      compact.weigh_bytes = true;
      compact.capacities = budgets;
      compact.costs = {true, 1000, *setup.preset.prefill, {}, {}, 1, 0};
      for (const PlannedTier& tier : setup.tiers) compact.costs.tiers.push_back(tier.line);
      auto simulator = TraceSimulator::make(compact);
      QVERIFY(simulator.has_value());
      std::vector<std::uint64_t> hits(static_cast<std::size_t>(tiers), 0);
      for (std::size_t i = 0; i < requests.size(); ++i) {
        std::size_t index = 0;
        while (what_if.snapshot().contexts[index].key.low != requests[i].context) ++index;
        const SimulatedRequest served = what_if.request(index);
        if (served.tier != not_stored) ++hits[static_cast<std::size_t>(served.tier)];
        (*simulator)->serve(0, requests[i].tokens, requests[i].context, {});
        for (int t = 0; i % 20 == 0 && t < tiers; ++t)
          QVERIFY2((*simulator)->totals().tiers[static_cast<std::size_t>(t)].hit_requests ==
                       hits[static_cast<std::size_t>(t)],
                   qPrintable(QString("seed %1, request %2, tier %3").arg(seed).arg(i).arg(t)));
      }
      QVERIFY(std::accumulate(hits.begin(), hits.end(), std::uint64_t{0}) > 100);
      const SimulatorTotals totals = (*simulator)->totals();
      QVERIFY(std::fabs(totals.service.mean - what_if.totals().mean_ttft_service_seconds) < 1e-9);
    }
  }

  void formsDecideAsThePolicyOfTheirText_data() {
    QTest::addColumn<QString>("text");
    for (const char* text : {"fixed(half,0.5)", "fixed(half,0.25)", "fixed(encoded,0)", "fixed(none,0)", "lru"})
      QTest::newRow(text) << text;
  }
  // Contexts grow and shrink from request to request: over arrays and over whole snapshots the same is held.
  void formsDecideAsThePolicyOfTheirText() {
    QFETCH(QString, text);
    Random random(7);
    PlannedSetup setup = planned_setup({9'000'000, 20'000'000});
    setup.preset.question = {0.002, 1e-6};
    setup.preset.candidates = {{"half", 0.5, 0.5, {}}, {"encoded", 0, 0.4, {}}};
    setup.preset.quality = {{"set", "measure", 0.9, {0.7, 0.8}}};
    const auto requests = requests_of(3, 1500, 60);
    std::vector<TraceRequest> trace;
    TraceScan scan;
    for (const Asked& asked : requests) {
      TraceRequest request;
      request.context = asked.context;
      request.input_tokens = asked.tokens + random.below(3) * 250;
      scan.contexts[request.context] = std::max(scan.contexts[request.context], request.input_tokens);
      trace.push_back(request);
    }
    scan.requests = trace.size();
    auto planned = PlannedSimulation::make(setup, scan, *make_policy(text.toStdString()));
    QVERIFY2(planned.has_value(), planned ? "" : planned.error().message.c_str());

    const FixedText fixed = read_fixed(text.toStdString()).value_or(FixedText{"none", 0, "lru"});
    const auto form = stored_form(setup.preset, "", fixed.method, fixed.removed_fraction);
    QVERIFY(form.has_value());
    QCOMPARE(form->between, text.contains("0.25"));
    SimulatorSetup compact;
    compact.mode = ReuseMode::contexts;
    compact.weigh_bytes = true;
    compact.capacities = {9'000'000, 20'000'000};
    compact.costs = costs_of(setup.preset, setup.tiers, {form->method, form->removed_fraction, form->kept_bytes, {}});
    compact.quality = form->quality;
    compact.uncompressed_quality = form->uncompressed_quality;
    auto simulator = TraceSimulator::make(compact);
    QVERIFY(simulator.has_value());
    for (const TraceRequest& request : trace) {
      (*planned)->request(request);
      (*simulator)->request(request);
    }
    const SimulatorTotals one = (*planned)->totals(), other = (*simulator)->totals();
    QVERIFY(one.hit_requests > 200 && one.hit_tokens < one.tokens);
    QCOMPARE(one.hit_requests, other.hit_requests);
    QCOMPARE(one.hit_tokens, other.hit_tokens);
    QCOMPARE(one.hit_blocks, other.hit_blocks);
    for (std::size_t t = 0; t < 2; ++t) {
      QCOMPARE(one.tiers[t].hit_requests, other.tiers[t].hit_requests);
      QCOMPARE(one.tiers[t].held, other.tiers[t].held);
      QVERIFY(std::fabs(one.tiers[t].read_bytes - other.tiers[t].read_bytes) < 1);
    }
    QVERIFY(std::fabs(one.service.mean - other.service.mean) < 1e-9);
    QVERIFY(std::fabs(one.mean_quality - other.mean_quality) < 1e-9);
  }

  // 40 tokens are three blocks of 16, and one of 512.
  void blocksHaveTheTracesTokens() {
    std::vector<TraceRequest> trace(2);
    trace[0].input_tokens = 40;
    trace[1].input_tokens = 24;  // of which all is held
    for (const auto& [tokens, all, hits] : {std::array<std::uint64_t, 3>{16, 5, 2}, {512, 2, 1}}) {
      PlannedSetup setup = planned_setup({1'000'000});
      setup.block_tokens = tokens;
      auto planned = PlannedSimulation::make(setup, {{{0, 40}}, 2}, *make_policy("lru"));
      QVERIFY2(planned.has_value(), planned ? "" : planned.error().message.c_str());
      SimulatorSetup compact;
      compact.mode = ReuseMode::contexts;
      compact.weigh_bytes = true;
      compact.capacities = {1'000'000};
      compact.costs.bytes_per_token = 1000;
      auto simulator = TraceSimulator::make(compact);
      QVERIFY(simulator.has_value() && (*simulator)->use_blocks(tokens, tokens));
      for (const TraceRequest& request : trace) {
        (*planned)->request(request);
        (*simulator)->request(request);
      }
      for (const SimulatorTotals& totals : {(*planned)->totals(), (*simulator)->totals()}) {
        QCOMPARE(totals.blocks, all);
        QCOMPARE(totals.hit_blocks, hits);
      }
    }
    QCOMPARE(PlannedSetup().block_tokens, TraceFacts().block_tokens);
  }

  // Above the number that is followed request by request, plans come at every so many requests.
  void manyContextsArePlannedNowAndThen() {
    PlannedSetup setup = planned_setup({4'000'000'000});
    setup.preset.candidates = {{"half", 0.5, 0.5, {}}};
    setup.preset.quality = {{"set", "measure", 0.9, {0.7}}};
    TraceScan scan;
    std::vector<TraceRequest> trace(40'000);
    for (std::size_t i = 0; i < trace.size(); ++i) {
      trace[i].context = i % 20'001 + 1;
      trace[i].input_tokens = 100;
      scan.contexts[trace[i].context] = 100;
    }
    scan.requests = trace.size();
    auto simulation = PlannedSimulation::make(setup, scan, *make_policy("evicpress"));
    QVERIFY(simulation.has_value());
    QCOMPARE((*simulation)->planned_every(), std::uint64_t{9});  // 40,000 requests * 20,001 contexts / 10^8, rounded up
    // The first that come are enough: what was asked for once is there when it is asked for again, after a plan.
    for (std::size_t i = 0; i < 90; ++i) (*simulation)->request(trace[i]);
    for (std::size_t i = 0; i < 90; ++i) (*simulation)->request(trace[i]);
    QCOMPARE((*simulation)->totals().hit_requests, std::uint64_t{90});
    // There is room for all of them uncompressed: nothing is left to gain. Storing nothing leaves it all.
    QVERIFY(std::fabs((*simulation)->lp_gap().value_or(1)) < 1e-6);
    setup.tiers[0].budget_bytes = 150'000;
    auto starved = PlannedSimulation::make(setup, scan, *make_policy("evicpress(replan_requests=0)"));
    for (std::size_t i = 0; i < 8; ++i) (*starved)->request(trace[i]);  // no plan yet
    QVERIFY(std::fabs((*starved)->lp_gap().value_or(-1) - 1) < 1e-6);
  }

  // Nothing is stored, so no plan is due; a request takes what computing its context takes.
  void aPolicyThatStoresNothingTakesAsManyContexts() {
    const auto policy = *make_policy("full_prefill");
    QCOMPARE(max_contexts_of(*policy), max_planned_contexts);
    for (const char* other : {"optimal", "important_fraction(kept=0.5)"})
      QCOMPARE(max_contexts_of(**make_policy(other)), max_followed_contexts);
    const PlannedSetup setup = planned_setup({4'000'000'000});
    const auto requests = requests_of(3, 50'000, 30'000);
    TraceScan scan;
    scan.requests = requests.size();
    for (const Asked& asked : requests) scan.contexts[asked.context] = asked.tokens;
    for (std::uint64_t other = 1; other <= max_followed_contexts; ++other) scan.contexts[~other] = 100;
    auto simulation = PlannedSimulation::make(setup, scan, policy);
    QVERIFY2(simulation.has_value(), simulation ? "" : simulation.error().message.c_str());
    QCOMPARE((*simulation)->planned_every(), std::uint64_t{1});
    double seconds = 0;
    for (const Asked& asked : requests) {
      TraceRequest request;
      request.context = asked.context;
      request.input_tokens = asked.tokens;
      (*simulation)->request(request);
      seconds += setup.preset.prefill->seconds(static_cast<double>(asked.tokens));
    }
    const SimulatorTotals totals = (*simulation)->totals();
    QCOMPARE(totals.requests, std::uint64_t{50'000});
    QCOMPARE(totals.hit_requests, std::uint64_t{0});
    QCOMPARE(totals.actions, std::uint64_t{0});
    QCOMPARE(totals.tiers[0].held, std::uint64_t{0});
    QVERIFY2(std::fabs(totals.service.mean - seconds / 50'000) < 1e-6 * totals.service.mean,
             qPrintable(QString::number(totals.service.mean)));
  }

  void publishedLinesOfAFormAreItsTimes() {
    const auto presets = read_presets(std::filesystem::path(KVANTAGE_SOURCE_DIR) / "resources" / "presets");
    QVERIFY(presets.has_value());
    const auto preset = find_preset(*presets, "llama-3.1-8b-adaptcache");
    QVERIFY(preset.has_value());
    PlannedSetup setup;
    setup.preset = *preset;
    for (const char* name : {"dram", "ssd"})
      setup.tiers.push_back({name, std::uint64_t{1} << 40, preset->tier(name)->line});
    struct Published {
      const char* method;
      double dram, ssd;  // seconds of 10,000 tokens
    };
    int planned_forms = 0;
    for (const auto& [method, dram, ssd] :
         {Published{"kivi8", 0.241, 0.244}, {"kivi4", 0.230, 0.159}, {"kivi2", 0.224, 0.139}}) {
      const auto form = std::ranges::find(preset->candidates, method, &PresetCandidate::method);
      const CostModel costs = costs_of(*preset, setup.tiers, *form);
      QVERIFY(std::fabs(costs.service_seconds(10'000, std::array{10'000.0, 0.0}) - dram) < 5e-4);
      QVERIFY(std::fabs(costs.service_seconds(10'000, std::array{0.0, 10'000.0}) - ssd) < 5e-4);
      // Policies predict the same, tier by tier.
      auto planned = snapshot_of(setup, {{0, 10'000}});
      QVERIFY(planned.has_value());
      planned->contexts[0].archived = true;
      for (const auto& [tier, seconds] : {std::pair{0, dram}, {1, ssd}})
        QVERIFY(std::fabs(predict(*planned, planned->contexts[0], {tier, method, 0}, 1).ttft_seconds - seconds) < 5e-4);
      const PlanningProblem problem(*planned);
      const PlanningItem& item = problem.items()[0];
      for (std::uint32_t option = item.first; option < item.first + item.count; ++option)
        if (problem.configuration(0, option, 0).method == method) {
          QVERIFY(std::fabs(problem.ttft_seconds(option, 0) - dram) < 5e-4);
          QVERIFY(std::fabs(problem.ttft_seconds(option, 1) - ssd) < 5e-4);
          ++planned_forms;
        }
      // The same through a policy: computed once, loaded from the fast tier afterwards.
      TraceRequest request;
      request.input_tokens = 10'000;
      auto simulation =
          PlannedSimulation::make(setup, {{{0, 10'000}}, 2}, *make_policy("fixed(" + std::string(method) + ",0)"));
      QVERIFY(simulation.has_value());
      (*simulation)->request(request);
      const double computed = (*simulation)->totals().service.mean;
      (*simulation)->request(request);
      QVERIFY(std::fabs(2 * (*simulation)->totals().service.mean - computed - dram) < 5e-4);
    }
    QCOMPARE(planned_forms, 3);
  }

  void noTierEverHoldsMoreThanItMay() {
    for (const std::string_view order : cache_orders())
      for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        Random random(seed);
        std::vector<std::uint64_t> capacities(1 + random.below(3));
        for (std::uint64_t& capacity : capacities)
          capacity = random.below(3) == 0 ? random.below(3) : random.below(200);
        auto cache = make_simulated_cache(order, capacities);
        QVERIFY(cache.has_value());
        for (int i = 0; i < 300; ++i) {
          Reuse reuse;
          (*cache)->touch_context(random.below(30), random.below(60), {}, reuse);
          for (std::size_t t = 0; t < capacities.size(); ++t) QVERIFY((*cache)->held(t) <= capacities[t]);
        }
      }
  }
};

KV_TEST_GUILESS_MAIN(SimulatorOrdersTest)

}  // namespace orders_test

#include "orders_test.moc"
