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
    DriftWatch watch(
        {.when = ReprofileRule::relative(0.3), .half_life_answers = 4, .min_answers = 5, .max_questions = 8});
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
    DriftWatch watch(
        {.when = ReprofileRule::relative(0.3), .half_life_answers = 1, .min_answers = 1, .max_questions = 8});
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
    DriftWatch watch(
        {.when = ReprofileRule::relative(0.3), .half_life_answers = 4, .min_answers = 5, .max_questions = 8});
    watch.reset(1);
    bool found = false;
    for (std::size_t i = 0; i < 20; ++i) found = watch.note(0, i, achieved, profiled).has_value() || found;
    QCOMPARE(found, drifted);
  }

  // Weights 1, 1/2, 1/4 (a half-life of one answer): of the scores 1, 1, s the mean is (s + 3/4) / (7/4), and with
  // s = 1/8 exactly 1/2. The profile says 3/4 of them all.
  void theThreeRulesAtTheirBounds_data() {
    QTest::addColumn<QString>("rule");
    QTest::addColumn<double>("last_score");
    QTest::addColumn<bool>("drifted");
    const auto rows = [](const char* rule, bool at_bound) {
      QTest::addRow("%s, mean 1/2", rule) << QString(rule) << 0.125 << at_bound;
      QTest::addRow("%s, less", rule) << QString(rule) << 0.0625 << true;
      QTest::addRow("%s, more", rule) << QString(rule) << 0.1875 << false;
    };
    rows("below(0.5)", false);
    rows("absolute(0.25)", false);                                                                 // 3/4 - 1/4
    QTest::newRow("relative(0.25), mean 1/2") << QString("relative(0.25)") << 0.125 << true;       // 9/16 is the bound
    QTest::newRow("relative(0.25), mean 9/16") << QString("relative(0.25)") << 0.234375 << false;  // 63/64 / (7/4)
    QTest::newRow("relative(0.25), less") << QString("relative(0.25)") << 0.234 << true;
  }
  void theThreeRulesAtTheirBounds() {
    QFETCH(QString, rule);
    QFETCH(double, last_score);
    QFETCH(bool, drifted);
    const auto when = parse_reprofile_rule(rule.toStdString());
    QVERIFY(when.has_value());
    DriftWatch watch({.when = *when, .half_life_answers = 1, .min_answers = 3, .max_questions = 8});
    watch.reset(1);
    QVERIFY(!watch.note(0, 0, 1, 0.75));
    QVERIFY(!watch.note(0, 1, 1, 0.75));
    QCOMPARE(watch.note(0, 2, last_score, 0.75).has_value(), drifted);
  }

  void anotherRuleAppliesFromTheNextAnswer() {
    DriftWatch watch(
        {.when = ReprofileRule::relative(0.3), .half_life_answers = 4, .min_answers = 1, .max_questions = 8});
    watch.reset(1);
    QVERIFY(!watch.note(0, 0, 0.8, 1));
    watch.use(ReprofileRule::below(0.8125));
    QVERIFY(watch.note(0, 0, 0.8, 1).has_value());
    watch.settle(0);
    watch.use(ReprofileRule::absolute(0.25));
    QVERIFY(!watch.note(0, 0, 0.8, 1));
    watch.use(ReprofileRule::absolute(0.125));
    QVERIFY(watch.note(0, 0, 0.8, 1).has_value());
  }

  void aContextWaitsOnceAndIsSettled() {
    DriftWatch watch(
        {.when = ReprofileRule::relative(0.3), .half_life_answers = 4, .min_answers = 2, .max_questions = 8});
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
    DriftWatch watch(
        {.when = ReprofileRule::relative(0.3), .half_life_answers = 4, .min_answers = 5, .max_questions = 3});
    watch.reset(1);
    for (const std::size_t question : {7, 1, 2, 7, 7, 3}) (void)watch.note(0, question, 1, 1);
    QVERIFY((watch.questions(0) == std::vector<std::size_t>{2, 7, 3}));
  }
};

KV_TEST_GUILESS_MAIN(DriftWatchTest)

}  // namespace drift_watch_test

#include "drift_watch_test.moc"
