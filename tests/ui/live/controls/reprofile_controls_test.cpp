// links: kv_ui
// Controls > Arrivals, drift: the rule and its threshold, each rule in its own unit.
#include "ui/live/controls/reprofile_controls.h"

#include <QtTest>
#include <utility>
#include <vector>

#include "tests/support/test_program.h"

namespace reprofile_controls_test {

using namespace kvantage;

class ReprofileControlsTest : public QObject {
  Q_OBJECT

  struct Shown {
    Shown() {
      QObject::connect(&controls, &ReprofileControls::chosen,
                       [this](const ReprofileRule& rule, const QString& control) {
                         given.emplace_back(rule.text(), control);
                         controls.show_rule(rule);  // as the settings do
                       });
    }
    void choose(const char* id) {
      const int index = controls.rule().findData(id);
      if (index < 0) qFatal("no %s", id);
      controls.rule().setCurrentIndex(index);
      emit controls.rule().activated(index);
    }
    QWidget widget;
    QFormLayout form{&widget};
    ReprofileControls controls{form, &widget};
    std::vector<std::pair<std::string, QString>> given;
  };

 private slots:
  void eachRuleHasItsUnit() {
    Shown shown;
    QDoubleSpinBox& threshold = shown.controls.threshold();
    QCOMPARE(shown.controls.rule().count(), 3);
    for (int i = 0; i < 3; ++i) QVERIFY(!shown.controls.rule().itemData(i, Qt::ToolTipRole).toString().isEmpty());
    shown.controls.show_rule(ReprofileRule::relative(0.125));
    QCOMPARE(threshold.text(), QString("12.5 % below profile"));
    const QString of_relative = threshold.toolTip();
    QVERIFY(of_relative.contains("percent"));
    shown.controls.show_rule(ReprofileRule::absolute(0.25));
    QCOMPARE(threshold.text(), QString("0.250 below profile"));
    const QString of_absolute = threshold.toolTip();
    QVERIFY(of_absolute.contains("difference of qualities"));
    shown.controls.show_rule(ReprofileRule::below(0.8));
    QCOMPARE(threshold.text(), QString("quality below 0.800"));
    QVERIFY(threshold.toolTip().contains("whatever its profile") && threshold.maximum() == 1);
    QVERIFY(of_relative != of_absolute && shown.given.empty());  // showing chooses nothing
  }

  void aMoveGivesTheWholeRule() {
    Shown shown;
    shown.controls.threshold().setValue(12.5);
    QVERIFY((shown.given.back() == std::pair(std::string("relative(0.125)"), QString("threshold"))));
    for (const auto& [typed, rule] : {std::pair(12.3, "relative(0.123)"), std::pair(57.9, "relative(0.579)"),
                                      std::pair(12.5, "relative(0.125)")}) {  // no rounding errors in the text
      shown.controls.threshold().setValue(typed);
      QCOMPARE(shown.given.back().first, std::string(rule));
    }
    shown.choose("absolute");
    QVERIFY((shown.given.back() == std::pair(std::string("absolute(0.3)"), QString())));
    shown.controls.threshold().setValue(0.05);
    QVERIFY((shown.given.back() == std::pair(std::string("absolute(0.05)"), QString("threshold"))));
    shown.choose("below");
    QVERIFY((shown.given.back() == std::pair(std::string("below(0.7)"), QString())));
    shown.choose("absolute");  // as it was left
    QCOMPARE(shown.given.back().first, std::string("absolute(0.05)"));
    shown.choose("relative");
    QCOMPARE(shown.given.back().first, std::string("relative(0.125)"));
    const std::size_t before = shown.given.size();
    shown.choose("relative");  // no change
    QCOMPARE(shown.given.size(), before);
  }

  void allAreOffTogether() {
    Shown shown;
    const QList<QWidget*> all{&shown.controls.rule(), &shown.controls.threshold(), &shown.controls.assume_loss(),
                              &shown.controls.share()};
    shown.controls.set_enabled(false);
    for (const QWidget* one : all) QVERIFY(!one->isEnabled());
    shown.controls.set_enabled(true);
    for (const QWidget* one : all) QVERIFY(one->isEnabled() && !one->toolTip().isEmpty());
  }

  void whatIsAssumedAndHowLongItTakes() {
    Shown shown;
    QSignalSpy assumed(&shown.controls, &ReprofileControls::lossAssumed);
    QSignalSpy share(&shown.controls, &ReprofileControls::shareChosen);
    shown.controls.show_limits(true, 0.05);
    QVERIFY(shown.controls.assume_loss().isChecked());
    QCOMPARE(shown.controls.share().text(), QString("5.0 % of busy time"));
    QVERIFY(assumed.isEmpty() && share.isEmpty());  // showing chooses nothing
    shown.controls.assume_loss().click();
    QCOMPARE(assumed.takeFirst().at(0).toBool(), false);
    shown.controls.share().setValue(12.3);
    QCOMPARE(share.takeFirst().at(0).toDouble(), 0.123);  // no rounding errors
    shown.controls.show_limits(false, 1);
    QVERIFY(!shown.controls.assume_loss().isChecked() && shown.controls.share().value() == 100);
    QVERIFY(assumed.isEmpty() && share.isEmpty() && shown.given.empty());
  }

  void stepsOfUndoAreNamedByTheRule() {
    QCOMPARE(reprofile_rule_text(ReprofileRule::relative(0.125)), QString("drift threshold 12.5 %"));
    QCOMPARE(reprofile_rule_text(ReprofileRule::absolute(0.25)), QString("drift threshold: 0.250 below profile"));
    QCOMPARE(reprofile_rule_text(ReprofileRule::below(0.8)), QString("drift threshold: quality 0.800"));
  }
};

KV_TEST_MAIN(ReprofileControlsTest)

}  // namespace reprofile_controls_test

#include "reprofile_controls_test.moc"
