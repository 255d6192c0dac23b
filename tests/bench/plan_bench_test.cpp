// links: kv_reports
// Time to plan, as a ratio to one pass that sums over the same data. Ratios mean the same on every machine; the limits
// asserted are generous, they catch a wrong order of growth. For a million contexts: KVANTAGE_PLAN_CONTEXTS=1000000.
#include <malloc.h>

#include <QtTest>
#include <array>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <memory>
#include <optional>

#include "core/policy/actions.h"
#include "core/policy/frontier.h"
#include "core/policy/lp_bound.h"
#include "core/policy/min_drop_plan.h"
#include "tests/policy/random_snapshots.h"
#include "tests/support/test_program.h"

namespace plan_bench_test {

using namespace kvantage;
using namespace kvantage::testing;

namespace {

Snapshot large_world(std::size_t contexts) {
  Random random(51);
  // ("none", 0) and 3 methods x 13 fractions are 40 configurations, each on either of two tiers.
  Snapshot s = random_snapshot(random, {.contexts = contexts, .tiers = 2, .methods = 3, .fractions = 13});
  std::uint64_t total = 0;
  for (ContextState& context : s.contexts) {
    total += context.full_bytes;
    context.frequency += 0.01;
  }
  s.tiers[0].budget_bytes = total / 12;
  s.tiers[1].budget_bytes = total / 4;
  s.alpha = alpha_scale(s).middle;
  return s;
}

// Processor time of this thread: other work on the machine does not count.
double now() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// By the clock, of all threads.
template <class Work>
double seconds_of(Work work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

template <class Work>
double median_seconds(int repeats, Work work) {
  std::vector<double> seconds;
  for (int i = 0; i < repeats; ++i) {
    const double start = now();
    work();
    seconds.push_back(now() - start);
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[seconds.size() / 2];
}

volatile double sink = 0;

double summing_pass(const Snapshot& s) {
  return median_seconds(9, [&] {
    double quality = 0;
    std::uint64_t bytes = 0;
    for (const ContextState& context : s.contexts)
      for (const ProfilePoint& point : context.profile->points) {
        quality += point.quality;
        bytes += point.bytes;
      }
    sink = quality + static_cast<double>(bytes);
  });
}

}  // namespace

class PlanBench : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase() {
    // What is freed stays with the process, as in one that has been planning for a while.
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  }
  void planOfTenThousandContexts_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<double>("limit");
    QTest::newRow("evicpress") << "evicpress" << 400.0;
    QTest::newRow("evicpress per byte") << "evicpress(drop=per_byte)" << 400.0;
    QTest::newRow("evicpress best") << "evicpress(drop=best)" << 4000.0;
  }
  void planOfTenThousandContexts() {
    QFETCH(QString, text);
    QFETCH(double, limit);
    const Snapshot s = large_world(10'000);
    const auto policy = *make_policy(text.toStdString());
    const double pass = summing_pass(s);
    const double plan = median_seconds(5, [&] { sink = policy->plan(s).total_utility; });
    const double curve = median_seconds(3, [&] { sink = policy->curve(s, {s.alpha}).front().utility; });
    const std::uint64_t steps = policy->plan(s).steps;
    std::printf("%s: one pass %.2f ms; plan %.1f ms = %.1f passes (%llu steps); without words %.1f ms = %.1f passes\n",
                qPrintable(text), pass * 1e3, plan * 1e3, plan / pass, static_cast<unsigned long long>(steps),
                curve * 1e3, curve / pass);
    QVERIFY2(plan / pass < limit, qPrintable(QString::number(plan / pass)));
  }
  void manyContextsWithinTheBound() {
    // 27 forms on each of three tiers are 81 configurations.
    const auto contexts = static_cast<std::size_t>(qEnvironmentVariableIsSet("KVANTAGE_PLAN_CONTEXTS")
                                                       ? qEnvironmentVariableIntValue("KVANTAGE_PLAN_CONTEXTS")
                                                       : 50000);
    Random random(51);
    Snapshot s = random_snapshot(random, {.contexts = contexts, .tiers = 3, .methods = 2, .fractions = 13});
    std::uint64_t total = 0;
    for (ContextState& context : s.contexts) {
      total += context.full_bytes;
      context.frequency += 0.01;
    }
    for (const auto& [tier, share] : {std::pair{0, 12U}, {1, 4U}, {2, 2U}})
      s.tiers[static_cast<std::size_t>(tier)].budget_bytes = total / share;
    // Three times over: the first one is given new pages by the kernel, the others the pages that the process has.
    const double middle = alpha_scale(s).middle;
    std::optional<PlanningProblem> flat;
    std::array<double, 3> flattened{}, planned{};
    for (std::size_t round = 0; round < flattened.size(); ++round) {
      flat.reset();
      flattened[round] = seconds_of([&] { flat.emplace(s); });
      planned[round] =
          seconds_of([&] { sink = MinDropPlan(*flat, middle, PlanStart::utility, false, true).total_utility(); });
    }
    PlanningProblem& problem = *flat;
    const double pass = median_seconds(3, [&] {
      double sum = 0;
      for (const PlanningItem& item : problem.items())
        for (std::uint32_t o = item.first; o < item.first + item.count; ++o) {
          sum += problem.quality(o) + static_cast<double>(problem.bytes(o));
          for (std::size_t t = 0; t < problem.tiers(); ++t) sum += problem.ttft_seconds(o, t);
        }
      sink = sum;
    });
    std::printf("%zu contexts x 81 configurations, by the clock: ", contexts);
    for (std::size_t round = 0; round < flattened.size(); ++round)
      std::printf("%sflattened in %.0f ms, planned in %.0f ms, both %.0f ms", round == 0 ? "" : "; again ",
                  flattened[round] * 1e3, planned[round] * 1e3, (flattened[round] + planned[round]) * 1e3);
    std::printf("; one summing pass %.1f ms\n", pass * 1e3);
    for (const double alpha : {middle / 20, middle, middle * 20}) {
      const LpBound bound = lp_bound(problem, alpha);
      for (const bool per_byte : {false, true})
        for (const bool priced : {false, true}) {
          std::vector<double> prices;
          const double pricing = priced ? median_seconds(1, [&] { prices = lp_prices(problem, alpha); }) : 0;
          std::unique_ptr<MinDropPlan> plan;
          const double made = median_seconds(1, [&] {
            plan = std::make_unique<MinDropPlan>(problem, alpha, PlanStart::utility, per_byte, true,
                                                 std::numeric_limits<std::uint64_t>::max(), prices);
          });
          const double gap = lp_gap(bound, plan->total_utility());
          const double moved = median_seconds(3, [&] { plan->set_alpha(alpha * 1.1); });
          const std::uint64_t budget = problem.budget(0);
          problem.set_budget(0, budget + budget / 20);
          const double grown = median_seconds(1, [&] { plan->budgets_changed(); });
          problem.set_budget(0, budget);
          plan->budgets_changed();
          double factor = 3;
          const double changed = median_seconds(10, [&] {
            s.contexts[contexts / 2].frequency *= factor;
            factor = 1 / factor;
            problem.update(s, contexts / 2);
            plan->item_changed(contexts / 2);
          });
          std::printf(
              "alpha %-8.3g %-8s %-9s gap to the bound %.5f %%, plan %.1f ms = %.1f passes (prices %.0f ms), "
              "alpha moved %.1f ms, budget + 5 %% %.2f ms, one context %.3f ms\n",
              alpha, per_byte ? "per byte" : "absolute", priced ? "lp prices" : "", 100 * gap, made * 1e3, made / pass,
              pricing * 1e3, moved * 1e3, grown * 1e3, changed * 1e3);
          QVERIFY(gap > -1e-9);
          if (per_byte) QVERIFY2(gap < 0.01, qPrintable(QString::number(gap)));
          if (per_byte && priced) QVERIFY2(gap < 0.001, qPrintable(QString::number(gap)));
          QVERIFY(made / pass < 200);
          QVERIFY(changed < made / 5);
        }
    }
  }
  void planningGrowsAboutLinearly() {
    const auto policy = *make_policy("evicpress");
    const Snapshot small = large_world(1'000), large = large_world(10'000);
    const double few = median_seconds(9, [&] { sink = policy->plan(small).total_utility; });
    const double many = median_seconds(5, [&] { sink = policy->plan(large).total_utility; });
    std::printf("ten times the contexts take %.1f times as long\n", many / few);
    QVERIFY(many / few < 60);
  }
  void aStepWithTenThousandMovesIsPutInOrder() {
    PolicyState state{large_world(10'000)};
    const auto policy = *make_policy("evicpress");
    const double pass = summing_pass(state.snapshot);
    std::size_t actions = 0;
    const double first = median_seconds(1, [&] {
      const auto made = policy->step(state, {PolicyEvent::Kind::settings_changed, {}}).actions;
      for (const PlacementAction& action : made) apply(state.snapshot, action);
      actions = made.size();
    });
    state.snapshot.alpha *= 10;
    std::size_t moved = 0;
    const double second = median_seconds(1, [&] {
      moved = policy->step(state, {PolicyEvent::Kind::settings_changed, {}}).actions.size();
    });
    std::printf("filling: %zu actions in %.1f passes; ten times alpha: %zu actions in %.1f passes\n", actions,
                first / pass, moved, second / pass);
    QVERIFY(actions > 1000);
    QVERIFY(second / pass < 1000);
  }
};

KV_TEST_GUILESS_MAIN(PlanBench)

}  // namespace plan_bench_test

#include "plan_bench_test.moc"
