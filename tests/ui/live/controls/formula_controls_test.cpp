// links: kv_ui
// The formula of a policy in Controls: shown for that policy alone, checked while it is typed, drawn, committed and
// undone; and in 'Why here?', where its value replaces seconds.
#include <QUndoStack>

#include "core/policy/policy_info.h"
#include "tests/support/test_program.h"
#include "tests/ui/window/scripted_window.h"
#include "ui/live/decisions/model/decision_headline.h"
#include "ui/live/decisions/utility_bars.h"
#include "ui/text/words.h"

namespace formula_controls_test {

using namespace kvantage;

class FormulaControlsTest : public QObject {
  Q_OBJECT

  ScriptedWindow scripted_;

  static void choose(MainWindow& window, const QString& begins) {
    QComboBox& box = controls_of(window).policy();
    for (int i = 0; i < box.count(); ++i)
      if (box.itemData(i).toString().startsWith(begins)) {
        box.setCurrentIndex(i);
        emit box.activated(i);
        return;
      }
    QTest::qFail("no such policy", __FILE__, __LINE__);
  }
  static void type(QLineEdit& field, const QString& text) {
    field.setFocus();
    field.selectAll();
    QTest::keyClicks(&field, text);
  }

 private slots:
  void initTestCase() {
    if (!Formula::is_available()) QSKIP("this build has no muParser");
  }

  void theFieldIsThatOfTheFormulaAlone() {
    ScriptedSession session;
    auto window = scripted_.loaded(session);
    FormulaControls& field = controls_of(*window).formula();
    QVERIFY(field.isHidden());
    choose(*window, "formula(");
    QTRY_VERIFY(session.settings().policy.starts_with("formula("));
    QVERIFY(!field.isHidden());
    QCOMPARE(field.expression().text(), to_q(formula_expression(session.settings().policy)));
    QVERIFY(!field.expression().text().isEmpty() && field.problem().isEmpty());
    for (const QuantityInfo& quantity : quantities()) {
      const QString named = to_q(std::string(quantity.name)) + " (" + to_q(std::string(quantity.unit)) + ")";
      QVERIFY2(field.expression().toolTip().contains(named), qPrintable(named));
      QVERIFY2(field.expression().whatsThis().contains(named + ": " + to_q(std::string(quantity.meaning))),
               qPrintable(named));
    }
    choose(*window, "lru");
    QTRY_COMPARE(session.settings().policy, std::string("lru"));
    QVERIFY(field.isHidden());
  }

  void whatIsTypedIsCheckedAtOnceAndCommittedByEnter() {
    ScriptedSession session;
    auto window = scripted_.loaded(session);
    SessionSettings settings = session.settings();
    settings.policy = "formula(quality*frequency,drop=per_byte)";
    QVERIFY(settings_of(*window).commit(settings, "formula", QString()));
    FormulaControls& field = controls_of(*window).formula();
    QCOMPARE(field.expression().text(), QString("quality*frequency"));
    const int steps = settings_of(*window).undo_stack().count();
    type(field.expression(), "qualty*2");
    QVERIFY2(field.problem().contains("unknown name 'qualty'; did you mean 'quality'?"), qPrintable(field.problem()));
    QVERIFY(field.chart().points().points.empty());
    QTest::keyClick(&field.expression(), Qt::Key_Return);
    QCOMPARE(settings_of(*window).undo_stack().count(), steps);  // nothing that is wrong is committed
    type(field.expression(), "(alpha*quality-ttft)*frequency");
    QVERIFY(field.problem().isEmpty());
    QCOMPARE(settings_of(*window).committed().policy, settings.policy);  // not before Enter
    QTest::keyClick(&field.expression(), Qt::Key_Return);
    const std::string wanted = "formula((alpha*quality-ttft)*frequency,drop=per_byte)";
    QTRY_COMPARE(session.settings().policy, wanted);
    QCOMPARE(settings_of(*window).undo_stack().count(), steps + 1);
    // The list has one formula, the latest.
    int formulas = 0;
    for (int i = 0; i < controls_of(*window).policy().count(); ++i)
      formulas += controls_of(*window).policy().itemData(i).toString().startsWith("formula(");
    QCOMPARE(formulas, 1);
    QCOMPARE(controls_of(*window).policy().currentData().toString(), to_q(wanted));
    settings_of(*window).undo_stack().undo();
    QTRY_COMPARE(session.settings().policy, settings.policy);
    QCOMPARE(field.expression().text(), QString("quality*frequency"));
  }

  // EvicPress's own utility as a formula: every point has the same value twice.
  void thePointsAreThePresentContexts() {
    ScriptedSession session;
    auto window = scripted_.loaded(session);
    SessionSettings settings = session.settings();
    settings.policy = "formula((alpha*quality-ttft)*frequency)";
    QVERIFY(settings_of(*window).commit(settings, "formula", QString()));
    FormulaControls& field = controls_of(*window).formula();
    QTRY_COMPARE(field.chart().points().points.size(), session.snapshot()->contexts.size());
    for (const FormulaPoint& point : field.chart().points().points) QCOMPARE(point.value, point.evicpress_seconds);
    type(field.expression(), "2*(alpha*quality-ttft)*frequency+1");  // live, before it is committed
    field.chart().flush();
    QCOMPARE(field.chart().points().points.size(), session.snapshot()->contexts.size());
    for (const FormulaPoint& point : field.chart().points().points)
      QCOMPARE(point.value, 2 * point.evicpress_seconds + 1);
    QCOMPARE(field.chart().table().rows.size(), static_cast<qsizetype>(field.chart().points().points.size()));
    type(field.expression(), "ln(quality-2)");
    QVERIFY(field.chart().points().points.empty());
    QCOMPARE(field.chart().points().undefined, session.snapshot()->contexts.size());
    QVERIFY(field.chart().empty_text().contains("no finite value"));
  }

  // A hand moves alpha elsewhere: a field that nobody sees follows when it is shown.
  void alphaMovesThePointsOfAVisibleFieldAlone() {
    ScriptedSession session;
    session.set_state(RunState::ready);
    QWidget window;
    auto* field = new FormulaControls(&window);
    field->show_snapshot(session.snapshot());
    SessionSettings settings = session.settings();
    settings.policy = "formula(alpha)";
    settings.alpha = 2;
    field->show_settings(settings);
    QVERIFY(!field->chart().points().points.empty());
    const auto value = [&] { return field->chart().points().points.front().value; };
    QCOMPARE(value(), 2.0);
    settings.alpha = 4;
    field->show_settings(settings);
    QCoreApplication::processEvents();
    QCOMPARE(value(), 2.0);
    window.show();
    QTRY_COMPARE(value(), 4.0);
  }

  void aFormulaPartOfTheBarsHasNoSeconds() {
    UtilitySplit split{.quality_term = 9, .ttft_term = -9, .formula_term = 2, .displacement_term = -0.5};
    QCOMPARE(split.own(), 2.0);
    QCOMPARE(split.net(), 1.5);
    split.quality_term = split.ttft_term = 0;
    const auto segments = UtilityBars::segments(split);
    QCOMPARE(segments[UtilityBars::quality].to, 2.0);
    QCOMPARE(segments[UtilityBars::ttft].from, segments[UtilityBars::ttft].to);
    QCOMPARE(segments[UtilityBars::displacement].to, -0.5);
  }

  void theHeadlineSpeaksOfTheFormula() {
    ScriptedSession session;
    session.set_state(RunState::ready);
    const auto snapshot = session.snapshot();
    Decision decision;
    decision.alpha = decision.frequency = 1;
    decision.placed = {0, "none", 0};
    decision.alternatives = {{.configuration = {0, "none", 0}, .utility = 3, .chosen = true},
                             {.configuration = {1, "none", 0}, .utility = 1}};
    decision.formula = FormulaReading{"quality", "quality = 0.9", "quality = 0.8"};
    decision.instead.emplace();
    decision.instead->alternative = 1;
    decision.instead->own_change = -2;
    const QString worse = decision_headline(*snapshot, decision);
    QVERIFY2(worse.contains("by the formula; the runner-up, ") && worse.endsWith(", has 2 less."), qPrintable(worse));
    decision.instead->own_change = 2;
    decision.instead->others_change = -3;
    const QString better = decision_headline(*snapshot, decision);
    QVERIFY2(better.endsWith("it would gain 2 by the formula, but displace others, which costs 3."),
             qPrintable(better));
  }
};

KV_TEST_MAIN(FormulaControlsTest)

}  // namespace formula_controls_test

#include "formula_controls_test.moc"
