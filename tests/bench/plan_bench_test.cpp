// links: kv_base
// Time to plan for 10,000 contexts x 40 configurations, as a ratio to one pass that sums quality and bytes over the same
// data. Ratios mean the same on every machine; the limits asserted are generous, they catch a wrong order of growth.
#include <QtTest>
#include <cstdio>
#include <ctime>

#include "core/policy/actions.h"
#include "core/policy/frontier.h"
#include "tests/policy/random_snapshots.h"

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
                qPrintable(text), pass * 1e3, plan * 1e3, plan / pass, static_cast<unsigned long long>(steps), curve * 1e3,
                curve / pass);
    QVERIFY2(plan / pass < limit, qPrintable(QString::number(plan / pass)));
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
      const auto made = policy->step(state, {PolicyEvent::Kind::settings_changed, {}});
      for (const PlacementAction& action : made) apply(state.snapshot, action);
      actions = made.size();
    });
    state.snapshot.alpha *= 10;
    std::size_t moved = 0;
    const double second = median_seconds(1, [&] {
      moved = policy->step(state, {PolicyEvent::Kind::settings_changed, {}}).size();
    });
    std::printf("filling: %zu actions in %.1f passes; ten times alpha: %zu actions in %.1f passes\n", actions, first / pass,
                moved, second / pass);
    QVERIFY(actions > 1000);
    QVERIFY(second / pass < 1000);
  }
};

QTEST_GUILESS_MAIN(PlanBench)
#include "plan_bench_test.moc"
