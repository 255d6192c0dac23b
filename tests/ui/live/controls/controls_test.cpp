// links: kv_ui
// The controls of the window: what moving one does to the session, the curve and the undo stack.
#include <QCheckBox>
#include <QComboBox>
#include <QElapsedTimer>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QScrollBar>
#include <QSpinBox>
#include <QStyleOptionSlider>
#include <QUndoStack>

#include "core/policy/compute_or_load.h"
#include "tests/support/test_program.h"
#include "tests/ui/window/scripted_window.h"
#include "ui/text/words.h"

namespace controls_test {

using namespace kvantage;

class ControlsTest : public QObject {
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

KV_TEST_MAIN(ControlsTest)

}  // namespace controls_test

#include "controls_test.moc"
