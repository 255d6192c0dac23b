// links: kv_base
// Plans by the lower end of what is known: a form that few answers speak for yields to one that many do.
#include <QtTest>

#include "core/policy/policy.h"
#include "core/policy/utility.h"
#include "core/ports/recorded_snapshot.h"
#include "tests/support/test_program.h"

namespace quality_bound_test {

using namespace kvantage;

namespace {

/// One context and one tier. "few" is better on average, "many" for certain; both have the same bytes.
Snapshot two_forms(QualityBound bound) {
  Snapshot snapshot;
  snapshot.alpha = 1;
  snapshot.prefill = {10, 0, 0};
  snapshot.tiers = {{.name = "dram", .budget_bytes = 60'000, .model = {0, 1e9, 0, 0}}};
  snapshot.candidates.quality_bound = bound;
  auto profile = std::make_shared<ContextProfile>();
  profile->points = {{"none", 0, 0.9, 0.88, 0.92, 50, 100'000, 1000},
                     {"few", 0.5, 0.9, 0.3, 1, 2, 50'000, 500},
                     {"many", 0.5, 0.85, 0.84, 0.86, 50, 50'000, 500}};
  ContextState context;
  context.tokens = 1000;
  context.full_bytes = 100'000;
  context.frequency = 1;
  context.archived = true;
  context.profile = profile;
  snapshot.contexts.push_back(context);
  return snapshot;
}

}  // namespace

class QualityBoundTest : public QObject {
  Q_OBJECT

 private slots:
  void plansTakeTheLowerEnd_data() {
    QTest::addColumn<QString>("policy");
    for (const char* policy : {"evicpress", "evicpress(quality=raw)", "evicpress(drop=best)", "optimal",
                               "formula((alpha*quality-ttft)*frequency)"})
      QTest::newRow(policy) << policy;
  }
  void plansTakeTheLowerEnd() {
    QFETCH(QString, policy);
    const auto made = make_policy(policy.toStdString());
    if (!made) QSKIP("this build has no formulas");
    const auto planned = [&](QualityBound bound) { return (*made)->plan(two_forms(bound)).contexts.front(); };
    const PlannedContext mean = planned(QualityBound::mean), lower = planned(QualityBound::lower);
    QCOMPARE(mean.configuration.method, std::string("few"));
    QCOMPARE(mean.quality, 0.9);
    QCOMPARE(lower.configuration.method, std::string("many"));
    QCOMPARE(lower.quality, 0.84);
  }

  void theExpectedQualitysOwnBoundGoesFirst() {
    ProfilePoint point{"knorm", 0.5, 0.9, 0.8, 1, 12, 1, 1};
    QCOMPARE(point.estimate(QualityReading::lower), 0.8);
    point.expected_quality = 0.7;  // no bound is above the estimate
    QCOMPARE(point.estimate(QualityReading::lower), 0.7);
    point.expected_low = 0.6;
    QCOMPARE(point.estimate(QualityReading::lower), 0.6);
    QCOMPARE(point.estimate(QualityReading::pooled), 0.7);
    QCOMPARE(point.estimate(QualityReading::raw), 0.9);
    QVERIFY(!point.pooled());
    point.n = 0;
    QVERIFY(point.pooled());
    point.expected_low.reset();  // measured, but nothing could be scored
    QVERIFY(!point.pooled());
  }

  // What is not stored is answered uncompressed, by the lower end of that.
  void predictionsTakeItToo() {
    const Snapshot mean = two_forms(QualityBound::mean), lower = two_forms(QualityBound::lower);
    QCOMPARE(predict(mean, mean.contexts[0], {}, 1).quality, 0.9);
    QCOMPARE(predict(lower, lower.contexts[0], {}, 1).quality, 0.88);
    QCOMPARE(mean_uncompressed_quality(lower), 0.88);
  }

  void recordsHaveIt() {
    for (const QualityBound bound : {QualityBound::mean, QualityBound::lower}) {
      const events::SnapshotTaken taken = recorded_snapshot(two_forms(bound), "start");
      QCOMPARE(taken.quality_bound.has_value(), bound == QualityBound::lower);  // other journals stay as they were
      QVERIFY(snapshot_of(taken).candidates.quality_bound == bound);
    }
  }
};

KV_TEST_APPLESS_MAIN(QualityBoundTest)

}  // namespace quality_bound_test

#include "quality_bound_test.moc"
