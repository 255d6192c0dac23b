// links: kv_ui_models
// The bold line of the Frontier: what no other plan of the curve beats, against the definition of dominance.
#include <QtTest>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/base/random.h"
#include "tests/support/test_program.h"
#include "ui/live/frontier/model/pareto_envelope.h"

namespace pareto_envelope_test {

using namespace kvantage;

namespace {

bool dominates(const FrontierMean& a, const FrontierMean& b) {
  return a.ttft_seconds <= b.ttft_seconds && a.quality >= b.quality &&
         (a.ttft_seconds < b.ttft_seconds || a.quality > b.quality);
}

}  // namespace

class ParetoEnvelopeTest : public QObject {
  Q_OBJECT

 private slots:
  void aZigzagIsLeftOut() {
    const std::vector<FrontierSample> curve{
        {0.1, {0.5, 0.010}}, {0.2, {0.6, 0.020}}, {0.4, {0.58, 0.015}}, {0.8, {0.55, 0.030}}, {1.6, {0.9, 0.040}}};
    const auto envelope = pareto_envelope(curve);
    QCOMPARE(envelope.size(), std::size_t{4});
    QCOMPARE(envelope[0].alpha, 0.1);
    QCOMPARE(envelope[1].alpha, 0.4);  // by TTFT, not by alpha
    QCOMPARE(envelope[2].alpha, 0.2);
    QCOMPARE(envelope[3].alpha, 1.6);
  }

  void ofEqualMeansTheLeastAlphaStays() {
    const auto envelope = pareto_envelope({{4, {0.5, 0.01}}, {1, {0.5, 0.01}}, {2, {0.5, 0.02}}, {3, {0.4, 0.01}}});
    QCOMPARE(envelope.size(), std::size_t{1});
    QCOMPARE(envelope[0].alpha, 1.0);
  }

  void whatHasNoPlaceOnTheChartIsLeftOut() {
    const double endless = std::numeric_limits<double>::infinity(), none = std::numeric_limits<double>::quiet_NaN();
    QVERIFY(pareto_envelope({}).empty());
    QVERIFY(pareto_envelope({{1, {0.9, 0}}, {1, {0.9, -1}}, {1, {0.9, endless}}, {1, {none, 0.1}}}).empty());
    QCOMPARE(pareto_envelope({{1, {0.9, 0}}, {2, {0.1, 0.1}}}).size(), std::size_t{1});
  }

  void itNeverRunsBackwardsAndNothingBeatsIt() {
    Random random(11);
    int dropped = 0;
    for (int round = 0; round < 300; ++round) {
      std::vector<FrontierSample> curve;
      const auto count = 1 + random.below(40);
      for (std::uint64_t i = 0; i < count; ++i)  // few values, so that many are equal
        curve.push_back(
            {std::pow(10.0, random.uniform()),
             {static_cast<double>(random.below(12)) / 12, static_cast<double>(1 + random.below(12)) / 100}});
      const auto envelope = pareto_envelope(curve);
      QVERIFY(!envelope.empty());
      for (std::size_t i = 1; i < envelope.size(); ++i) {
        QVERIFY(envelope[i].mean.ttft_seconds > envelope[i - 1].mean.ttft_seconds);
        QVERIFY(envelope[i].mean.quality > envelope[i - 1].mean.quality);
      }
      for (const FrontierSample& kept : envelope) {
        for (const FrontierSample& sample : curve) QVERIFY(!dominates(sample.mean, kept.mean));
        // It is one of the curve's samples.
        QVERIFY(std::ranges::any_of(curve, [&](const FrontierSample& sample) {
          return sample.alpha == kept.alpha && sample.mean.quality == kept.mean.quality &&
                 sample.mean.ttft_seconds == kept.mean.ttft_seconds;
        }));
      }
      for (const FrontierSample& sample : curve) {
        const bool on = std::ranges::any_of(envelope, [&](const FrontierSample& kept) {
          return kept.mean.quality == sample.mean.quality && kept.mean.ttft_seconds == sample.mean.ttft_seconds;
        });
        const bool below = std::ranges::any_of(
            envelope, [&](const FrontierSample& kept) { return dominates(kept.mean, sample.mean); });
        QVERIFY(on != below);
        dropped += below;
      }
    }
    QVERIFY2(dropped > 1000, qPrintable(QString::number(dropped)));
  }
};

KV_TEST_GUILESS_MAIN(ParetoEnvelopeTest)

}  // namespace pareto_envelope_test

#include "pareto_envelope_test.moc"
