// links: core_quality
// When a context counts as drifted, on sequences whose means are worked out by hand.
#include <QtTest>

#include "core/quality/drift_watch.h"
#include "tests/support/test_program.h"

namespace drift_watch_test {

using namespace kvantage;

class DriftWatchTest : public QObject {
  Q_OBJECT

 private slots:
  void fewAnswersSayNothing() {
    DriftWatch watch({.threshold = 0.3, .half_life_answers = 4, .min_answers = 5, .max_questions = 8});
    watch.reset(1);
    for (std::size_t i = 0; i < 4; ++i) QVERIFY(!watch.note(0, i, 0, 1));
    const auto finding = watch.note(0, 4, 0, 1);
    QVERIFY(finding.has_value());
    QCOMPARE(finding->achieved_quality, 0.0);
    QCOMPARE(finding->profiled_quality, 1.0);
    QCOMPARE(finding->answers, std::uint64_t{5});
    QVERIFY(watch.waiting() == std::deque<std::size_t>{0});
  }

  // A half-life of one answer: weights 1, 1/2, 1/4, ...
  void olderAnswersCountLess() {
    DriftWatch watch({.threshold = 0.3, .half_life_answers = 1, .min_answers = 1, .max_questions = 8});
    watch.reset(2);
    QVERIFY(!watch.note(1, 0, 1, 1));
    QVERIFY(!watch.note(1, 1, 1, 1));
    const auto finding = watch.note(1, 2, 0, 1);  // (0 + 1/2 + 1/4) / (1 + 1/2 + 1/4) = 3/7
    QVERIFY(finding.has_value());
    QVERIFY(std::abs(finding->achieved_quality - 3.0 / 7) < 1e-12);
  }

  // Relative: 0.35 where 0.5 is promised is as far off as 0.7 where 1 is.
  void theThresholdIsOfTheProfiledQuality_data() {
    QTest::addColumn<double>("achieved");
    QTest::addColumn<double>("profiled");
    QTest::addColumn<bool>("drifted");
    QTest::newRow("just above") << 0.36 << 0.5 << false;
    QTest::newRow("below") << 0.34 << 0.5 << true;
    QTest::newRow("better than promised") << 0.9 << 0.5 << false;
    QTest::newRow("nothing was promised") << 0.0 << 0.0 << false;
    QTest::newRow("high and below") << 0.69 << 1.0 << true;
  }
  void theThresholdIsOfTheProfiledQuality() {
    QFETCH(double, achieved);
    QFETCH(double, profiled);
    QFETCH(bool, drifted);
    DriftWatch watch({.threshold = 0.3, .half_life_answers = 4, .min_answers = 5, .max_questions = 8});
    watch.reset(1);
    bool found = false;
    for (std::size_t i = 0; i < 20; ++i) found = watch.note(0, i, achieved, profiled).has_value() || found;
    QCOMPARE(found, drifted);
  }

  void aContextWaitsOnceAndIsSettled() {
    DriftWatch watch({.threshold = 0.3, .half_life_answers = 4, .min_answers = 2, .max_questions = 8});
    watch.reset(3);
    int findings = 0;
    for (std::size_t i = 0; i < 6; ++i)
      for (const std::size_t context : {2, 0}) findings += watch.note(context, i, 0, 1).has_value() ? 1 : 0;
    QCOMPARE(findings, 2);
    QVERIFY((watch.waiting() == std::deque<std::size_t>{2, 0}));
    watch.settle(2);
    QVERIFY(watch.waiting() == std::deque<std::size_t>{0});
    QVERIFY(!watch.note(2, 9, 0, 1));  // what was answered before says nothing of the new curve
    QVERIFY(watch.note(2, 9, 0, 1).has_value());
  }

  void theNewestDifferentQuestionsAreRemembered() {
    DriftWatch watch({.threshold = 0.3, .half_life_answers = 4, .min_answers = 5, .max_questions = 3});
    watch.reset(1);
    for (const std::size_t question : {7, 1, 2, 7, 7, 3}) (void)watch.note(0, question, 1, 1);
    QVERIFY((watch.questions(0) == std::vector<std::size_t>{2, 7, 3}));
  }
};

KV_TEST_GUILESS_MAIN(DriftWatchTest)

}  // namespace drift_watch_test

#include "drift_watch_test.moc"
