// links: kv_experiments
// Fits of tier costs: what live samples may and may not do to them.
#include <QtTest>

#include <algorithm>

#include "core/base/random.h"
#include "core/fits/fits.h"
#include "tests/support/test_program.h"

namespace fits_test {

using namespace kvantage;

namespace {

/// Adds loads of `bytes` from a device of `rate` and `latency`, each up to `noise` longer.
void add_loads(TierFit& fit, int count, double bytes, double spread, double rate, double latency, double noise,
               Random& random, bool anchor = false) {
  for (int i = 0; i < count; ++i) {
    const double size = bytes * (1 + spread * random.uniform());
    fit.add(size, 100, (latency + size / rate) * (1 + noise * random.uniform()), 100 * 1e-6, anchor);
  }
}

}  // namespace

class FitsTest : public QObject {
  Q_OBJECT
 private slots:
  void exactLoadsGiveTheDeviceBack() {
    Random random(1);
    TierFit fit;
    add_loads(fit, 40, 1e6, 9, 2e8, 0.003, 0, random);
    QVERIFY(std::abs(fit.model().bytes_per_second / 2e8 - 1) < 1e-6);
    QVERIFY(std::abs(fit.model().latency_seconds - 0.003) < 1e-9);
    QVERIFY(std::abs(fit.model().decode_seconds_per_token - 1e-6) < 1e-12);
    QVERIFY(fit.model().residual_seconds < 1e-9);
  }

  void noFitBeatsTheShape() {
    Random random(2);
    for (int round = 0; round < 200; ++round) {
      TierFit fit(TierFit::Limits{5e8, 0.001});
      add_loads(fit, 1 + static_cast<int>(random.below(30)), 1e6, random.uniform(), 5e8, 0.001, 2.0, random);
      QVERIFY(fit.model().bytes_per_second <= 5e8);
      QVERIFY(fit.model().latency_seconds >= 0.001);
    }
  }

  // Entries of one workload are often of nearly one size: noise between them says nothing about the rate.
  void loadsOfOneSizeKeepTheSlopeOfTheTiming() {
    Random random(3);
    TierFit fit;
    add_loads(fit, 2, 1e6, 0, 2e8, 0.001, 0, random, true);
    add_loads(fit, 2, 4e6, 0, 2e8, 0.001, 0, random, true);
    add_loads(fit, 2, 8e6, 0, 2e8, 0.001, 0, random, true);
    add_loads(fit, 500, 4e6, 0.02, 2e8, 0.001, 0.2, random);
    const double wanted = 0.001 + 4e6 / 2e8;
    QVERIFY2(std::abs(fit.model().seconds(4e6, 0) / wanted - 1) < 0.25,
             qPrintable(QString::number(fit.model().seconds(4e6, 0))));
    QVERIFY2(std::abs(fit.model().bytes_per_second / 2e8 - 1) < 0.5,
             qPrintable(QString::number(fit.model().bytes_per_second)));
  }

  void oneDisturbedLoadMovesNothing() {
    Random random(4);
    TierFit fit;
    add_loads(fit, 30, 1e6, 9, 2e8, 0.003, 0, random);
    const TierModel before = fit.model();
    fit.add(5e6, 100, 4.0, 1e-4);
    QVERIFY(std::abs(fit.model().seconds(5e6, 0) / before.seconds(5e6, 0) - 1) < 0.05);
  }

  void timesThatFallWithSizeGiveNoNegativeRate() {
    TierFit fit;
    for (int i = 1; i <= 20; ++i) fit.add(1e6 * i, 100, 0.1 / i, 0);
    QVERIFY(fit.model().bytes_per_second > 0);
    QVERIFY(fit.model().latency_seconds >= 0);
    QVERIFY(std::isfinite(fit.model().seconds(1e6, 100)));
  }

  void aThrottledTierWithoutSamplesIsPredictedByItsLimits() {
    const TierFit fit(TierFit::Limits{1e6, 0.01});
    QCOMPARE(fit.model().seconds(2e6, 0), 2.01);
    QCOMPARE(fit.samples(), 0);
  }

  // Unpacking takes some time however little was kept: short entries do not make the tokens of long ones dearer.
  void shortEntriesLeaveLongOnesAsTheyAre() {
    const auto unpack = [](double tokens) { return 60e-6 + 1e-7 * tokens; };
    TierFit fit;
    for (const double tokens : {300.0, 600.0, 1200.0})
      for (int i = 0; i < 2; ++i) fit.add(3e3 * tokens, tokens, 1e-4 + 3e3 * tokens / 2e9, unpack(tokens), true);
    const double before = fit.model().seconds(3e6, 1000);
    QVERIFY(std::abs(before / (1e-4 + 3e6 / 2e9 + unpack(1000)) - 1) < 1e-9);
    Random random(6);
    for (int i = 0; i < 200; ++i) {
      const double tokens = 40 + 60 * random.uniform();
      fit.add(3e3 * tokens, tokens, 1e-4 + 3e3 * tokens / 2e9, unpack(tokens));
    }
    QVERIFY(std::abs(fit.model().seconds(3e6, 1000) / before - 1) < 1e-9);
    QVERIFY(std::abs(fit.model().decode_seconds_per_token - 1e-7) < 1e-15);
    // The device's own time is without it.
    const TierFitReport report = fit.report();
    for (const FittedLoad& load : report.loads) QVERIFY(std::abs(load.fitted_seconds / load.seconds - 1) < 1e-9);
  }

  // What a view shows of a fit: the loads it rests on, each with what the fit says of it, newest 64 of them.
  void residualsAreThoseOfTheLoadsThatAreKept() {
    Random random(5);
    TierFit fit;
    add_loads(fit, 6, 1e6, 9, 2e8, 0.003, 0, random, true);
    add_loads(fit, 200, 1e6, 9, 2e8, 0.003, 0.5, random);
    const TierFitReport report = fit.report();
    QCOMPARE(report.samples, std::size_t{206});
    QCOMPARE(report.loads.size(), std::size_t{70});
    std::vector<double> errors;
    for (std::size_t i = 0; i < report.loads.size(); ++i) {
      const FittedLoad& load = report.loads[i];
      QCOMPARE(load.timing, i < 6);
      QCOMPARE(load.fitted_seconds, report.model.latency_seconds + load.bytes / report.model.bytes_per_second);
      if (!load.timing) errors.push_back(std::abs(load.seconds - load.fitted_seconds) / load.seconds);
    }
    std::ranges::sort(errors);
    QCOMPARE(report.fitted.loads, std::size_t{64});
    QCOMPARE(report.fitted.median_fraction, (errors[31] + errors[32]) / 2);
    QVERIFY(report.fitted.p95_fraction >= errors[59] && report.fitted.p95_fraction <= errors[60]);
    QVERIFY(report.fitted.median_fraction > 0.01);
  }

  // Predicted before it was seen: the first load of a tier nobody knew has no prediction, later ones have the fit's.
  void predictionsAreOfTheFitBeforeTheLoad() {
    TierFit fit;
    fit.add(1e6, 100, 0.01, 0);
    fit.add(2e6, 100, 0.02, 0);
    const double before = fit.model().seconds(4e6, 0);
    fit.add(4e6, 100, 0.1, 0);
    const TierFitReport report = fit.report();
    QCOMPARE(report.loads[0].predicted_seconds, 0.0);
    QCOMPARE(report.loads[2].predicted_seconds, before);
    QVERIFY(report.loads[2].predicted_seconds != report.loads[2].fitted_seconds);
    QCOMPARE(report.predicted.loads, std::size_t{2});
    QCOMPARE(report.fitted.loads, std::size_t{3});
  }

  void prefillFollowsTokensAndTheirSquare() {
    std::vector<double> tokens, seconds;
    for (const double t : {128.0, 256.0, 512.0, 1024.0, 2048.0}) {
      tokens.push_back(t);
      seconds.push_back(4e-5 * t + 1e-8 * t * t);
    }
    const PrefillModel model = fit_prefill(tokens, seconds);
    QVERIFY(std::abs(model.seconds(4096) / (4e-5 * 4096 + 1e-8 * 4096 * 4096) - 1) < 1e-6);
  }
};

KV_TEST_GUILESS_MAIN(FitsTest)

}  // namespace fits_test

#include "fits_test.moc"
