// links: kv_base
// Contexts flattened by several threads against each alone, and the greatest entry after changes.
#include "core/policy/planning_problem.h"

#include <QtTest>

#include "core/policy/policy.h"
#include "core/policy/utility.h"
#include "tests/policy/random_snapshots.h"
#include "tests/support/test_program.h"

namespace planning_problem_test {

using namespace kvantage;
using namespace kvantage::testing;

namespace {

bool same_item(const PlanningProblem& a, std::size_t i, const PlanningProblem& b, std::size_t j) {
  const PlanningItem &x = a.items()[i], &y = b.items()[j];
  if (x.count != y.count || x.frequency != y.frequency || x.prefill_quality != y.prefill_quality ||
      x.prefill_seconds != y.prefill_seconds || x.fixed != y.fixed || x.fixed_tier != y.fixed_tier ||
      x.quality_assumed != y.quality_assumed)
    return false;
  for (std::uint32_t o = 0; o < x.count; ++o) {
    if (a.bytes(x.first + o) != b.bytes(y.first + o) || a.quality(x.first + o) != b.quality(y.first + o)) return false;
    for (std::size_t t = 0; t < a.tiers(); ++t)
      if (a.ttft_seconds(x.first + o, t) != b.ttft_seconds(y.first + o, t)) return false;
    if (!(a.configuration(i, x.first + o, 0) == b.configuration(j, y.first + o, 0))) return false;
    if (o > 0 && a.bytes(x.first + o) < a.bytes(x.first + o - 1)) return false;
  }
  return true;
}

std::uint64_t largest_entry(const PlanningProblem& problem) {
  std::uint64_t largest = 0;
  for (const PlanningItem& item : problem.items())
    for (std::uint32_t o = 0; o < item.count; ++o) largest = std::max(largest, problem.bytes(item.first + o));
  return largest;
}

}  // namespace

class PlanningProblemTest : public QObject {
  Q_OBJECT
 private slots:
  void manyAreFlattenedAsEachAlone() {
    Random random(81);
    // All profiled: the guess for the others depends on everyone.
    Snapshot s = random_snapshot(random, {.contexts = 40'000, .tiers = 2, .methods = 2, .fractions = 3});
    for (std::size_t i = 0; i < s.contexts.size(); i += 7) {
      ContextState& context = s.contexts[i];
      context.placement = {static_cast<int>(random.below(2)), "m1", context.profile->points.back().removed_fraction};
      context.stored_bytes = context.profile->points.back().bytes + 17;
      context.pinned = random.below(3) == 0;
      context.archived = random.below(3) != 0;
    }
    s.codec_costs = {{"m1", 1e-5}};
    s.candidates.fractions = {0.25, 0.75};
    const PlanningProblem problem(s);
    QCOMPARE(problem.largest_option_bytes(), largest_entry(problem));
    Snapshot one = s;
    one.contexts.resize(1);
    for (std::size_t i = 0; i < s.contexts.size(); i += 37) {
      one.contexts[0] = s.contexts[i];
      QVERIFY2(same_item(problem, i, PlanningProblem(one), 0), qPrintable(QString("context %1").arg(i)));
    }
  }

  void secondsAreThoseOfAPrediction() {
    Random random(83);
    int hybrid = 0;
    for (int round = 0; round < 50; ++round) {
      Snapshot s = random_snapshot(random, {.contexts = 20, .tiers = 2, .methods = 2, .fractions = 3});
      for (TierState& tier : s.tiers) tier.model.bytes_per_second = 1e6 * std::pow(10, 3 * random.uniform());
      s.codec_costs = {{"m1", 1e-5}};
      if (round % 2 == 0) s.codec_costs.front().overlapped_layers = 4;
      if (round % 3 == 0) s.question.following_layers = 4;
      const Snapshot loading = s;
      s.hybrid = HybridServing{.methods = {"none", "m0"}, .piece_tokens = 256, .layers = 4};
      const PlanningProblem problem(s);
      for (std::size_t i = 0; i < s.contexts.size(); ++i) {
        const PlanningItem& item = problem.items()[i];
        for (std::size_t option = item.first; option < item.first + item.count; ++option)
          for (int tier = 0; tier < 2; ++tier) {
            const Configuration there = problem.configuration(i, option, tier);
            const double seconds = predict(s, s.contexts[i], there, 1).ttft_seconds;
            QCOMPARE(problem.ttft_seconds(option, static_cast<std::size_t>(tier)), seconds);
            const double loaded = predict(loading, loading.contexts[i], there, 1).ttft_seconds;
            QVERIFY(seconds <= loaded);
            if (there.method == "m1") QCOMPARE(seconds, loaded);
            hybrid += seconds < loaded;
          }
      }
    }
    QVERIFY2(hybrid > 100, qPrintable(QString::number(hybrid)));
  }

  // Raw qualities: a plan as of profiles whose points expect nothing but what was measured.
  void rawQualitiesAreThoseOfTheProfile() {
    Random random(83);
    std::size_t differ = 0;
    for (int world = 0; world < 60; ++world) {
      Snapshot pooled = random_snapshot(random, {.contexts = 12, .placed = true, .unprofiled = true});
      for (ContextState& context : pooled.contexts) {
        if (!context.profile) continue;
        auto profile = std::make_shared<ContextProfile>(*context.profile);
        for (ProfilePoint& point : profile->points) point.expected_quality = random.uniform();
        context.profile = profile;
      }
      Snapshot measured = pooled;
      for (ContextState& context : measured.contexts) {
        if (!context.profile) continue;
        auto profile = std::make_shared<ContextProfile>(*context.profile);
        for (ProfilePoint& point : profile->points) point.expected_quality = -1;
        context.profile = profile;
      }
      for (const char* more : {"", ",start=quality", ",drop=per_byte", ",drop=best", ",prices=lp"}) {
        const auto raw = make_policy(std::string("evicpress(quality=raw") + more + ")");
        const auto plain = make_policy(std::string("evicpress(quality=pooled") + more + ")");
        QVERIFY(raw && plain);
        const Plan of_raw = (*raw)->plan(pooled), of_measured = (*plain)->plan(measured);
        QCOMPARE(of_raw.total_utility, of_measured.total_utility);
        for (std::size_t i = 0; i < of_raw.contexts.size(); ++i)
          QVERIFY(of_raw.contexts[i].configuration == of_measured.contexts[i].configuration);
        QCOMPARE((*raw)->curve(pooled, {0.1, 1.0, 10.0}).at(1).utility,
                 (*plain)->curve(measured, {0.1, 1.0, 10.0}).at(1).utility);
        differ += (*plain)->plan(pooled).total_utility != of_raw.total_utility ? 1 : 0;
      }
    }
    QVERIFY2(differ > 200, qPrintable(QString::number(differ)));  // of 300
  }

  void updatesAreAsBuiltAgain() {
    Random random(82);
    Snapshot s = random_snapshot(random, {.contexts = 40, .tiers = 2, .methods = 2, .fractions = 3});
    PlanningProblem kept(s);
    for (int change = 0; change < 400; ++change) {
      ContextState& context = s.contexts[random.below(s.contexts.size())];
      auto profile = std::make_shared<ContextProfile>(*context.profile);
      if (profile->points.size() > 2 && random.below(2) == 0)
        profile->points.pop_back();
      else
        profile->points.push_back({"new", 0.9, 0.5, 0, 1, 3, 1 + random.below(3'000'000), 40});
      context.profile = profile;
      context.archived = random.below(4) != 0;
      kept.update(s, static_cast<std::size_t>(&context - s.contexts.data()));
      const PlanningProblem fresh(s);
      for (std::size_t i = 0; i < s.contexts.size(); ++i) QVERIFY(same_item(kept, i, fresh, i));
      // Limits on sizes are made from it: it also falls again.
      QCOMPARE(kept.largest_option_bytes(), fresh.largest_option_bytes());
    }
  }
};

KV_TEST_GUILESS_MAIN(PlanningProblemTest)

}  // namespace planning_problem_test

#include "planning_problem_test.moc"
