// links: kv_experiments
// What more threads would take, from what a few took: against machines whose times follow from a formula.
#include "core/model/cores/scaling_model.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/random.h"
#include "tests/support/test_program.h"

namespace scaling_model_test {

using namespace kvantage;

bool near(double left, double right, double share = 1e-9) {
  return std::abs(left - right) <= share * std::max(std::abs(left), std::abs(right));
}

class ScalingModelTest : public QObject {
  Q_OBJECT

 private slots:
  void arithmeticDividesEvenly() {
    const ScalingModel scaling({}, 8.0, 0);
    QCOMPARE(scaling.seconds(1), 8.0);
    QCOMPARE(scaling.seconds(4), 2.0);
    QCOMPARE(scaling.speedup(8), 8.0);
    QVERIFY(scaling.bound(8) == ScalingModel::Bound::arithmetic);
  }

  void memoryHasACeiling() {
    // 10 GB/s for each of the first four threads, none for more.
    const ScalingModel scaling(
        {.bytes = 40e9, .barriers = 0, .thread_bytes_per_second = 10e9, .max_bytes_per_second = 40e9, .barrier = {}},
        4.0, 0);
    QVERIFY(near(scaling.seconds(2), 2.0) && near(scaling.seconds(4), 1.0));
    QVERIFY(near(scaling.seconds(64), 1.0));
    QVERIFY(scaling.bound(64) == ScalingModel::Bound::memory);
  }

  void barriersGrowWithTheLogarithm() {
    const std::vector<ThreadTime> measured{{1, 99}, {2, 3e-6}, {4, 5e-6}, {8, 7e-6}};
    const BarrierCost cost = BarrierCost::fit(measured);
    QVERIFY(near(cost.base_seconds, 1e-6) && near(cost.seconds_per_doubling, 2e-6));
    QVERIFY(near(cost.seconds(64), 13e-6));
    QCOMPARE(cost.seconds(1), 0.0);
    QVERIFY(near(BarrierCost::fit(std::vector<ThreadTime>{{2, 3e-6}}).seconds(16), 3e-6));
    QCOMPARE(BarrierCost::fit({}).seconds(16), 0.0);
    // Neither part is negative.
    const BarrierCost falling = BarrierCost::fit(std::vector<ThreadTime>{{2, 5e-6}, {8, 1e-6}});
    QVERIFY(falling.base_seconds >= 0 && falling.seconds_per_doubling >= 0);
    const BarrierCost steep = BarrierCost::fit(std::vector<ThreadTime>{{2, 0}, {8, 9e-6}});
    QVERIFY(steep.base_seconds >= 0 && steep.seconds(8) > 0);
  }

  void enoughThreadsAreBoundByTheirBarriers() {
    const ScalingModel scaling({.bytes = 0,
                                .barriers = 1000,
                                .thread_bytes_per_second = 0,
                                .max_bytes_per_second = 0,
                                .barrier = {1e-6, 1e-6}},
                               0.01, 0);
    QVERIFY(scaling.bound(2) == ScalingModel::Bound::arithmetic);
    QVERIFY(scaling.bound(64) == ScalingModel::Bound::barriers);
    QVERIFY(scaling.seconds(64) > scaling.seconds(4));
  }

  /// Times of random machines by Amdahl's formula, with noise: the serial part is found, and what was not measured is
  /// predicted from the first ones.
  void whatFollowsFromAFewThreadsIsWhatMoreTake() {
    Random random(5);
    for (int round = 0; round < 50; ++round) {
      const double alone = 0.001 + random.uniform(), serial = alone * 0.3 * random.uniform();
      const PassCost cost{.bytes = 0,
                          .barriers = static_cast<int>(random.below(200)),
                          .thread_bytes_per_second = 0,
                          .max_bytes_per_second = 0,
                          .barrier = {1e-6 * random.uniform(), 1e-6 * random.uniform()}};
      const auto really = [&](int threads) {
        return serial + (alone - serial) / threads +
               (threads > 1 ? cost.barriers *
                                  (cost.barrier.base_seconds + cost.barrier.seconds_per_doubling * std::log2(threads))
                            : 0);
      };
      const ScalingModel scaling =
          ScalingModel::fit(cost, std::vector<ThreadTime>{{1, alone}, {2, really(2)}, {4, really(4)}});
      QVERIFY2(std::abs(scaling.serial_seconds() - serial) <= 0.001 * alone, qPrintable(QString::number(serial)));
      for (const int threads : {1, 8, 16, 64}) QVERIFY(near(scaling.seconds(threads), really(threads), 0.07));
    }
  }

  void withOneMeasurementNothingIsSerial() {
    const ScalingModel scaling = ScalingModel::fit({}, std::vector<ThreadTime>{{1, 2.0}});
    QCOMPARE(scaling.serial_seconds(), 0.0);
    QCOMPARE(scaling.seconds(4), 0.5);
    QCOMPARE(ScalingModel::fit({}, {}).seconds(4), 0.0);
  }

  void aTimeAsLongAsThatOfOneThreadIsSerial() {
    const ScalingModel scaling = ScalingModel::fit({}, std::vector<ThreadTime>{{1, 2.0}, {4, 2.0}});
    QVERIFY(near(scaling.serial_seconds(), 2.0));
    QVERIFY(scaling.bound(16) == ScalingModel::Bound::serial);
    QCOMPARE(std::string(to_string(scaling.bound(16))), std::string("serial part"));
  }
};

KV_TEST_GUILESS_MAIN(ScalingModelTest)

}  // namespace scaling_model_test

#include "scaling_model_test.moc"
