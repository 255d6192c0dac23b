// links: kv_reports
// Planted results: what a verdict says follows from where the interval lies against the paper's span. Times are
// compared only while the machine is at rest: a calibration that was timed beside busy loops says so.
#include <atomic>
#include <thread>

#include "core/base/executor.h"
#include "core/experiments/calibration.h"
#include "core/experiments/verdict.h"
#include "tests/support/test_program.h"

namespace verdict_test {

using namespace kvantage;

class VerdictTest : public QObject {
  Q_OBJECT

  static MeasuredSpan measured(double low, double high, double half_width) {
    return {low, high, Interval{low - half_width, low + half_width}, Interval{high - half_width, high + half_width}};
  }

  /// On all of the machine's threads, as the model's products.
  static void compute_everywhere() {
    std::vector<std::thread> threads;
    const unsigned count = std::max(1U, std::thread::hardware_concurrency());
    for (unsigned t = 0; t < count; ++t)
      threads.emplace_back([] {
        volatile double sum = 0;
        for (int i = 0; i < 2'000'000; ++i) sum = sum + 1.0 / (i + 1);
      });
    for (std::thread& thread : threads) thread.join();
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

  void aCalibrationIsTheFastestOfItsTries() {
    // Each look at this clock is `step` later than the one before.
    struct Steps final : Clock {
      mutable double now = 0, step = 1;
      std::int64_t monotonic_ns() const override {
        now += step;
        return static_cast<std::int64_t>(now * 1e9);
      }
      std::int64_t utc_ns() const override { return 0; }
    } clock;
    int loads = 0;
    Calibration calibration(clock, [&] { clock.step = ++loads % Calibration::tries == 0 ? 1 : 5; });
    calibration.time();
    QCOMPARE(loads, 12);
    QCOMPARE(calibration.n(), std::size_t{1});
    QCOMPARE(calibration.moved(), 0.0);  // one alone says nothing
    Json settings;
    calibration.add_to(settings);
    QCOMPARE(settings.at("calibration, n").get<int>(), 1);
    QCOMPARE(settings.at("calibration ms").get<double>(), 1000.0);
  }

  // Two busy loops a processor in half of the blocks.
  void aDisturbedMachineIsSeen() {
    Calibration calibration(system_executor().clock(), compute_everywhere);
    for (int block = 0; block < 6; ++block) {
      const auto busy = block % 2 == 0 ? std::make_unique<BusyMachine>() : nullptr;
      calibration.time();
    }
    QVERIFY2(calibration.disturbed(), std::to_string(calibration.moved()).c_str());
  }
};

KV_TEST_GUILESS_MAIN(VerdictTest)

}  // namespace verdict_test

#include "verdict_test.moc"
