// links: kv_ui_models
// The knee of a predicted curve, compared with brute force over the distance from the chord.
#include <QtTest>

#include <cmath>

#include "core/base/random.h"
#include "tests/support/test_program.h"
#include "ui/live/frontier/model/curve_knee.h"

namespace curve_knee_test {

using namespace kvantage;

class CurveKneeTest : public QObject {
  Q_OBJECT

 private slots:
  void itIsWhereTheCurveBends() {
    // Quality rises fast up to alpha 1, and costs much more time from there.
    const FrontierCurve bent{
        "evicpress", {{0.01, {0.2, 0.010}}, {0.1, {0.6, 0.012}}, {1, {0.9, 0.015}}, {10, {0.95, 0.200}}}, 1};
    QCOMPARE(knee_alpha(bent), std::optional(1.0));
  }

  void aCurveWithoutABendHasNone() {
    QVERIFY(!knee_alpha({}));
    QVERIFY(!knee_alpha({"evicpress", {{0.1, {0.5, 0.010}}, {1, {0.9, 0.020}}}, 1}));
    QVERIFY(!knee_alpha({"evicpress", {{0.1, {0.9, 0.01}}, {1, {0.9, 0.02}}, {10, {0.9, 0.04}}}, 1}));
    QVERIFY(!knee_alpha({"evicpress", {{0.1, {0.5, 0.01}}, {1, {0.7, 0.01}}, {10, {0.9, 0.01}}}, 1}));
  }

  // Its fastest sample would be "above" a line that all others sag below, and has the worst quality.
  void aStraightOrSaggingCurveHasNone() {
    QVERIFY(!knee_alpha({"evicpress", {{0.1, {0.2, 0.01}}, {1, {0.5, 0.0316}}, {10, {0.8, 0.1}}}, 1}));
    QVERIFY(!knee_alpha({"evicpress", {{0.1, {0.2, 0.01}}, {1, {0.4, 0.05}}, {10, {1.0, 0.1}}}, 1}));
  }

  void noSampleIsFartherFromTheChord() {
    Random random(5);
    int bends = 0;
    for (int round = 0; round < 200; ++round) {
      FrontierCurve curve{"evicpress", {}, 1};
      double quality = 0.1, log_seconds = std::log(0.005);
      for (int i = 0; i < 24; ++i) {
        quality += 0.03 * random.uniform();
        log_seconds += 0.2 * random.uniform();
        curve.samples.push_back({std::pow(10.0, -2 + i / 6.0), {quality, std::exp(log_seconds)}});
      }
      const auto alpha = knee_alpha(curve);
      const FrontierMean first = curve.samples.front().mean, last = curve.samples.back().mean;
      const auto distance = [&](const FrontierMean& mean) {  // from the line through both ends, in units of the ranges
        const double x =
            std::log(mean.ttft_seconds / first.ttft_seconds) / std::log(last.ttft_seconds / first.ttft_seconds);
        return ((mean.quality - first.quality) / (last.quality - first.quality) - x) / std::sqrt(2.0);
      };
      double farthest = 0, of_knee = -1;
      for (const FrontierSample& sample : curve.samples) {
        farthest = std::max(farthest, distance(sample.mean));
        if (alpha && sample.alpha == *alpha) of_knee = distance(sample.mean);
      }
      QCOMPARE(alpha.has_value(), farthest >= 0.05 / std::sqrt(2.0));
      if (!alpha) continue;
      ++bends;
      QVERIFY2(std::abs(of_knee - farthest) < 1e-6, qPrintable(QString("%1 of %2").arg(of_knee).arg(farthest)));
    }
    QVERIFY2(bends > 100, qPrintable(QString::number(bends)));
  }
};

KV_TEST_GUILESS_MAIN(CurveKneeTest)

}  // namespace curve_knee_test

#include "curve_knee_test.moc"
