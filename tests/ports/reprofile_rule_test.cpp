// links: kv_reports
// The three rules at and around their bounds, and their texts.
#include "core/ports/reprofile_rule.h"

#include <QtTest>
#include <limits>

#include "tests/support/test_program.h"

namespace reprofile_rule_test {

using namespace kvantage;

class ReprofileRuleTest : public QObject {
  Q_OBJECT

 private slots:
  // Halves and quarters are exact.
  void aRuleSaysWhatFallsShort_data() {
    QTest::addColumn<QString>("rule");
    QTest::addColumn<double>("achieved");
    QTest::addColumn<double>("profiled");
    QTest::addColumn<bool>("short_of_it");
    const auto row = [](const char* title, const char* rule, double achieved, double profiled, bool short_of_it) {
      QTest::newRow(title) << QString(rule) << achieved << profiled << short_of_it;
    };
    row("below: at the bound", "below(0.5)", 0.5, 1, false);
    row("below: under the bound", "below(0.5)", 0.4999, 1, true);
    row("below: as good as its profile", "below(0.5)", 0.25, 0.25, true);
    row("below: worse than its profile, above the bound", "below(0.5)", 0.75, 1, false);
    row("relative: at the bound", "relative(0.25)", 0.375, 0.5, false);  // 0.75 x 0.5
    row("relative: under the bound", "relative(0.25)", 0.3749, 0.5, true);
    row("relative: better than its profile", "relative(0.25)", 0.9, 0.5, false);
    row("relative: a profile of nothing", "relative(0.25)", 0, 0, false);
    row("absolute: at the bound", "absolute(0.25)", 0.25, 0.5, false);  // 0.5 - 0.25
    row("absolute: under the bound", "absolute(0.25)", 0.2499, 0.5, true);
    row("absolute: the relative bound", "absolute(0.25)", 0.374, 0.5, false);
    row("absolute: less was profiled than the bound", "absolute(0.25)", 0, 0.2, false);
    row("below nothing", "below(0)", 0, 1, false);
    row("all of it", "relative(1)", 0, 1, false);
    row("none of it", "relative(0)", 0.9999, 1, true);
    row("no difference", "absolute(0)", 1, 1, false);
  }
  void aRuleSaysWhatFallsShort() {
    QFETCH(QString, rule);
    QFETCH(double, achieved);
    QFETCH(double, profiled);
    QFETCH(bool, short_of_it);
    const auto parsed = parse_reprofile_rule(rule.toStdString());
    QVERIFY(parsed.has_value());
    QCOMPARE(parsed->falls_short(achieved, profiled, 1), short_of_it);
    for (const double weight : {0.5, 4.0})  // of sums
      QCOMPARE(parsed->falls_short(achieved * weight, profiled * weight, weight), short_of_it);
  }

  void textsAreReadAndWritten() {
    QVERIFY(ReprofileRule{} == ReprofileRule::relative(0.3));
    QCOMPARE(ReprofileRule{}.text(), std::string("relative(0.3)"));
    QVERIFY(*parse_reprofile_rule("below(0.8)") == ReprofileRule::below(0.8));
    QVERIFY(*parse_reprofile_rule("relative(0.125)") == ReprofileRule::relative(0.125));
    QVERIFY(*parse_reprofile_rule("absolute(0.3)") == ReprofileRule::absolute(0.3));
    for (const auto& [given, canonical] :
         {std::pair("below(0.80)", "below(0.8)"), std::pair("absolute(1)", "absolute(1)"),
          std::pair("relative(-0)", "relative(0)")})
      QCOMPARE(parse_reprofile_rule(given)->text(), std::string(canonical));
    for (const double bound : {0.1, 1.0 / 3, 0.7}) {  // to the last bit
      const ReprofileRule rule = ReprofileRule::absolute(bound);
      QVERIFY(*parse_reprofile_rule(rule.text()) == rule);
    }
  }

  void onlyBoundsOfQualityAreValid() {
    for (const double bound : {0.0, 0.3, 1.0}) QVERIFY(ReprofileRule::below(bound).is_valid());
    for (const double bound : {-0.1, 1.1, std::numeric_limits<double>::quiet_NaN()})
      QVERIFY(!ReprofileRule::below(bound).is_valid());
  }

  void errorsSayWhatToWrite_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("error");
    const auto row = [](const char* text, const char* error) {
      QTest::newRow(text) << QString(text) << QString(error);
    };
    row("", "'' is not a re-profiling rule; write below(0.7), relative(0.3) or absolute(0.3)");
    row("0.3", "'0.3' is not a re-profiling rule; write below(0.7), relative(0.3) or absolute(0.3)");
    row("relativ(0.3)", "'relativ(0.3)' is not a re-profiling rule; did you mean 'relative'?");
    row("below", "'below' needs one number in parentheses; write below(0.7)");
    row("relative(0.3", "'relative(0.3' needs one number in parentheses; write relative(0.3)");
    row("absolute(0.1,0.2)", "'absolute(0.1,0.2)' needs one number in parentheses; write absolute(0.3)");
    row("absolute()", "'absolute()' has no number from 0 to 1; write absolute(0.3)");
    row("relative(x=0.3)", "'relative(x=0.3)' has no number from 0 to 1; write relative(0.3)");
    row("relative(30%)", "'relative(30%)' has no number from 0 to 1; write relative(0.3)");
    row("relative(1.01)", "'relative(1.01)' has no number from 0 to 1; write relative(0.3)");
    row("below(-0.1)", "'below(-0.1)' has no number from 0 to 1; write below(0.7)");
    row("below(nan)", "'below(nan)' has no number from 0 to 1; write below(0.7)");
  }
  void errorsSayWhatToWrite() {
    QFETCH(QString, text);
    QFETCH(QString, error);
    const auto rule = parse_reprofile_rule(text.toStdString());
    QVERIFY(!rule.has_value());
    QCOMPARE(rule.error().code, ErrorCode::usage);
    QCOMPARE(QString::fromStdString(rule.error().message), error);
  }

  void aLongTextIsNotRepeated() {
    const auto rule = parse_reprofile_rule("below(0." + std::string(200, '1') + ")");
    QVERIFY(!rule.has_value());
    QCOMPARE(rule.error().message, std::string("is longer than 100 bytes; shorten it"));
  }
};

KV_TEST_GUILESS_MAIN(ReprofileRuleTest)

}  // namespace reprofile_rule_test

#include "reprofile_rule_test.moc"
