// links: kv_experiments
// Planted results: what a verdict says follows from where the interval lies against the paper's span. Times are
// compared only while the machine is at rest: beside busy loops a figure withholds its verdicts about time, and no
// others.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <thread>

#include "core/base/random.h"
#include "core/experiments/calibration.h"
#include "core/experiments/claims.h"
#include "core/experiments/verdict.h"
#include "tests/support/closed_host.h"
#include "tests/support/test_program.h"

namespace verdict_test {

using namespace kvantage;
using namespace kvantage::test;

class VerdictTest : public QObject {
  Q_OBJECT

  static MeasuredSpan measured(double low, double high, double half_width) {
    return {low, high, Interval{low - half_width, low + half_width}, Interval{high - half_width, high + half_width}};
  }

  /// Of the claims' table, for each claim of this test.
  static std::string verdict_of(const FigureResult& result, const std::string& claim) {
    for (const FigureTable& table : result.tables)
      for (const auto& row : table.rows)
        if (table.title == claims_title && row.front() == claim) return row.back().get<std::string>();
    return "none";
  }

  /// Two busy loops for each processor.
  class BusyMachine {
   public:
    BusyMachine() {
      const unsigned count = 2 * std::max(1U, std::thread::hardware_concurrency());
      for (unsigned t = 0; t < count; ++t)
        threads_.emplace_back([this] {
          volatile std::uint64_t turns = 0;
          while (!ended_) turns = turns + 1;
        });
    }
    ~BusyMachine() {
      ended_ = true;
      for (std::thread& thread : threads_) thread.join();
    }

   private:
    std::atomic<bool> ended_{false};
    std::vector<std::thread> threads_;
  };

 private slots:
  void intervalsAgainstASpan_data() {
    QTest::addColumn<double>("low");
    QTest::addColumn<double>("high");
    QTest::addColumn<double>("half_width");
    QTest::addColumn<QString>("text");
    QTest::newRow("inside") << 1.6 << 3.0 << 0.1 << "agrees";
    // 1.43 may be read as 1.29: a tenth of it.
    QTest::newRow("at the end, within a tenth") << 1.35 << 3.9 << 0.05 << "agrees";
    QTest::newRow("half outside") << 1.1 << 3.0 << 0.1 << "cannot tell at this n";
    QTest::newRow("wide") << 2.0 << 2.0 << 1.5 << "cannot tell at this n";
    QTest::newRow("wide, across the end") << 1.2 << 1.2 << 0.4 << "cannot tell at this n";
    QTest::newRow("below") << 0.9 << 1.1 << 0.05 << "contradicts: smaller";
    QTest::newRow("above") << 5.0 << 6.0 << 0.5 << "contradicts: larger";
    QTest::newRow("around") << 0.5 << 9.0 << 0.1 << "cannot tell at this n";
  }
  void intervalsAgainstASpan() {
    QFETCH(double, low);
    QFETCH(double, high);
    QFETCH(double, half_width);
    QFETCH(QString, text);
    QCOMPARE(QString::fromStdString(verdict_text(measured(low, high, half_width), {1.43, 3.77})), text);
  }

  void withoutAnIntervalThereIsNoVerdict() {
    QCOMPARE(verdict_on({2, 2}, {1.43, 3.77}), Verdict::cannot_tell);
    QCOMPARE(verdict_on({2, 3, Interval{2, 2}, {}}, {1.43, 3.77}), Verdict::cannot_tell);
    QCOMPARE(verdict_text({2, 3, Interval{2, 2}, {}}, {1.43, 3.77}), std::string("cannot tell: no interval"));
    QCOMPARE(verdict_on({2, 2}, {1, {}}), Verdict::cannot_tell);
  }

  void aSingleNumberIsASpanOfATenth() {
    QCOMPARE(verdict_text(measured(10.5, 10.5, 0.2), {11, 11}), std::string("agrees"));
    QCOMPARE(verdict_on(measured(-10.5, -10.5, 0.2), {-11, -11}), Verdict::agrees);
    QCOMPARE(verdict_on(measured(9, 9, 0.2), {11, 11}), Verdict::contradicts);
    QCOMPARE(verdict_on(measured(10, 10, 0.5), {11, 11}), Verdict::cannot_tell);
  }

  // A claim about order has one end, and no tolerance: .95 is not at least 1.
  void anOrderHasOneEnd() {
    const auto from_to = [](double low, double high) {
      return MeasuredSpan{low, high, Interval{low, high}, Interval{low, high}};
    };
    QCOMPARE(verdict_on(from_to(1.01, 1.4), {1, {}}), Verdict::agrees);
    QCOMPARE(verdict_on(from_to(0.95, 1.4), {1, {}}), Verdict::cannot_tell);
    QCOMPARE(verdict_on(from_to(0.6, 0.95), {1, {}}), Verdict::contradicts);
    QCOMPARE(verdict_on(from_to(0.6, 0.95), {{}, 1}), Verdict::agrees);
    QCOMPARE(verdict_text(from_to(1.05, 1.4), {{}, 1}), std::string("contradicts: larger"));
    QCOMPARE(verdict_text(from_to(1, 1), {}), std::string("cannot tell: the paper gives no number"));
  }

  // Intervals narrow with the square root of n; 80 % power makes them 1.43 times as wide, 2.04 times as many samples.
  void howManySamplesWouldTell() {
    const PaperSpan span{1, 2};  // 0.9 - 2.2
    const double power = (1.960 + 0.8416) / 1.960;
    const auto times = [&](const MeasuredSpan& one) { return times_the_samples(one, span).value_or(-1); };
    const auto is_near = [](double value, double wanted) { return std::abs(value - wanted) < 1e-9 * wanted; };
    // 0.7 to the upper end, 0.6 to the lower one: the nearer one decides, at a half-width of 1.2 twice as wide as that.
    QVERIFY(is_near(times(measured(1.5, 1.5, 1.2)), 4 * power * power));
    // Half of the half-width of 0.4 below 0.9.
    QVERIFY(is_near(times(measured(0.7, 0.7, 0.4)), 4 * power * power));
    QVERIFY(is_near(times(measured(2.4, 2.4, 0.8)), 16 * power * power));
    // Both ends must be on one side.
    QVERIFY(is_near(times(measured(1.2, 1.9, 0.6)), 4 * power * power));
    QVERIFY(std::isinf(times(measured(0.5, 1.5, 0.1))));
    QVERIFY(std::isinf(times(measured(0.9, 0.9, 0.1))));  // at the end itself
    QCOMPARE(times(measured(1.5, 1.5, 0.1)), 1.0);
    QCOMPARE(times(measured(5, 5, 0.1)), 1.0);
    QVERIFY(!times_the_samples({1.5, 1.5}, span) && !times_the_samples(measured(1.5, 1.5, 1.2), {}));
    MeasuredSpan rates = measured(1.5, 1.5, 1.2);
    rates.is_sampled = false;
    QVERIFY(!times_the_samples(rates, span) && need_text(rates, span).empty());
  }

  // Of draws from a normal distribution, so many samples give the verdict in 80 % of the cases.
  void soManySamplesTellMostOfTheTime() {
    const PaperSpan span{1, {}};
    const double mean = 1.1, deviation = 1;
    constexpr std::size_t n = 25;
    const double half = 1.96 * deviation / std::sqrt(static_cast<double>(n));
    const double needed = *times_the_samples(measured(mean, mean, half), span) * static_cast<double>(n);
    Random random(7);
    constexpr int studies = 20'000;
    int told = 0;
    for (int i = 0; i < studies; ++i) {
      const double error = deviation / std::sqrt(needed), drawn = mean + error * random.normal();
      told += verdict_on(measured(drawn, drawn, 1.96 * error), span) == Verdict::agrees ? 1 : 0;
    }
    QVERIFY2(std::abs(told / static_cast<double>(studies) - 0.8) < 0.01, std::to_string(told).c_str());
  }

  void theNeedIsSaidBesideTheVerdict() {
    const PaperSpan span{1, 2};
    MeasuredSpan open = measured(1.5, 1.5, 1.2);
    QCOMPARE(need_text(open, span), std::string("about 8.2 times as many samples needed"));
    open.n = 30;
    QCOMPARE(need_text(open, span), std::string("n 30, about 250 needed"));  // 245.2
    MeasuredSpan across = measured(0.5, 1.5, 0.1);
    QCOMPARE(need_text(across, span), std::string("more samples would not tell"));
    across.n = 9;
    QCOMPARE(need_text(across, span), std::string("n 9, more would not tell"));
    QVERIFY(need_text(measured(1.5, 1.5, 0.1), span).empty() && need_text({1.5, 1.5}, span).empty());
  }

  // A single try may run between the turns of what else uses the machine.
  void aCalibrationIsTheMeanOfItsTries() {
    struct Steps final : Clock {
      double now = 0;
      std::int64_t monotonic_ns() const override { return static_cast<std::int64_t>(now * 1e9); }
      std::int64_t utc_ns() const override { return 0; }
    } clock;
    int loads = 0;
    Calibration calibration(clock, [&] { clock.now += ++loads; });
    calibration.time();
    QCOMPARE(loads, 12);
    QCOMPARE(calibration.n(), std::size_t{1});
    QCOMPARE(calibration.moved(), 0.0);  // one alone says nothing
    Json settings;
    calibration.add_to(settings);
    QCOMPARE(settings.at("calibration, n").get<int>(), 1);
    QCOMPARE(settings.at("calibration ms").get<double>(), 6500.0);
  }

  // Two busy loops a processor in half of the blocks.
  void aDisturbedMachineWithholdsWhatIsAboutTime() {
    ClosedHost host;  // its calibration is that of every figure: the fixed load on the machine's clock
    const std::vector<PaperClaim> claims{
        {.id = "kvpr/faster", .span = {1.43, 3.77}, .unit = "ratio", .figure = "kvpr/fig7"},
        {.id = "kvpr/better", .span = {1.43, 3.77}, .unit = "ratio", .figure = "kvpr/fig7"}};
    host.set_claims(claims);
    for (int block = 0; block < 6; ++block) {
      const auto busy = block % 2 == 0 ? std::make_unique<BusyMachine>() : nullptr;
      host.calibration().time();
    }
    QVERIFY2(host.calibration().disturbed(), std::to_string(host.calibration().moved()).c_str());

    FigureResult result;
    result.figure = "kvpr/fig7";
    result.settings = Json::object();
    result.findings = {"quality is higher"};
    result.time_findings = {"it is twice as fast"};
    result.measured = {{"kvpr/faster", measured(2, 2, 0.1), true}, {"kvpr/better", measured(2, 2, 0.1)}};
    const FigureResult shown = host.noted(result);
    QCOMPARE(verdict_of(shown, "kvpr/faster"), std::string("withheld: the machine was disturbed"));
    QCOMPARE(verdict_of(shown, "kvpr/better"), std::string("agrees"));
    const auto says = [&](const std::string& text) {
      return std::ranges::any_of(shown.findings,
                                 [&](const std::string& finding) { return finding.find(text) != std::string::npos; });
    };
    QVERIFY(!says("twice as fast") && says("nothing is said about time") && says("quality is higher"));
    QCOMPARE(shown.settings.at("calibration, n").get<std::size_t>(), std::size_t{6});

    // Of the machine alone: at rest both numbers agree.
    settle_claims(result, claims, false);
    QCOMPARE(verdict_of(result, "kvpr/faster"), std::string("agrees"));
    QCOMPARE(verdict_of(result, "kvpr/better"), std::string("agrees"));
  }
};

KV_TEST_GUILESS_MAIN(VerdictTest)

}  // namespace verdict_test

#include "verdict_test.moc"
