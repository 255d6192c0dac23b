// links: kv_ui
// The controls of the window: what moving one does to the session, the curve and the undo stack.
#include <QComboBox>
#include <QElapsedTimer>
#include <QLabel>
#include <QMenu>
#include <QScrollBar>
#include <QSpinBox>
#include <QStyleOptionSlider>
#include <QUndoStack>

#include "tests/support/test_program.h"
#include "tests/ui/window/scripted_window.h"
#include "ui/text/words.h"

namespace controls_test {

using namespace kvantage;

class ControlsTest : public QObject {
  Q_OBJECT

  ScriptedWindow scripted_;
  std::unique_ptr<MainWindow> loaded(ScriptedSession& session) { return scripted_.loaded(session); }

 private slots:
  // As on the command line: of all contexts uncompressed.
  void aBudgetIsTypedInPercent() {
    ScriptedSession session;
    auto window = loaded(session);
    double all = 0;
    for (const ContextState& context : session.snapshot()->contexts) all += static_cast<double>(context.full_bytes);
    LogSlider& budget = controls_of(*window).tier("dram")->budget();
    QDoubleSpinBox& box = budget.box();
    QVERIFY2(box.toolTip().contains("40%"), qPrintable(box.toolTip()));
    window->activateWindow();
    test::settle(500);  // until the controls know all contexts
    for (const auto& [text, share] : {std::pair{"40%", 0.4}, std::pair{"12.5 %", 0.125}}) {
      box.setFocus();
      box.selectAll();
      QTest::keyClicks(&box, text);
      QTest::keyClick(&box, Qt::Key_Return);
      const auto off = [&] {
        return std::abs(static_cast<double>(session.settings().tiers[0].budget.bytes()) - share * all);
      };
      QTRY_VERIFY2(off() < 0.01 * 1048576, qPrintable(QString::number(off())));
      QVERIFY2(box.text().endsWith(" MiB") && !box.text().contains('%'), qPrintable(box.text()));
    }
    // What is no percentage changes nothing.
    const std::uint64_t before = session.settings().tiers[0].budget.bytes();
    box.selectAll();
    QTest::keyClicks(&box, "%");
    QTest::keyClick(&box, Qt::Key_Return);
    test::settle(50);
    QCOMPARE(session.settings().tiers[0].budget.bytes(), before);
  }

  void halvingABudgetMovesTheCurveBeforeItIsCommitted() {
    ScriptedSession session;
    auto window = loaded(session);
    const auto curve = evicpress_points(*window);
    TierControls* dram = controls_of(*window).tier("dram");
    QVERIFY(dram);
    dram->budget().slider().setSliderDown(true);
    dram->budget().slider().setValue(dram->budget().slider().value() / 2);
    QElapsedTimer timer;
    timer.start();
    QTRY_VERIFY(evicpress_points(*window) != curve);
    qInfo("curve under the new budget after %lld ms", static_cast<long long>(timer.elapsed()));
    QVERIFY(session.applied.empty());
    dram->budget().slider().setSliderDown(false);
    QTRY_COMPARE(session.applied.size(), 1u);
    QCOMPARE(session.settings().tiers[0].budget.bytes(), dram->setting().budget.bytes());
  }

  void faultsAreSwitchedOnAndOffWhileItRuns() {
    ScriptedSession session;
    auto window = loaded(session);
    auto* badge = window->findChild<QLabel*>("faultsLabel");
    QVERIFY(badge && !badge->isVisible());
    TierControls* dram = controls_of(*window).tier("dram");
    TierControls* ssd = controls_of(*window).tier("ssd");
    QVERIFY(dram && ssd);
    QVERIFY(!dram->faults().isVisibleTo(dram));  // host memory has no files
    QVERIFY(ssd->faults().isVisibleTo(ssd));
    QVERIFY(!ssd->faults().probability().isVisibleTo(ssd));
    QComboBox& preset = ssd->faults().preset();
    const auto choose = [&](const QString& name) {
      const int index = preset.findText(name);
      QVERIFY2(index >= 0, qPrintable(name));
      preset.setCurrentIndex(index);
      emit preset.activated(index);
    };
    choose("Torn writes");
    QTRY_COMPARE(QString::fromStdString(session.settings().tiers[1].faults), QString("torn_write:0.05"));
    QVERIFY(badge->isVisible() && badge->text().contains("faults injected"));
    QVERIFY(badge->toolTip().contains("ssd: Torn writes at 5 %, seed 1"));
    QVERIFY(run_of(*window).tiers.find("ssd")->faulty && !run_of(*window).tiers.find("dram")->faulty);
    QVERIFY(ssd->faults().probability().isVisibleTo(ssd));
    ssd->faults().probability().setValue(25);
    QTRY_COMPARE(session.settings().tiers[1].faults, std::string("torn_write:0.25"));
    ssd->faults().seed().setValue(9);
    QTRY_COMPARE(session.settings().tiers[1].faults, std::string("torn_write:0.25+seed:9"));
    QUndoStack& undo = settings_of(*window).undo_stack();
    while (undo.canUndo()) undo.undo();  // one step, unless the machine was slow between them
    QTRY_COMPARE(session.settings().tiers[1].faults, std::string());
    QTRY_VERIFY(!badge->isVisible());
    QCOMPARE(preset.currentText(), QString("none"));
    while (undo.canRedo()) undo.redo();
    QTRY_COMPARE(session.settings().tiers[1].faults, std::string("torn_write:0.25+seed:9"));
    QCOMPARE(preset.currentText(), QString("Torn writes"));
    QCOMPARE(ssd->faults().seed().value(), 9);

    // The same as actions.
    QMenu& menu = fault_menu_of(*window);
    emit menu.aboutToShow();
    QCOMPARE(menu.actions().size(), 1);  // dram has none
    const auto entries = menu.actions()[0]->menu()->actions();
    QCOMPARE(entries.size(), 6);
    QVERIFY(entries[2]->isChecked());
    entries[4]->trigger();
    QTRY_COMPARE(session.settings().tiers[1].faults, std::string("no_space:1+seed:9"));
    QCOMPARE(preset.currentText(), QString("Full disk"));

    // A mixture from the command line stands as it is given.
    SessionSettings mixed = session.settings();
    mixed.tiers[1].faults = "torn_write:0.5+read_error:0.25";
    QVERIFY(session.apply(mixed));
    QTRY_COMPARE(preset.currentText(), QString("custom"));
    TierStatistics counted;
    counted.misses = {{"checksum", 3}, {"absent", 9}};
    counted.failed_writes = {{"no_space", 2}};
    counted.injected_faults = {{"flip_on_read", 4}};
    ssd->faults().show_counts(counted);
    QCOMPARE(ssd->faults().counts_text(),
             QString("injected: 4 flip_on_read\nreads failed: 3 checksum\nwrites failed: 2 no_space"));
    choose("none");
    QTRY_COMPARE(session.settings().tiers[1].faults, std::string());
  }

  void everyChangeIsOneUndoStep() {
    ScriptedSession session;
    auto window = loaded(session);
    const SessionSettings before = session.settings();
    auto& stack = settings_of(*window).undo_stack();
    LogSlider& alpha = controls_of(*window).alpha();
    alpha.slider().setSliderDown(true);
    for (int step = 300; step < 700; step += 20) alpha.slider().setValue(step);
    alpha.slider().setSliderDown(false);
    QCOMPARE(stack.count(), 1);
    const double moved = alpha.value();
    QComboBox& policy = controls_of(*window).policy();
    policy.setCurrentIndex(policy.findData("lru"));
    emit policy.activated(policy.currentIndex());
    QCOMPARE(stack.count(), 2);
    QTRY_COMPARE(session.settings().policy, std::string("lru"));
    stack.undo();
    QTRY_COMPARE(session.settings().policy, before.policy);
    QCOMPARE(session.settings().alpha, moved);
    QCOMPARE(policy.currentData().toString(), to_q(before.policy));
    stack.undo();
    QTRY_COMPARE(session.settings().alpha, before.alpha);
    QCOMPARE(alpha.value(), before.alpha);
    stack.redo();
    QTRY_COMPARE(session.settings().alpha, moved);
  }

  // Press, move, release with a real mouse, twice in less time than keys have to merge.
  void eachDragIsOneUndoStep() {
    ScriptedSession session;
    auto window = loaded(session);
    window->resize(1280, 800);
    LogSlider& alpha = controls_of(*window).alpha();
    QSlider& slider = alpha.slider();
    const auto drag = [&](int by) {
      QStyleOptionSlider option;
      option.initFrom(&slider);
      option.minimum = slider.minimum();
      option.maximum = slider.maximum();
      option.sliderPosition = option.sliderValue = slider.value();
      option.orientation = Qt::Horizontal;
      const QPoint handle =
          slider.style()->subControlRect(QStyle::CC_Slider, &option, QStyle::SC_SliderHandle, &slider).center();
      QTest::mousePress(&slider, Qt::LeftButton, {}, handle);
      for (int step = 1; step <= 4; ++step) {
        QMouseEvent move(QEvent::MouseMove, handle + QPoint(by * step / 4, 0),
                         slider.mapToGlobal(handle + QPoint(by * step / 4, 0)), Qt::NoButton, Qt::LeftButton, {});
        QApplication::sendEvent(&slider, &move);
      }
      QTest::mouseRelease(&slider, Qt::LeftButton, {}, handle + QPoint(by, 0));
    };
    QUndoStack& steps = settings_of(*window).undo_stack();
    const double first = settings_of(*window).committed().alpha;
    drag(25);
    const double second = settings_of(*window).committed().alpha;
    QVERIFY(second > first);
    test::settle(450);
    drag(-45);
    const double third = settings_of(*window).committed().alpha;
    QVERIFY(third < second);
    QCOMPARE(steps.count(), 2);
    steps.undo();
    QCOMPARE(settings_of(*window).committed().alpha, second);
    steps.undo();
    QCOMPARE(settings_of(*window).committed().alpha, first);
    // Keys and the wheel still merge, and not with a drag before them.
    steps.clear();
    drag(20);
    for (int i = 0; i < 4; ++i) QTest::keyClick(&slider, Qt::Key_Right);
    QCOMPARE(steps.count(), 2);
    drag(-20);
    QCOMPARE(steps.count(), 3);
    // Of a budget, too.
    steps.clear();
    QSlider& budget = controls_of(*window).tier("dram")->budget().slider();
    for (int i = 0; i < 2; ++i) {
      budget.setSliderDown(true);
      budget.setValue(budget.value() - 100);
      budget.setSliderDown(false);
    }
    QCOMPARE(steps.count(), 2);
  }

  void senselessSettingsAreRefusedInOneLineAndChangeNothing() {
    ScriptedSession session;
    auto window = loaded(session);
    SessionSettings wrong = session.settings();
    wrong.removed_fractions.clear();
    QVERIFY(!settings_of(*window).commit(wrong, "none", {}));
    QVERIFY(window->banner().isVisible());
    QVERIFY(window->banner().text().contains("removed_fractions"));
    QCOMPARE(settings_of(*window).undo_stack().count(), 0);
    QVERIFY(session.applied.empty());
  }

  // The range of a slider follows the profiles, but never under the hand; a number being typed is not overwritten.
  void aHeldSliderKeepsItsRangeAndABoxItsText() {
    LogSlider slider("Budget", "MiB", 1048576, 2);
    slider.set_smallest(65536);
    slider.set_range(1e6, 1e8);
    slider.set_value(1e7);
    slider.slider().setSliderDown(true);
    slider.slider().setValue(250);
    const double meant = slider.value();
    slider.set_range(1e5, 1e9);
    QCOMPARE(slider.slider().value(), 250);
    QCOMPARE(slider.value(), meant);
    double released = 0;
    connect(&slider, &LogSlider::released, this, [&](double value) { released = value; });
    slider.slider().setSliderDown(false);
    QCOMPARE(released, meant);
    QCOMPARE(slider.high(), 1e9);
    QCOMPARE(slider.value(), meant);

    slider.show();
    slider.box().setFocus();
    slider.box().selectAll();
    QTest::keyClicks(&slider.box(), "12.");
    slider.set_range(2e5, 1e9);
    slider.set_value(meant);
    QTest::keyClicks(&slider.box(), "5");
    QTest::keyClick(&slider.box(), Qt::Key_Return);
    QCOMPARE(slider.value(), 12.5 * 1048576);

    slider.box().setValue(0);
    QCOMPARE(slider.value(), 65536.0);
    slider.slider().setValue(1);
    slider.slider().setValue(0);
    QVERIFY(slider.value() >= 65536);
  }

  void everyControlHasANameAndATip() {
    ScriptedSession session;
    auto window = loaded(session);
    for (QWidget* widget : controls_of(*window).findChildren<QWidget*>()) {
      if (widget->focusPolicy() == Qt::NoFocus || qobject_cast<QScrollBar*>(widget) ||
          widget->objectName().startsWith("qt_") || !widget->parentWidget() || widget->window() != window.get())
        continue;
      if (qobject_cast<QAbstractSpinBox*>(widget->parentWidget()) || qobject_cast<QComboBox*>(widget->parentWidget()) ||
          qobject_cast<LogSlider*>(widget))
        continue;
      QVERIFY2(!widget->accessibleName().isEmpty(), widget->metaObject()->className());
      QVERIFY2(!widget->toolTip().isEmpty(), qPrintable(widget->accessibleName()));
    }
  }

  // What is below alpha does not jump while the plan's distance to the bound is recomputed.
  void theLineOfThePlanStaysWhileAHandMovesAlpha() {
    ScriptedSession session;
    auto window = loaded(session);
    QLabel* note = nullptr;
    const auto find = [&] {
      for (QLabel* label : controls_of(*window).findChildren<QLabel*>())
        if (label->text().startsWith("Predicted")) note = label;
      return note != nullptr;
    };
    QTRY_VERIFY(find());
    QTRY_VERIFY2(note->text().contains("Optimality gap ≤"), qPrintable(note->text()));
    int unknown = 0;
    connect(&run_of(*window).frontier, &FrontierModel::presentChanged, this, [&] {
      if (note->text().startsWith("Predicted")) QCOMPARE(note->text().count('\n'), 1);
      unknown += note->text().contains("not known yet");
    });
    QSlider& slider = controls_of(*window).alpha().slider();
    slider.setSliderDown(true);
    for (const int at : {900, 100, 600}) {
      slider.setValue(at);
      test::settle(30);
    }
    slider.setSliderDown(false);
    QVERIFY(unknown > 0);
    QTRY_VERIFY(note->text().contains("Optimality gap ≤"));
  }
};

KV_TEST_MAIN(ControlsTest)

}  // namespace controls_test

#include "controls_test.moc"
