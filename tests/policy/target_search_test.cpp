// links: kv_base
// The cheapest plan that meets a target, against brute force over the same budgets and alphas, written apart from the
// search.
#include "core/policy/explain/target_search.h"

#include <QtTest>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "core/policy/frontier.h"
#include "tests/policy/random_snapshots.h"
#include "tests/support/test_program.h"

namespace target_search_test {

using namespace kvantage;
using namespace kvantage::testing;

namespace {

constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();

struct Tried {
  double quality = 0, seconds = 0, cost = 0;  // seconds: mean, or p95 where that is the target
};

double cost_of(const std::vector<std::uint64_t>& budgets, const std::vector<double>& prices) {
  double cost = 0;
  for (std::size_t t = 0; t < budgets.size(); ++t)
    if (budgets[t] != no_limit) cost += prices[t] * (static_cast<double>(budgets[t]) / 1073741824.0);
  return cost;
}

/// The least TTFT of a context such that the requests that are no slower are 95 % of all.
double p95_of(const Plan& plan, const Snapshot& snapshot, const std::string& family) {
  const auto counts = [&](std::size_t i) { return family.empty() || snapshot.contexts[i].family == family; };
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < plan.contexts.size(); ++i) {
    if (!counts(i)) continue;
    double within = 0, all = 0;
    for (std::size_t k = 0; k < plan.contexts.size(); ++k) {
      if (!counts(k)) continue;
      all += snapshot.contexts[k].frequency;
      if (plan.contexts[k].ttft_seconds <= plan.contexts[i].ttft_seconds) within += snapshot.contexts[k].frequency;
    }
    if (within >= (0.95 - 1e-9) * all) least = std::min(least, plan.contexts[i].ttft_seconds);
  }
  return std::isfinite(least) ? least : 0;
}

/// Every combination of budgets with every alpha.
std::vector<Tried> brute_force(const TargetQuestion& question, const Policy& policy) {
  std::vector<Tried> all;
  std::vector<std::size_t> at(question.budgets.size(), 0);
  for (;;) {
    Snapshot snapshot = question.snapshot;
    std::vector<std::uint64_t> budgets;
    for (std::size_t t = 0; t < at.size(); ++t) {
      budgets.push_back(question.budgets[t][at[t]]);
      snapshot.tiers[t].budget_bytes = budgets.back();
    }
    for (const double alpha : question.alphas) {
      snapshot.alpha = alpha;
      const Plan plan = policy.plan(snapshot);
      Tried tried{plan.mean_quality, plan.mean_ttft_seconds, cost_of(budgets, question.prices)};
      if (!question.family.empty()) {
        double quality = 0, seconds = 0, weight = 0;
        for (std::size_t i = 0; i < plan.contexts.size(); ++i) {
          if (snapshot.contexts[i].family != question.family) continue;
          weight += snapshot.contexts[i].frequency;
          quality += snapshot.contexts[i].frequency * plan.contexts[i].quality;
          seconds += snapshot.contexts[i].frequency * plan.contexts[i].ttft_seconds;
        }
        tried.quality = weight > 0 ? quality / weight : 0;
        tried.seconds = weight > 0 ? seconds / weight : 0;
      }
      if (question.target.ttft_of == TargetTtft::p95) tried.seconds = p95_of(plan, snapshot, question.family);
      all.push_back(tried);
    }
    std::size_t t = 0;
    while (t < at.size() && ++at[t] == question.budgets[t].size()) at[t++] = 0;
    if (t == at.size()) return all;
  }
}

/// A limit that about `share` of the values are below.
double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

TargetQuestion random_question(Random& random, bool hybrid) {
  const WorldShape shape{.contexts = 4 + random.below(5), .tiers = 1 + random.below(3), .placed = random.below(2) == 0};
  TargetQuestion question;
  question.snapshot = random_snapshot(random, shape);
  if (hybrid) store_inputs_and_serve_hybrid(question.snapshot);
  for (ContextState& context : question.snapshot.contexts) context.family = random.below(2) == 0 ? "story" : "code";
  question.snapshot = expected_demand(question.snapshot);
  question.alphas = alpha_scale(question.snapshot).grid(5);
  double all = 0;
  for (const ContextState& context : question.snapshot.contexts) all += static_cast<double>(context.full_bytes);
  for (const TierState& tier : question.snapshot.tiers) {
    if (tier.budget_bytes == no_limit) {
      question.budgets.push_back({no_limit});
    } else {
      std::vector<std::uint64_t> budgets;
      for (const double share : {0.05, 0.15, 0.4, 1.0}) budgets.push_back(static_cast<std::uint64_t>(share * all));
      question.budgets.push_back(budgets);
    }
    question.prices.push_back(random.below(5) == 0 ? 0 : std::pow(10.0, -2 * random.uniform()));
  }
  return question;
}

}  // namespace

class TargetSearchTest : public QObject {
  Q_OBJECT

  /// Holds the search against brute force for one policy; adds up what was found and ruled out.
  struct Count {
    int met = 0, missed = 0;
    std::uint64_t ruled_out = 0, tried = 0, all = 0;
  };
  static void compare(const TargetQuestion& asked, const Policy& policy, Random& random, Count& count) {
    TargetQuestion question = asked;
    const std::vector<Tried> all = brute_force(question, policy);
    std::vector<double> qualities, seconds;
    for (const Tried& one : all) {
      qualities.push_back(one.quality);
      seconds.push_back(one.seconds);
    }
    for (int round = 0; round < 8; ++round) {
      question.target = {.ttft_of = asked.target.ttft_of};
      // A little beside the means of a plan: sums of the same numbers in another order meet it, too.
      if (round % 4 != 1)
        question.target.quality = quantile(qualities, random.uniform()) - 1e-7 + (round == 7 ? 0.2 : 0);
      if (round % 4 != 2)
        question.target.ttft_seconds = quantile(seconds, random.uniform()) * (1 + 1e-7) * (round == 5 ? 0.2 : 1);
      const auto meets = [&](double quality, double ttft) {
        return (!question.target.quality || quality >= *question.target.quality) &&
               (!question.target.ttft_seconds || ttft <= *question.target.ttft_seconds);
      };
      const auto limited = [p95 = asked.target.ttft_of == TargetTtft::p95](const TargetPlan& of) {
        return p95 ? of.ttft_p95_seconds : of.ttft_seconds;
      };
      double cheapest = std::numeric_limits<double>::infinity();
      for (const Tried& one : all)
        if (meets(one.quality + 1e-12, one.seconds * (1 - 1e-12))) cheapest = std::min(cheapest, one.cost);
      double surely = std::numeric_limits<double>::infinity();
      for (const Tried& one : all)
        if (meets(one.quality - 1e-12, one.seconds * (1 + 1e-12))) surely = std::min(surely, one.cost);
      if (cheapest != surely) continue;
      const TargetAnswer answer = find_target_plan(question, policy);
      QVERIFY(answer.complete);
      QCOMPARE(answer.plan.has_value(), std::isfinite(cheapest));
      QCOMPARE(answer.nearest.has_value(), !answer.plan.has_value());
      count.ruled_out += answer.ruled_out;
      count.tried += answer.tried;
      count.all += all.size();
      if (!answer.plan) {
        ++count.missed;
        QVERIFY(!meets(answer.nearest->quality, limited(*answer.nearest)));
        continue;
      }
      ++count.met;
      QVERIFY(meets(answer.plan->quality, limited(*answer.plan)));
      QVERIFY2(std::fabs(answer.plan->cost - cheapest) <= 1e-12 * (1 + cheapest),
               qPrintable(QString("%1 instead of %2").arg(answer.plan->cost).arg(cheapest)));
      // It predicts what the policy predicts there.
      Snapshot there = question.snapshot;
      for (std::size_t t = 0; t < there.tiers.size(); ++t) there.tiers[t].budget_bytes = answer.plan->budgets[t];
      there.alpha = answer.plan->alpha;
      const Plan plan = policy.plan(there);
      if (question.family.empty()) {
        QVERIFY(std::fabs(plan.mean_quality - answer.plan->quality) < 1e-9);
        QVERIFY(std::fabs(plan.mean_ttft_seconds - answer.plan->ttft_seconds) < 1e-9);
      }
      QCOMPARE(answer.plan->ttft_p95_seconds, predicted_ttft_percentile(plan, there, question.family, 0.95));
    }
  }

 private slots:
  void theCostIsThatOfBruteForce_data() {
    QTest::addColumn<QString>("policy");
    QTest::addColumn<bool>("family");
    QTest::addColumn<bool>("p95");
    for (const char* policy : {"evicpress", "evicpress(drop=best)", "evicpress(start=quality)", "adaptcache"}) {
      QTest::addRow("%s", policy) << QString(policy) << false << false;
      QTest::addRow("%s, a family", policy) << QString(policy) << true << false;
      QTest::addRow("%s, p95", policy) << QString(policy) << false << true;
      QTest::addRow("%s, p95 of a family", policy) << QString(policy) << true << true;
    }
  }
  void theCostIsThatOfBruteForce() {
    QFETCH(QString, policy);
    QFETCH(bool, family);
    QFETCH(bool, p95);
    const auto made = make_policy(policy.toStdString());
    QVERIFY(made.has_value());
    Count count;
    for (std::uint64_t seed = 1; seed <= 15; ++seed) {
      Random random(seed);
      TargetQuestion question = random_question(random, seed % 3 == 0);
      if (family) question.family = "story";
      question.target.ttft_of = p95 ? TargetTtft::p95 : TargetTtft::mean;
      if (family && std::ranges::none_of(question.snapshot.contexts,
                                         [](const ContextState& context) { return context.family == "story"; }))
        continue;
      compare(question, **made, random, count);
      if (QTest::currentTestFailed()) return;
    }
    std::printf("%s: %d met, %d not; %llu of %llu plans made, %llu budgets ruled out\n", qPrintable(policy), count.met,
                count.missed, static_cast<unsigned long long>(count.tried), static_cast<unsigned long long>(count.all),
                static_cast<unsigned long long>(count.ruled_out));
    QVERIFY(count.met >= 20 && count.missed >= 5);
    QVERIFY(count.ruled_out > 0 && count.tried < count.all);
  }

  // One context, one tier: it is loaded in 1 s, or prefilled in 10 s.
  void aPlantedTargetHasAPlantedAnswer() {
    TargetQuestion question;
    Snapshot& snapshot = question.snapshot;
    ContextState context;
    context.id = "c0";
    context.tokens = 100;
    context.full_bytes = 1 << 20;
    context.frequency = 1;
    context.archived = true;
    auto profile = std::make_shared<ContextProfile>();
    profile->points = {{"none", 0, 0.9, 0.9, 0.9, 8, 1 << 20, 100}, {"m", 0.5, 0.6, 0.6, 0.6, 8, 1 << 19, 50}};
    context.profile = profile;
    snapshot.contexts = {context};
    snapshot.prefill = {10, 0, 0};
    snapshot.tiers = {{"dram", 0, {0, 1 << 20, 0, 0}, false}};
    question.alphas = {0.001, 100};
    question.budgets = {{1 << 18, 1 << 19, 1 << 20, 1 << 21}};
    question.prices = {1024};  // 1 a MiB
    const auto policy = *make_policy("evicpress");
    const auto find = [&](std::optional<double> quality, std::optional<double> seconds) {
      question.target = {quality, seconds};
      return find_target_plan(question, *policy);
    };
    // Prefilled: the least budget will do, and the quality is that of the uncompressed cache.
    TargetAnswer answer = find(0.9, {});
    QVERIFY(answer.plan && answer.plan->budgets[0] == 1 << 18);
    QCOMPARE(answer.plan->ttft_seconds, 10.0);
    // Loaded compressed from half a MiB.
    answer = find({}, 0.6);
    QVERIFY(answer.plan && answer.plan->budgets[0] == 1 << 19);
    QCOMPARE(answer.plan->cost, 0.5);
    QCOMPARE(answer.plan->quality, 0.6);
    QCOMPARE(answer.plan->ttft_seconds, 0.5);
    QCOMPARE(answer.plan->ttft_p95_seconds, 0.5);
    QCOMPARE(answer.plan->alpha, 0.001);
    // Loaded whole; the higher of both alphas alone wants it.
    answer = find(0.8, 2.0);
    QVERIFY(answer.plan && answer.plan->budgets[0] == 1 << 20);
    QCOMPARE(answer.plan->cost, 1.0);
    QCOMPARE(answer.plan->alpha, 100.0);
    // Nothing is as good and as fast; the nearest is that of which the least is missing.
    answer = find(0.9, 0.5);
    QVERIFY(!answer.plan && answer.nearest && answer.complete);
    QCOMPARE(answer.nearest->quality, 0.6);
    // Nothing is better than uncompressed: no budget needs to be tried but the largest, to say how near it comes.
    answer = find(0.95, {});
    QCOMPARE(answer.ruled_out, std::uint64_t{4});
    QCOMPARE(answer.tried, std::uint64_t{2});
    QCOMPARE(answer.nearest->quality, 0.9);
  }

  // Ten contexts of a MiB each, 1 in 20 requests for the last: loaded in 1 s, or prefilled in 10 s. Nine loads are
  // enough for the p95, and the last one may take any time; for a mean of 1 s all ten must be loaded.
  void theP95LeavesOutTheRarest() {
    TargetQuestion question;
    auto profile = std::make_shared<ContextProfile>();
    profile->points = {{"none", 0, 0.9, 0.9, 0.9, 8, 1 << 20, 100}};
    for (int i = 0; i < 10; ++i) {
      ContextState context;
      context.id = "c" + std::to_string(i);
      context.tokens = 100;
      context.full_bytes = 1 << 20;
      context.frequency = i < 9 ? 0.95 / 9 : 0.05;
      context.archived = true;
      context.profile = profile;
      question.snapshot.contexts.push_back(context);
    }
    question.snapshot.prefill = {10, 0, 0};
    question.snapshot.tiers = {{"dram", 0, {0, 1 << 20, 0, 0}, false}};
    question.alphas = {1};
    question.budgets = {{8 << 20, 9 << 20, 10 << 20}};
    question.prices = {1024};  // 1 a MiB
    const auto policy = *make_policy("evicpress");
    question.target = {{}, 1.001, TargetTtft::mean};
    TargetAnswer answer = find_target_plan(question, *policy);
    QCOMPARE(answer.plan ? answer.plan->cost : -1, 10.0);
    question.target.ttft_of = TargetTtft::p95;
    answer = find_target_plan(question, *policy);
    QVERIFY(answer.plan && answer.plan->cost == 9);
    QVERIFY(answer.plan->ttft_p95_seconds == 1 && answer.plan->ttft_seconds > 1.4);  // 0.95 * 1 s + 0.05 * 10 s
    QCOMPARE(answer.ruled_out + answer.tried, std::uint64_t{2});
    question.target.ttft_seconds = 0.5;  // faster than any load
    answer = find_target_plan(question, *policy);
    QVERIFY(!answer.plan && answer.nearest && answer.ruled_out == 3);
  }

  void coarseBudgetsSpanThePresentOnesAndFineOnesFollow() {
    Snapshot snapshot;
    ContextState context;
    context.full_bytes = 1000;
    snapshot.contexts = {context, context, context};  // 3000 bytes
    snapshot.tiers = {{"dram", 800, {}, false}, {"ssd", no_limit, {}, false}, {"none", 0, {}, false}};
    const auto coarse = coarse_budgets(snapshot);
    QCOMPARE(coarse.size(), std::size_t{3});
    QCOMPARE(coarse[0], (std::vector<std::uint64_t>{100, 200, 400, 800, 1600, 3000}));  // more than all holds no more
    QCOMPARE(coarse[1], (std::vector<std::uint64_t>{no_limit}));
    QCOMPARE(coarse[2], (std::vector<std::uint64_t>{0}));
    const auto fine = fine_budgets(snapshot, {400, no_limit, 0});
    QCOMPARE(fine[0], (std::vector<std::uint64_t>{238, 283, 336, 400}));
    QCOMPARE(fine[1], (std::vector<std::uint64_t>{no_limit}));
    snapshot.tiers.assign(9, {"t", 800, {}, false});
    std::size_t combinations = 1;
    for (const auto& tier : coarse_budgets(snapshot)) combinations *= tier.size();
    QVERIFY(combinations <= 3000);
    combinations = 1;
    for (const auto& tier : fine_budgets(snapshot, std::vector<std::uint64_t>(9, 800))) combinations *= tier.size();
    QVERIFY(combinations <= 3000);
  }

  void theFineSearchNeverCostsMore() {
    const auto policy = *make_policy("evicpress");
    int cheaper = 0, met = 0;
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
      Random random(seed);
      TargetQuestion question = random_question(random, false);
      for (TierState& tier : question.snapshot.tiers)
        if (tier.budget_bytes != no_limit) tier.budget_bytes = 400'000;
      question.budgets = coarse_budgets(question.snapshot);
      std::vector<double> seconds;
      for (const Tried& one : brute_force(question, *policy)) seconds.push_back(one.seconds);
      question.target = {{}, quantile(seconds, 0.3)};
      const TargetAnswer coarse = find_target_plan(question, *policy), solved = solve_target(question, *policy);
      QCOMPARE(solved.plan.has_value(), coarse.plan.has_value());
      if (!solved.plan) continue;
      ++met;
      QVERIFY(solved.plan->cost <= coarse.plan->cost + 1e-15);
      QVERIFY(solved.tried > coarse.tried);
      cheaper += solved.plan->cost < coarse.plan->cost;
    }
    QVERIFY2(met >= 8 && cheaper >= 1, qPrintable(QString("%1 %2").arg(met).arg(cheaper)));
  }

  void aSearchEndsWhereItIsToldTo() {
    Random random(3);
    TargetQuestion question = random_question(random, false);
    question.target = {{}, 1e-9};  // nothing meets it
    const auto policy = *make_policy("evicpress");
    question.max_plans = 4;  // fewer than alphas
    const TargetAnswer none = find_target_plan(question, *policy);
    QVERIFY(!none.complete && !none.plan && none.tried == 0);
    question.max_plans = 20'000;
    int asked = 0;
    const TargetAnswer stopped = find_target_plan(question, *policy, [&] { return ++asked > 0; });
    QVERIFY(!stopped.complete && !stopped.plan && stopped.tried == 0 && asked > 0);
    question.budgets.clear();
    QVERIFY(!find_target_plan(question, *policy).complete);
  }

  void percentilesAreOfRequests() {
    Snapshot snapshot;
    Plan plan;
    for (const auto& [seconds, frequency, family] :
         {std::tuple{1.0, 94.0, "a"}, std::tuple{2.0, 1.0, "a"}, std::tuple{9.0, 5.0, "b"}}) {
      ContextState context;
      context.frequency = frequency;
      context.family = family;
      snapshot.contexts.push_back(context);
      plan.contexts.emplace_back();
      plan.contexts.back().ttft_seconds = seconds;
    }
    QCOMPARE(predicted_ttft_percentile(plan, snapshot, "", 0.95), 2.0);
    QCOMPARE(predicted_ttft_percentile(plan, snapshot, "", 0.96), 9.0);
    QCOMPARE(predicted_ttft_percentile(plan, snapshot, "", 0.5), 1.0);
    QCOMPARE(predicted_ttft_percentile(plan, snapshot, "b", 0.5), 9.0);
    QCOMPARE(predicted_ttft_percentile(plan, snapshot, "c", 0.5), 0.0);
  }
};

KV_TEST_GUILESS_MAIN(TargetSearchTest)

}  // namespace target_search_test

#include "target_search_test.moc"
