// links: kv_ui
// The controls of what a session serves and how: candidates, re-profiling, ways of serving, speculation, arrivals.
#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>
#include <QUndoStack>
#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "core/policy/compute_or_load.h"
#include "tests/support/test_program.h"
#include "tests/ui/window/scripted_window.h"

namespace session_controls_test {

using namespace kvantage;

class SessionControlsTest : public QObject {
  Q_OBJECT

  ScriptedWindow scripted_;
  std::unique_ptr<MainWindow> loaded(ScriptedSession& session) { return scripted_.loaded(session); }

  template <class Widget>
  static Widget* named(MainWindow& window, const char* name) {
    for (Widget* widget : controls_of(window).findChildren<Widget*>())
      if (widget->accessibleName() == QLatin1String(name)) return widget;
    return nullptr;
  }

 private slots:
  // A lesson or a recorded run brings candidates of its own; they go with it.
  void candidatesOfAnotherRunDoNotStay() {
    ScriptedSession session;
    auto window = loaded(session);
    const auto boxes = [&] {
      QStringList names;
      for (const QCheckBox* box : controls_of(*window).findChildren<QCheckBox*>())
        if (!box->isHidden() && box->accessibleName().startsWith("Method ")) names << box->text();
      names.sort();
      return names;
    };
    const QStringList own = boxes();
    QVERIFY(own.size() >= 5);
    SessionSettings other = session.settings();
    other.methods.push_back("kvzip");
    QVERIFY(settings_of(*window).commit(other, "candidates", "candidates"));
    QTRY_COMPARE(boxes().size(), own.size() + 1);
    QVERIFY(boxes().contains("kvzip"));
    settings_of(*window).undo_stack().undo();
    QTRY_COMPARE(boxes(), own);
    // Whoever clears one of them clears no other.
    QVERIFY(settings_of(*window).commit(other, "candidates", "candidates"));
    QTRY_VERIFY(boxes().contains("kvzip"));
    SessionSettings without = other;
    without.methods.pop_back();
    for (QCheckBox* box : controls_of(*window).findChildren<QCheckBox*>())
      if (!box->isHidden() && box->text() == "knorm") box->click();
    std::erase(without.methods, "knorm");
    QVERIFY(settings_of(*window).commit(without, "candidates", "candidates"));
    QTRY_VERIFY(!boxes().contains("kvzip"));
    QVERIFY(boxes().contains("knorm"));
    QVERIFY(settings_of(*window).commit(other, "candidates", "candidates"));
    QTRY_VERIFY(boxes().contains("kvzip"));
    for (QCheckBox* box : controls_of(*window).findChildren<QCheckBox*>())
      if (!box->isHidden() && box->text() == "kvzip") box->click();
    QTRY_COMPARE(std::ranges::count(session.settings().methods, "kvzip"), 0);
    QVERIFY(boxes().contains("kvzip"));  // the user may want it back
  }

  void methodsAndFractionsAreAdded() {
    ScriptedSession session;
    WindowOptions options = scripted_.options();
    options.methods.known = {{"kvzip", "what the model needs to repeat the context"}};
    options.methods.read = [](const QString& text) -> Expected<QString> {
      if (text == "kvzap") return fail(ErrorCode::usage, "unknown method 'kvzap'; did you mean 'kvzip'?");
      return text == "kvzip(chunk=2048)" ? QString("kvzip") : text;
    };
    auto window = scripted_.loaded(session, options);
    auto* methods = named<QComboBox>(*window, "Add a method");
    auto* fractions = named<QLineEdit>(*window, "Add a removed fraction");
    QVERIFY(methods && methods->isVisibleTo(window.get()) && fractions);
    QCOMPARE(methods->count(), 1);
    QVERIFY(methods->itemData(0, Qt::ToolTipRole).toString().contains("repeat"));
    const auto problem = [&] {
      for (const QLabel* label : controls_of(*window).findChildren<QLabel*>())
        if (label->isVisible() && label->text().contains("kvzap")) return label->text();
      return QString();
    };
    const auto enter = [](QWidget* field, const QString& text) {
      QTest::keyClicks(field, text);
      QTest::keyClick(field, Qt::Key_Return);
    };
    const SessionSettings before = session.settings();
    const int steps = settings_of(*window).undo_stack().count();
    enter(methods, "kvzap");
    QTRY_VERIFY2(problem().contains("kvzip"), qPrintable(problem()));
    QVERIFY(session.settings() == before);
    methods->lineEdit()->selectAll();
    enter(methods, "kvzip(chunk=2048)");
    QTRY_COMPARE(std::ranges::count(session.settings().methods, "kvzip"), 1);
    QVERIFY(problem().isEmpty() && methods->currentText().isEmpty());
    QCOMPARE(settings_of(*window).undo_stack().count(), steps + 1);
    const auto* box = named<QCheckBox>(*window, "Method kvzip");
    QVERIFY(box && box->isChecked());
    enter(methods, "kvzip");  // is one already
    QCOMPARE(settings_of(*window).undo_stack().count(), steps + 1);
    for (const char* text : {"0", "100 %", "-3", "much"}) {
      fractions->clear();
      enter(fractions, text);
      QVERIFY2(session.settings().removed_fractions == before.removed_fractions, text);
    }
    fractions->clear();
    enter(fractions, "33 %");
    QTRY_COMPARE(session.settings().removed_fractions.size(), before.removed_fractions.size() + 1);
    QVERIFY(std::ranges::is_sorted(session.settings().removed_fractions));
    QCOMPARE(std::ranges::count(session.settings().removed_fractions, 0.33), 1);
    QVERIFY(fractions->text().isEmpty());
    settings_of(*window).undo_stack().undo();
    settings_of(*window).undo_stack().undo();
    QTRY_VERIFY(session.settings() == before);
  }

  void theThresholdOfReprofilingIsSetAndUndone() {
    ScriptedSession session;
    auto window = loaded(session);
    auto* threshold = named<QDoubleSpinBox>(*window, "Drift threshold");
    QVERIFY(threshold && threshold->isEnabled() && threshold->suffix().contains('%') &&
            threshold->toolTip().contains("percent"));
    QCOMPARE(threshold->value(), 30.0);
    threshold->setFocus();
    threshold->selectAll();
    QTest::keyClicks(threshold, "12.5");
    QTest::keyClick(threshold, Qt::Key_Return);
    QVERIFY(settings_of(*window).committed().reprofile_when == ReprofileRule::relative(0.125));
    QTRY_VERIFY(session.settings().reprofile_when == ReprofileRule::relative(0.125));
    settings_of(*window).undo_stack().undo();
    QCOMPARE(threshold->value(), 30.0);
    QTRY_VERIFY(session.settings().reprofile_when == ReprofileRule::relative(0.3));
    auto* wanted = named<QCheckBox>(*window, "Re-profile on drift");
    QVERIFY(wanted);
    wanted->click();
    QTRY_VERIFY(!threshold->isEnabled());
  }

  void theRuleOfReprofilingIsChosenAndUndone() {
    ScriptedSession session;
    auto window = loaded(session);
    auto* rule = named<QComboBox>(*window, "Drift rule");
    auto* threshold = named<QDoubleSpinBox>(*window, "Drift threshold");
    QVERIFY(rule && threshold && rule->isEnabled());
    QCOMPARE(rule->currentData().toString(), QString("relative"));
    QUndoStack& steps = settings_of(*window).undo_stack();
    const auto choose = [rule](const char* id) {
      rule->setCurrentIndex(rule->findData(id));
      emit rule->activated(rule->currentIndex());
    };
    choose("absolute");
    QTRY_VERIFY(session.settings().reprofile_when == ReprofileRule::absolute(0.3));
    QCOMPARE(threshold->text(), QString("0.300 below profile"));
    threshold->setValue(0.125);
    QTRY_VERIFY(session.settings().reprofile_when == ReprofileRule::absolute(0.125));
    choose("below");
    QTRY_VERIFY(session.settings().reprofile_when == ReprofileRule::below(0.7));
    QCOMPARE(threshold->text(), QString("quality below 0.700"));
    QCOMPARE(steps.count(), 3);
    for (int step = 0; step < 3; ++step) steps.undo();
    QTRY_VERIFY(session.settings().reprofile_when == ReprofileRule::relative(0.3));
    QCOMPARE(rule->currentData().toString(), QString("relative"));
    QCOMPARE(threshold->text(), QString("30.0 % below profile"));
    // Changed elsewhere, it is shown.
    SessionSettings told = session.settings();
    told.reprofile_when = ReprofileRule::below(0.5);
    QVERIFY(session.apply(told));
    QTRY_COMPARE(rule->currentData().toString(), QString("below"));
    QCOMPARE(threshold->value(), 0.5);
    told.reprofile = false;
    QVERIFY(session.apply(told));
    QTRY_VERIFY(!rule->isEnabled());
  }

  void theLimitsOfReprofilingAreSetAndUndone() {
    ScriptedSession session;
    auto window = loaded(session);
    auto* loss = named<QCheckBox>(*window, "Assume loss until re-profiled");
    auto* share = named<QDoubleSpinBox>(*window, "Share of re-profiling");
    QVERIFY(loss && share && loss->isChecked() && share->value() == 5);
    QUndoStack& steps = settings_of(*window).undo_stack();
    loss->click();
    QTRY_VERIFY(!session.settings().assume_loss);
    share->setValue(25);
    share->setValue(30);
    QTRY_COMPARE(session.settings().reprofile_share, 0.3);
    QCOMPARE(steps.count(), 2);  // a hand on the share is one step
    QCOMPARE(steps.text(0), QString("keep curves until re-profiled"));
    QVERIFY2(steps.text(1).startsWith("re-profiling: 30"), qPrintable(steps.text(1)));
    steps.undo();
    steps.undo();
    QTRY_VERIFY(session.settings().assume_loss && session.settings().reprofile_share == 0.05);
    QVERIFY(loss->isChecked() && share->value() == 5);
    // Changed elsewhere, it is shown.
    SessionSettings told = session.settings();
    told.assume_loss = false;
    told.reprofile_share = 1;
    QVERIFY(session.apply(told));
    QTRY_VERIFY(!loss->isChecked() && share->value() == 100);
  }

  void waysOfServingAreChosenOneByOne() {
    ScriptedSession session;
    auto window = loaded(session);
    auto* meet = named<QCheckBox>(*window, "Overlap recompute with loads");
    auto* recompute = named<QCheckBox>(*window, "Recompute instead of loading");
    QVERIFY(meet && recompute);
    QCOMPARE(session.settings().compute_or_load, std::string("auto"));
    for (const auto& [box, way] :
         {std::pair{recompute, "hybrid"}, {meet, "off"}, {recompute, "prefill"}, {meet, "auto"}}) {
      box->click();
      QTRY_COMPARE(session.settings().compute_or_load, std::string(way));
    }
    QUndoStack& stack = settings_of(*window).undo_stack();
    for (const char* way : {"prefill", "off", "hybrid", "auto"}) {
      stack.undo();
      QTRY_COMPARE(session.settings().compute_or_load, std::string(way));
      QTRY_COMPARE(meet->isChecked(), serving_ways(way)->hybrid);
      QCOMPARE(recompute->isChecked(), serving_ways(way)->prefill);
    }
  }

  void speculationFollowsItsControl() {
    ScriptedSession session;
    auto window = loaded(session);
    auto* speculation = named<QComboBox>(*window, "Speculation");
    QVERIFY(speculation != nullptr);
    QCOMPARE(speculation->count(), 3);
    QCOMPARE(speculation->currentData().toString(), QString("off"));
    QVERIFY(speculation->toolTip().contains("Answers do not change"));
    for (const char* setting : {"auto", "lookup"}) {
      speculation->setCurrentIndex(speculation->findData(QString(setting)));
      emit speculation->activated(speculation->currentIndex());
      QTRY_COMPARE(session.settings().speculation, std::string(setting));
    }
    settings_of(*window).undo_stack().undo();
    QTRY_COMPARE(session.settings().speculation, std::string("auto"));
    QTRY_COMPARE(speculation->currentData().toString(), QString("auto"));
    // One with parameters of its own is a choice as long as it is set.
    SessionSettings told = session.settings();
    told.speculation = "lookup(n=2,k=4)";
    QVERIFY(session.apply(told));
    QTRY_COMPARE(speculation->currentText(), QString("lookup(n=2,k=4)"));
    QCOMPARE(speculation->count(), 4);
    told.speculation = "off";
    QVERIFY(session.apply(told));
    QTRY_COMPARE(speculation->currentText(), QString("off"));
    QCOMPARE(speculation->count(), 3);
  }

  void thePrefillBatchFollowsItsControl() {
    ScriptedSession session;
    auto window = loaded(session);
    auto* tokens = named<QSpinBox>(*window, "Prefill batch");
    QVERIFY(tokens != nullptr);
    const int before = session.settings().prefill_batch_tokens;
    QVERIFY(before > 0);
    QCOMPARE(tokens->value(), before);
    QVERIFY(tokens->toolTip().contains("Answers do not change"));
    QVERIFY(!tokens->isEnabled());  // libtorch's products
    tokens->setValue(128);
    QTRY_COMPARE(session.settings().prefill_batch_tokens, 128);
    QUndoStack& stack = settings_of(*window).undo_stack();
    QCOMPARE(stack.undoText(), QString("prefill batch: 128 tokens"));
    stack.undo();
    QTRY_COMPARE(session.settings().prefill_batch_tokens, before);
    QTRY_COMPARE(tokens->value(), before);
    tokens->setValue(0);
    QTRY_COMPARE(session.settings().prefill_batch_tokens, 0);
    QCOMPARE(tokens->text(), QString("off"));
    SessionSettings told = session.settings();
    told.prefill_batch_tokens = 64;
    told.products = std::string(batch_invariant_products);
    QVERIFY(session.apply(told));
    QTRY_COMPARE(tokens->value(), 64);
    QVERIFY(tokens->isEnabled());
  }

  void arrivalsAndProfilingFollowTheirControls() {
    ScriptedSession session;
    auto window = loaded(session);
    const SessionSettings before = session.settings();
    auto* rate = named<QDoubleSpinBox>(*window, "Arrival rate");
    auto* batch = named<QSpinBox>(*window, "Max concurrency");
    auto* again = named<QCheckBox>(*window, "Re-profile on drift");
    auto* meet = named<QCheckBox>(*window, "Overlap recompute with loads");
    auto* quantized = named<QCheckBox>(*window, "Attend on quantized KV");
    QVERIFY(rate && batch && again && meet && quantized);
    QCOMPARE(rate->specialValueText(), QString("closed loop (back-to-back)"));
    QCOMPARE(meet->text(), QString("Overlap recompute with loads"));  // whole at 200 %
    QCOMPARE(quantized->text(), QString("Attend on quantized KV"));
    QVERIFY(quantized->toolTip().startsWith("No dequantization on load"));
    QCOMPARE(quantized->isChecked(), before.attend_quantized);
    QCOMPARE(before.compute_or_load, std::string("auto"));
    auto* recompute = named<QCheckBox>(*window, "Recompute instead of loading");
    QVERIFY(meet->isChecked() && recompute->isChecked());
    QCOMPARE(batch->value(), before.max_batch);
    QCOMPARE(again->isChecked(), before.reprofile);
    auto& stack = settings_of(*window).undo_stack();
    rate->setValue(2.5);
    QTRY_COMPARE(session.settings().requests_per_second, 2.5);
    batch->setValue(7);
    QTRY_COMPARE(session.settings().max_batch, 7);
    again->click();
    QTRY_COMPARE(session.settings().reprofile, !before.reprofile);
    QCOMPARE(stack.count(), 3);
    meet->click();
    QTRY_COMPARE(session.settings().compute_or_load, std::string("prefill"));
    QCOMPARE(stack.count(), 4);
    quantized->click();
    QTRY_COMPARE(session.settings().attend_quantized, !before.attend_quantized);
    stack.undo();
    QTRY_COMPARE(session.settings().attend_quantized, before.attend_quantized);
    QTRY_COMPARE(quantized->isChecked(), before.attend_quantized);
    stack.undo();
    QTRY_COMPARE(session.settings().compute_or_load, before.compute_or_load);
    QTRY_VERIFY(meet->isChecked() && recompute->isChecked());
    stack.undo();
    QTRY_COMPARE(session.settings().reprofile, before.reprofile);
    QTRY_COMPARE(again->isChecked(), before.reprofile);
    stack.undo();
    QTRY_COMPARE(session.settings().max_batch, before.max_batch);
    QTRY_COMPARE(batch->value(), before.max_batch);
    stack.undo();
    QTRY_COMPARE(session.settings().requests_per_second, before.requests_per_second);
    // A setting changed elsewhere is shown, and is no undo step of the user's.
    SessionSettings told = session.settings();
    told.max_batch = 3;
    told.reprofile = !told.reprofile;
    QVERIFY(session.apply(told));
    QTRY_COMPARE(batch->value(), 3);
    QTRY_COMPARE(again->isChecked(), told.reprofile);
    QVERIFY(!stack.canUndo());
  }
};

KV_TEST_MAIN(SessionControlsTest)

}  // namespace session_controls_test

#include "session_controls_test.moc"
