// links: kv_base
// Predicted frontiers and simulated points of a world like the quick-start workload.
#include <QtTest>
#include <cstdio>

#include "core/policy/simulate.h"
#include "tests/policy/random_snapshots.h"
#include "tests/support/test_program.h"

namespace frontier_test {

using namespace kvantage;
using namespace kvantage::testing;

namespace {

/// 24 contexts, prefill : SSD : DRAM near 10 : 3 : 1, budgets for a third of the bytes, skewed popularity.
Snapshot quickstart_like(std::uint64_t seed) {
  Random random(seed);
  Snapshot s = random_snapshot(random, {.contexts = 24, .tiers = 2, .methods = 3, .fractions = 4});
  double bytes = 0, tokens = 0;
  for (ContextState& context : s.contexts) {
    bytes += static_cast<double>(context.full_bytes);
    tokens += context.tokens;
  }
  const double mean_bytes = bytes / 24, mean_tokens = tokens / 24;
  s.prefill = {0, 0.1 / mean_tokens, 0};
  s.question = {0.001, 0};
  s.tiers[0] = {"dram", static_cast<std::uint64_t>(bytes / 12), {0.0005, mean_bytes / 0.01, 0, 0}, false};
  s.tiers[1] = {"ssd", static_cast<std::uint64_t>(bytes / 4), {0.001, mean_bytes / 0.03, 0, 0}, true};
  for (std::size_t i = 0; i < s.contexts.size(); ++i) s.contexts[i].frequency = 20.0 / static_cast<double>(i + 1);
  return s;
}

}  // namespace

class FrontierTest : public QObject {
  Q_OBJECT
 private slots:
  void highestAlphaBuysMoreQualityThanTheLowest() {
    const auto policy = *make_policy("evicpress");
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
      const Snapshot s = quickstart_like(seed);
      const auto points = predict_frontier(s, *policy, alpha_scale(s).grid(9));
      QCOMPARE(points.size(), std::size_t{9});
      QVERIFY(points.back().mean_quality > points.front().mean_quality + 0.01);
      QVERIFY(points.back().mean_ttft_seconds > points.front().mean_ttft_seconds);
    }
  }
  void curvesAreThePlansWithoutTheirText() {
    const Snapshot s = quickstart_like(3);
    for (const char* text : {"evicpress", "evicpress(start=quality)", "evicpress(drop=best)"}) {
      const auto policy = *make_policy(text);
      const auto alphas = alpha_scale(s).grid(7);
      const auto points = policy->curve(s, alphas);
      for (std::size_t i = 0; i < alphas.size(); ++i) {
        Snapshot at = s;
        at.alpha = alphas[i];
        const Plan plan = policy->plan(at);
        QCOMPARE(points[i].alpha, alphas[i]);
        QVERIFY(std::fabs(points[i].mean_quality - plan.mean_quality) < 1e-12);
        QVERIFY(std::fabs(points[i].mean_ttft_seconds - plan.mean_ttft_seconds) < 1e-12);
        QVERIFY(std::fabs(points[i].utility - plan.total_utility) < 1e-9);
      }
    }
  }
  void beforeTheFirstRequestThereIsACurveToo() {
    Snapshot s = quickstart_like(4);
    for (ContextState& context : s.contexts) {
      context.frequency = 0;
      context.archived = false;
    }
    const auto points = predict_frontier(s, **make_policy("evicpress"), alpha_scale(s).grid(5));
    QVERIFY(points.back().mean_quality > points.front().mean_quality);
  }
  // Together they are as likely as what was asked for once, and each at most as likely as one of those.
  void whatWasNotAskedForYetIsExpected() {
    Snapshot s = quickstart_like(5);
    const auto with = [&](const std::vector<double>& frequencies) {
      for (std::size_t i = 0; i < s.contexts.size(); ++i)
        s.contexts[i].frequency = i < frequencies.size() ? frequencies[i] : 0;
      return expected_demand(s);
    };
    const auto share_of_rest = [](const Snapshot& snapshot, std::size_t asked) {
      double all = 0, rest = 0;
      for (std::size_t i = 0; i < snapshot.contexts.size(); ++i) {
        all += snapshot.contexts[i].frequency;
        if (i >= asked) rest += snapshot.contexts[i].frequency;
      }
      return rest / all;
    };
    // 10 requests, of which 2 for contexts that were asked for once.
    const Snapshot some = with({5, 3, 1, 1});
    QVERIFY(std::fabs(share_of_rest(some, 4) - 0.2) < 1e-12);
    QCOMPARE(some.contexts[0].frequency, 5.0);
    QVERIFY(some.contexts[4].frequency == some.contexts[23].frequency && some.contexts[4].frequency < 1);
    QVERIFY(std::fabs(share_of_rest(with({20, 20}), 2) - 1.0 / 40) < 1e-12);  // as if one had been asked for once
    QVERIFY(std::fabs(share_of_rest(with({1}), 1) - 0.5) < 1e-12);
    QVERIFY(with(std::vector<double>(23, 1.0)).contexts[23].frequency <= 1);
    const std::vector<double> all(24, 2.0);
    for (const ContextState& context : with(all).contexts) QCOMPARE(context.frequency, 2.0);
    for (const ContextState& context : with({}).contexts) QCOMPARE(context.frequency, 1.0);
  }
  // After some 60 requests a cache that holds all that was asked for does not hold all that will be.
  void aRunThatHasJustBegunDoesNotFlatterACache() {
    Snapshot truth = quickstart_like(9);
    truth.tiers.resize(1);
    double bytes = 0;
    for (const ContextState& context : truth.contexts) bytes += static_cast<double>(context.full_bytes);
    truth.tiers[0].budget_bytes = static_cast<std::uint64_t>(0.85 * bytes);
    const auto lru = *make_policy("lru");
    const auto seconds = [&](const Snapshot& s) { return simulated_point(s, lru, 600, 1).mean_ttft_seconds; };
    const double real = seconds(truth);
    int nearer = 0;
    double raw = 0, expected = 0;
    constexpr int runs = 20;
    for (std::uint64_t seed = 1; seed <= runs; ++seed) {
      Snapshot begun = truth;
      for (ContextState& context : begun.contexts) context.frequency = 0;
      for (const std::size_t index : draw_requests(truth, 60, seed)) begun.contexts[index].frequency += 1;
      const double before = seconds(begun), after = seconds(expected_demand(begun));
      nearer += std::fabs(after - real) <= std::fabs(before - real);
      raw += before / runs;
      expected += after / runs;
    }
    std::printf("lru %.4f s, after 60 requests %.4f s, with what is expected %.4f s; nearer in %d of %d\n", real, raw,
                expected, nearer, runs);
    QVERIFY(raw < 0.9 * real);
    QVERIFY(std::fabs(expected - real) < 0.5 * std::fabs(raw - real));
    QVERIFY(nearer >= 15);
  }
  void policiesThatDoNotKnowAlphaHaveNoCurve() {
    QVERIFY(predict_frontier(quickstart_like(5), **make_policy("lru"), {1, 2}).empty());
  }
  void theScaleOfAlphaFollowsTheSlowestWay() {
    const AlphaScale scale = alpha_scale(quickstart_like(6));
    QVERIFY(scale.middle > 0.01 && scale.middle < 1);
    QCOMPARE(scale.lowest, scale.middle / 100);
    QCOMPARE(scale.highest, scale.middle * 100);
    const auto grid = scale.grid(3);
    QVERIFY(std::fabs(grid[1] - scale.middle) < 1e-9);
    QCOMPARE(alpha_scale(Snapshot{}).middle, 1.0);
  }

  void storingBeatsPrefillingInTheSimulator() {
    const Snapshot s = quickstart_like(7);
    const auto point = [&](const char* text) { return simulated_point(s, *make_policy(text), 400, 1); };
    const auto prefill = point("full_prefill"), lru = point("lru"), fixed = point("fixed(m0,0.8)"),
               evicpress = point("evicpress");
    for (const auto& [name, p] :
         {std::pair("full_prefill", prefill), {"lru", lru}, {"fixed(m0,0.8)", fixed}, {"evicpress", evicpress}})
      std::printf("%-14s simulated: ttft %.4f s, quality %.3f, utility %.3f\n", name, p.mean_ttft_seconds,
                  p.mean_quality, p.utility);
    QVERIFY(lru.mean_ttft_seconds < prefill.mean_ttft_seconds);
    QVERIFY(std::fabs(lru.mean_quality - prefill.mean_quality) < 1e-9);
    QVERIFY(fixed.mean_ttft_seconds < lru.mean_ttft_seconds);
    QVERIFY(fixed.mean_quality < lru.mean_quality);
    QVERIFY(evicpress.utility > std::max({prefill.utility, lru.utility, fixed.utility}));
  }
  void simulatingTwiceGivesTheSame() {
    const Snapshot s = quickstart_like(8);
    const auto requests = draw_requests(s, 300, 5);
    const auto a = simulate(s, *make_policy("evicpress"), requests),
               b = simulate(s, *make_policy("evicpress"), requests);
    QCOMPARE(a.totals.mean_ttft_seconds, b.totals.mean_ttft_seconds);
    QCOMPARE(a.totals.actions, b.totals.actions);
    QVERIFY(draw_requests(s, 300, 6) != requests);
  }
  void oneByOneEqualsAtOnce() {
    const Snapshot s = quickstart_like(9);
    const auto requests = draw_requests(s, 200, 5);
    WhatIfSimulation what_if(s, *make_policy("lru"));
    for (const std::size_t context : requests) what_if.request(context);
    const auto whole = simulate(s, *make_policy("lru"), requests).totals;
    QCOMPARE(what_if.totals().mean_ttft_service_seconds, whole.mean_ttft_service_seconds);
    QCOMPARE(what_if.totals().hits, whole.hits);
    std::uint64_t hits = 0;
    for (std::size_t t = 0; t < 2; ++t) {
      QVERIFY(whole.used_bytes[t] <= s.tiers[t].budget_bytes);
      hits += whole.hits[t];
    }
    QVERIFY(hits > 50 && hits < 200);
  }
  void arrivalsQueueForTheOneServer() {
    Snapshot s = quickstart_like(10);
    s.prefill = {1, 0, 0};
    s.question = {0, 0};
    const auto served = simulate(s, *make_policy("full_prefill"), {0, 1, 2}, {0, 0, 5}).requests;
    QCOMPARE(served[0].ttft_seconds, 1.0);
    QCOMPARE(served[1].ttft_seconds, 2.0);
    QCOMPARE(served[1].ttft_service_seconds, 1.0);
    QCOMPARE(served[2].ttft_seconds, 1.0);
  }
  void aWhatIfFollowsTheLiveSettings() {
    Snapshot live = quickstart_like(11);
    WhatIfSimulation what_if(live, *make_policy("lru"));
    for (const std::size_t context : draw_requests(live, 100, 1)) what_if.request(context);
    const auto before = what_if.totals().used_bytes;
    live.tiers[0].budget_bytes /= 2;
    live.contexts[0].placement = {0, "m0", 0.4};
    what_if.follow(live);
    const auto after = what_if.totals().used_bytes;
    QVERIFY(after[0] <= live.tiers[0].budget_bytes);
    QVERIFY(after[0] < before[0]);
    QVERIFY(what_if.snapshot().contexts[0].placement.method == "none");
    QVERIFY(what_if.snapshot().contexts[0].last_access > 0);
  }
  void halvedBudgetsAreKeptWithinTwentyRequests() {
    for (const char* text : {"evicpress", "lru", "fixed(m1,0.4)"}) {
      Snapshot live = quickstart_like(12);
      WhatIfSimulation what_if(live, *make_policy(text));
      const auto requests = draw_requests(live, 220, 2);
      for (std::size_t i = 0; i < 200; ++i) what_if.request(requests[i]);
      live.tiers[0].budget_bytes /= 2;
      what_if.follow(live);
      for (std::size_t i = 200; i < 220; ++i) what_if.request(requests[i]);
      QVERIFY(what_if.totals().used_bytes[0] <= live.tiers[0].budget_bytes);
    }
  }
};

KV_TEST_GUILESS_MAIN(FrontierTest)

}  // namespace frontier_test

#include "frontier_test.moc"
