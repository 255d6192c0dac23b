// links: kv_ui_models
// Where a fixed configuration beats the predicted curve, the window says so.
#include <QtTest>

#include "tests/support/test_program.h"
#include "ui/live/frontier/model/frontier_comparison.h"

namespace frontier_comparison_test {

using namespace kvantage;

class FrontierComparisonTest : public QObject {
  Q_OBJECT
  const FrontierCurve curve_{"evicpress", {{0.1, {0.5, 0.010}}, {1, {0.9, 0.020}}, {10, {0.96, 0.040}}}, 1};

  static SimulatedPoint point(const char* policy, double quality, double seconds, bool what_if = false) {
    return {policy, {quality, seconds}, 300, what_if};
  }

 private slots:
  void timeAtAQualityLiesBetweenTheSamples() {
    QCOMPARE(*seconds_at_quality(curve_, 0.5), 0.010);
    QCOMPARE(*seconds_at_quality(curve_, 0.7), 0.015);
    QCOMPARE(*seconds_at_quality(curve_, 0.2), 0.010);
    QVERIFY(!seconds_at_quality(curve_, 0.97));
    QVERIFY(!seconds_at_quality({}, 0.1));
  }

  // A curve of predictions may turn back; the best of its points counts.
  void theFastestPointCounts() {
    const FrontierCurve back{"evicpress", {{0.1, {0.9, 0.030}}, {1, {0.9, 0.020}}, {10, {0.95, 0.040}}}, 1};
    QCOMPARE(*seconds_at_quality(back, 0.9), 0.020);
  }

  void aSlowerFormIsNotNamed() {
    QVERIFY(faster_forms(curve_, {point("fixed(kivi4,0)", 0.9, 0.025), point("fixed(knorm,0.5)", 0.2, 0.015)}).empty());
  }

  void aFasterFormIsNamedWithBothTimes() {
    const auto faster = faster_forms(curve_, {point("fixed(kivi4,0)", 0.9, 0.012)});
    QCOMPARE(faster.size(), std::size_t{1});
    QCOMPARE(faster[0].policy, QString("fixed(kivi4,0)"));
    QVERIFY(faster[0].curve_seconds && *faster[0].curve_seconds > 0.019 && *faster[0].curve_seconds <= 0.020);
  }

  void aQualityThatTheCurveNeverHasIsNamed() {
    const auto faster = faster_forms(curve_, {point("fixed(kivi4,0)", 0.99, 0.5)});
    QCOMPARE(faster.size(), std::size_t{1});
    QVERIFY(!faster[0].curve_seconds);
  }

  // Other policies are no fixed configurations, a replay on the run's requests is no steady state, and one percent is
  // noise.
  void othersAreNotCompared() {
    QVERIFY(faster_forms(curve_, {point("lru", 0.9, 0.001), point("fixed(kivi4,0)", 0.9, 0.001, true)}).empty());
    QVERIFY(faster_forms(curve_, {point("fixed(kivi4,0)", 0.9, 0.0199)}).empty());
    QVERIFY(faster_forms({}, {point("fixed(kivi4,0)", 0.9, 0.001)}).empty());
  }
};

KV_TEST_GUILESS_MAIN(FrontierComparisonTest)

}  // namespace frontier_comparison_test

#include "frontier_comparison_test.moc"
