// links: kv_ui app_wiring
// The window from its start to its files, on a real engine: every control moved and undone, two runs recorded,
// compared, gone through again and written in every format.
#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLineEdit>
#include <QMessageBox>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <functional>
#include <set>

#include "core/policy/partial_recompute.h"
#include "tests/support/live_window.h"
#include "tests/support/test_program.h"
#include "tests/ui/window/end_to_end_controls.h"
#include "tests/ui/window/end_to_end_runs.h"
#include "ui/runs/runs_dock.h"
#include "ui/text/words.h"

namespace end_to_end_test {

using namespace kvantage;
using namespace kvantage::test;

class EndToEndTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  std::unique_ptr<LiveWindow> live_;

  MainWindow& window() { return *live_->window; }
  RunsDock& runs() { return runs_of(window()); }
  QString path(const QString& name) const { return folder_.filePath(name); }

  /// Starts, waits for `requests` answers and stops; the run's id.
  QString record(std::size_t requests) {
    const std::size_t before = live_->sink.records().size();
    live_->action("Start")->trigger();
    if (!QTest::qWaitFor([&] { return live_->sink.records().size() >= before + requests; }, patience_ms)) return {};
    live_->action("Stop")->trigger();
    if (!QTest::qWaitFor(
            [&] {
              return run_of(window()).state() == RunState::finished || run_of(window()).state() == RunState::ready;
            },
            patience_ms))
      return {};
    return to_q(live_->engine().info().run_id);
  }

  /// Typed into the two fields that add candidates; each is one undo step, and is undone.
  void add_candidates() {
    const auto type = [](QWidget* field, const char* text) {
      QVERIFY(field != nullptr);
      QTest::keyClicks(field, text);
      QTest::keyClick(field, Qt::Key_Return);
    };
    const SessionSettings before = live_->engine().settings();
    type(named<QComboBox>(window(), "Add a method"), "kivi4(residual=64)");
    QTRY_COMPARE_WITH_TIMEOUT(live_->engine().settings().methods.back(), std::string("kivi4(residual=64)"),
                              patience_ms);
    type(named<QLineEdit>(window(), "Add a removed fraction"), "35 %");
    QTRY_COMPARE_WITH_TIMEOUT(std::ranges::count(live_->engine().settings().removed_fractions, 0.35), 1, patience_ms);
    for (int step = 0; step < 2; ++step) settings_of(window()).undo_stack().undo();
    QTRY_VERIFY_WITH_TIMEOUT(live_->engine().settings() == before, patience_ms);
  }

  /// The split comes first: on this model, only loading is possible.
  void move_offload() {
    const SessionSettings before = live_->engine().settings();
    QComboBox& split = *named<QComboBox>(window(), "Split of decode offload");
    QComboBox& tier = *named<QComboBox>(window(), "Tier of decode offload");
    choose(split, split.findData("load_only"));
    choose(tier, tier.findData("ssd"));
    QTRY_COMPARE_WITH_TIMEOUT(live_->engine().settings().decode_offload, std::string("ssd(split=load_only)"),
                              patience_ms);
    QCOMPARE(live_->engine().settings().decode_eviction, std::string("none"));
    // A part of a setting that contradicts the one that is chosen gives in.
    QComboBox& codec = *named<QComboBox>(window(), "Codec of decode offload");
    QComboBox& front = *named<QComboBox>(window(), "Front of decode offload that stays in memory");
    choose(codec, codec.findText("fp8"));
    QTRY_COMPARE_WITH_TIMEOUT(live_->engine().settings().decode_offload, std::string("ssd(split=load_only,codec=fp8)"),
                              patience_ms);
    choose(front, front.findData("inputs"));
    QTRY_COMPARE_WITH_TIMEOUT(live_->engine().settings().decode_offload, std::string("ssd(resident=inputs,codec=fp8)"),
                              patience_ms);
    choose(front, front.findData("none"));
    QTRY_COMPARE_WITH_TIMEOUT(live_->engine().settings().decode_offload, std::string("ssd(split=load_only,codec=fp8)"),
                              patience_ms);
    QComboBox& weights = *named<QComboBox>(window(), "Weights of decode offload");
    choose(weights, weights.findData("all_first"));
    QTRY_COMPARE_WITH_TIMEOUT(live_->engine().settings().decode_offload,
                              std::string("ssd(split=load_only,codec=fp8,weights=all_first)"), patience_ms);
    QComboBox& batch = *named<QComboBox>(window(), "Requests side by side of decode offload");
    choose(batch, batch.findData("column"));
    QTRY_COMPARE_WITH_TIMEOUT(live_->engine().settings().decode_offload,
                              std::string("ssd(split=load_only,codec=fp8,weights=all_first,batch=column)"),
                              patience_ms);
    for (int step = 0; step < 6; ++step) settings_of(window()).undo_stack().undo();
    QTRY_VERIFY_WITH_TIMEOUT(live_->engine().settings() == before, patience_ms);
  }

  /// Of a method that evicts pages.
  void move_page() {
    const SessionSettings before = live_->engine().settings();
    QComboBox& method = *named<QComboBox>(window(), "Decode-time eviction method");
    QComboBox& page = *named<QComboBox>(window(), "Page");
    QVERIFY(!page.isEnabled() && !named<QComboBox>(window(), "When to evict a page")->isEnabled());
    choose(method, method.findData("paged_eviction"));
    QTRY_COMPARE_WITH_TIMEOUT(live_->engine().settings().decode_eviction, std::string("paged_eviction(budget=40%)"),
                              patience_ms);
    QVERIFY(page.isEnabled());
    choose(page, page.findData(16));
    QTRY_COMPARE_WITH_TIMEOUT(live_->engine().settings().decode_eviction,
                              std::string("paged_eviction(page=16,budget=40%)"), patience_ms);
    QComboBox& evict = *named<QComboBox>(window(), "When to evict a page");
    QVERIFY(evict.isEnabled());
    choose(evict, evict.findText("when a page is full"));
    QTRY_COMPARE_WITH_TIMEOUT(live_->engine().settings().decode_eviction,
                              std::string("paged_eviction(evict_when=page_full,page=16,budget=40%)"), patience_ms);
    for (int step = 0; step < 3; ++step) settings_of(window()).undo_stack().undo();
    QTRY_VERIFY_WITH_TIMEOUT(live_->engine().settings() == before, patience_ms);
  }

  /// Chosen, and then applied: all of it is one undo step.
  void move_regime() {
    const SessionSettings before = live_->engine().settings();
    RegimeControls& regime = controls_of(window()).regime();
    choose(regime.regime(), regime.regime().findText("adaptcache-regime"));
    choose(regime.budget(), 4);
    choose(regime.alpha(), 0);
    QVERIFY2(regime.apply_button().isEnabled(), qPrintable(regime.note_text()));
    QVERIFY(live_->engine().settings() == before);
    regime.apply_button().click();
    QTRY_COMPARE_WITH_TIMEOUT(live_->engine().settings().policy, std::string("adaptcache(pool=paper)"), patience_ms);
    const SessionSettings after = live_->engine().settings();
    QCOMPARE(after.tiers[1].budget.bytes() / after.tiers[0].budget.bytes(), std::uint64_t{4});
    QVERIFY(after.requests_per_second > 0 && after.alpha != before.alpha && after.methods.size() == 4);
    settings_of(window()).undo_stack().undo();
    QTRY_VERIFY_WITH_TIMEOUT(live_->engine().settings() == before, patience_ms);
    choose(regime.regime(), 0);
  }

  /// Of the policy `formula` alone: typed, and applied by Enter.
  void move_formula() {
    QLineEdit& field = controls_of(window()).formula().expression();
    QVERIFY(!field.isVisibleTo(&controls_of(window())));
    if (!Formula::is_available()) return;  // this build has no such policy
    const SessionSettings before = live_->engine().settings();
    const int steps = settings_of(window()).undo_stack().index();
    QComboBox& policy = controls_of(window()).policy();
    choose(policy, policy.findData("formula(", Qt::UserRole, Qt::MatchStartsWith));
    QTRY_VERIFY_WITH_TIMEOUT(!formula_expression(live_->engine().settings().policy).empty(), patience_ms);
    QVERIFY(field.isEnabled() && field.isVisibleTo(&controls_of(window())));
    field.setFocus();
    field.selectAll();
    QTest::keyClicks(&field, "alpha*quality*frequency");
    QTest::keyClick(&field, Qt::Key_Return);
    QTRY_COMPARE_WITH_TIMEOUT(formula_expression(live_->engine().settings().policy),
                              std::string("alpha*quality*frequency"), patience_ms);
    QCOMPARE(settings_of(window()).undo_stack().index(), steps + 2);
    for (int step = 0; step < 2; ++step) settings_of(window()).undo_stack().undo();
    QTRY_VERIFY_WITH_TIMEOUT(live_->engine().settings() == before, patience_ms);
    QVERIFY(settings_of(window()).committed() == before && !field.isVisibleTo(&controls_of(window())));
  }

  /// A preference of the user's, and no setting of the session.
  void move_price(QDoubleSpinBox* price, const QUndoStack& stack) {
    QVERIFY(price != nullptr);
    const SessionSettings before = live_->engine().settings();
    const int steps = stack.index();
    const double value = price->value();
    move_by_kind(price);
    QVERIFY2(price->value() != value, qPrintable(price->accessibleName()));
    price->setValue(value);
    QVERIFY2(live_->engine().settings() == before && stack.index() == steps, qPrintable(price->accessibleName()));
  }

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there yet and ../shared is absent");
    auto live = LiveWindow::open(folder_.path().toStdString(), mixed_workload({"registry", "meeting"}, 2, 300, 3),
                                 {.tiers = {"dram=512KiB", "ssd=2MiB,bandwidth=80MB/s,latency=1ms"}, .runs = true});
    QVERIFY2(live.has_value(), live ? "" : live.error().message.c_str());
    live_ = std::move(*live);
    QTRY_VERIFY_WITH_TIMEOUT(run_of(window()).state() == RunState::ready, patience_ms);
    QTRY_COMPARE_WITH_TIMEOUT(run_of(window()).contexts.rowCount(), 4, patience_ms);
  }
  void cleanupTestCase() { live_.reset(); }

  // A text dropped on the window: it is looked at, the window closes for it, and the next serves questions made of it.
  void anotherWorkloadIsOpenedAndServed() {
    const Workload source = small_workload(1, 90, 4);
    QFile text(path("notes.txt"));
    QVERIFY(text.open(QIODevice::WriteOnly) && text.write(QByteArray::fromStdString(source.contexts[0].text)) > 2000);
    text.close();
    QSignalSpy opened(&window(), &MainWindow::openRequested);
    files_of(window()).open(path("missing.txt"));
    QTRY_VERIFY_WITH_TIMEOUT(window().banner().text().contains("missing.txt"), patience_ms);
    QCOMPARE(opened.count(), 0);
    files_of(window()).open(text.fileName());
    QMessageBox* box = nullptr;
    QTRY_VERIFY_WITH_TIMEOUT((box = window().findChild<QMessageBox*>("openWorkloadBox")) != nullptr, patience_ms);
    for (QAbstractButton* button : box->buttons())
      if (box->buttonRole(button) == QMessageBox::AcceptRole) button->click();
    QTRY_COMPARE_WITH_TIMEOUT(opened.count(), 1, patience_ms);
    SessionOptions options =
        LiveWindow::session_options(path("text").toStdString(), {.tiers = {"dram=16MiB"}, .policy = "lru"});
    options.workload = opened[0][0].toString().toStdString();
    LiveWindow other;
    auto session = open_session(options, {&other.sink});
    QVERIFY2(session.has_value(), session ? "" : session.error().message.c_str());
    other.session = std::move(*session);
    other.window = std::make_unique<MainWindow>(other.engine(), WindowOptions{path("text.ini"), true});
    other.window->show();
    QTRY_VERIFY_WITH_TIMEOUT(run_of(*other.window).served() >= 3, patience_ms);
    QCOMPARE(run_of(*other.window).contexts.rowCount(), 1);
    QVERIFY(run_of(*other.window).contexts.index(0, ContextsModel::context).data().toString().contains("notes"));
  }

  // While requests are served: the engine takes each change, and undo gives back the settings of before to the last
  // digit.
  void everyControlReachesTheEngineAndIsUndone() {
    live_->action("Start")->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(run_of(window()).served() >= 3, patience_ms);
    QUndoStack& stack = settings_of(window()).undo_stack();
    for (const Control& control : controls()) {
      const SessionSettings before = live_->engine().settings();
      const int steps = stack.index();
      const std::size_t changes = live_->sink.all<events::SettingChanged>().size();
      control.move(window());
      const bool taken =
          QTest::qWaitFor([&] { return control.moved(before, live_->engine().settings()); }, patience_ms);
      QVERIFY2(taken, control.name);
      QVERIFY2(stack.index() == steps + 1, control.name);
      QTRY_VERIFY_WITH_TIMEOUT(live_->sink.all<events::SettingChanged>().size() > changes,
                               patience_ms);  // in the journal, too
      stack.undo();
      const bool back = QTest::qWaitFor([&] { return live_->engine().settings() == before; }, patience_ms);
      QVERIFY2(back, control.name);
      QVERIFY2(stack.index() == steps && settings_of(window()).committed() == before, control.name);
    }
    const std::uint64_t served = run_of(window()).served();
    QTRY_VERIFY_WITH_TIMEOUT(run_of(window()).served() > served + 3, patience_ms);  // and serving continued
    live_->action("Stop")->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(run_of(window()).state() != RunState::running, patience_ms);
  }

  // As they stand in the dock, so a control that is new is moved, too: by its kind, and it must change what the engine
  // serves under.
  void everyControlInTheDockIsMoved() {
    live_->action("Start")->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(run_of(window()).state() == RunState::running, patience_ms);
    SettingsController& settings = settings_of(window());
    QUndoStack& stack = settings.undo_stack();
    const SessionSettings prepared = with_all_parts(settings.committed());
    const SessionSettings original = live_->engine().settings();
    QVERIFY(settings.commit(prepared, "all parts are seen", QString()));
    QTRY_VERIFY_WITH_TIMEOUT(live_->engine().settings() == prepared, patience_ms);
    // Uncompressed may always be chosen; prefills are batched by products that share their bits, which are not chosen.
    const std::set<QString> never_moved{"Method none", "Prefill batch"};
    const std::set<QString> memory_has_no_files{"dram faults", "dram fault probability", "dram fault seed"};
    const FormulaChart& chart = controls_of(window()).formula().chart();
    std::set<QString> moved;
    const QList<QWidget*> all = controls_of(window()).findChildren<QWidget*>();
    for (QWidget* control : all) {
      if (control == &chart || chart.isAncestorOf(control)) continue;  // shows values, and sets nothing
      const QString name = control->accessibleName();
      auto* combo = qobject_cast<QComboBox*>(control);
      auto* check = qobject_cast<QCheckBox*>(control);
      auto* slider = qobject_cast<QSlider*>(control);
      auto* whole = qobject_cast<QSpinBox*>(control);
      auto* number = qobject_cast<QDoubleSpinBox*>(control);
      auto* line = name.isEmpty() ? nullptr : qobject_cast<QLineEdit*>(control);
      const bool takes_keys =
          control->focusPolicy() != Qt::NoFocus && !qobject_cast<QLabel*>(control) && !name.isEmpty();
      const bool is_price = name.endsWith(" price");
      if (is_price) move_price(number, stack);
      if (is_price || moved_in_order.contains(name) || name.startsWith("Add a ")) continue;
      if (!combo && !check && !slider && !whole && !number && !line) {
        QVERIFY2(!takes_keys || control == &controls_of(window()),
                 qPrintable(name + ": this test does not know how to move it"));
        continue;
      }
      QVERIFY2(!name.isEmpty(), control->metaObject()->className());
      if (never_moved.contains(name)) {
        QVERIFY(!control->isEnabled());
        continue;
      }
      if (memory_has_no_files.contains(name)) {
        QVERIFY2(!control->isVisibleTo(&controls_of(window())), qPrintable(name));
        continue;
      }
      QVERIFY2(control->isEnabled() && control->isVisibleTo(&controls_of(window())), qPrintable(name));
      const SessionSettings before = live_->engine().settings();
      const int steps = stack.index();
      move_by_kind(control);
      QTRY_VERIFY2_WITH_TIMEOUT(!(live_->engine().settings() == before), qPrintable(name), patience_ms);
      QVERIFY2(stack.index() == steps + 1, qPrintable(name));
      stack.undo();
      QTRY_VERIFY2_WITH_TIMEOUT(live_->engine().settings() == before, qPrintable(name), patience_ms);
      QVERIFY2(stack.index() == steps && settings.committed() == before, qPrintable(name));
      moved.insert(name);
    }
    for (const char* name : {"Policy", "Arrival rate", "Max concurrency", "Re-profile on drift", "Drift rule",
                             "Drift threshold", "ssd speed", "ssd throttled bandwidth", "ssd throttled latency",
                             "dram speed", "ssd faults", "ssd fault probability", "ssd fault seed"})
      QVERIFY2(moved.contains(name), name);
    QVERIFY2(moved.size() > 20, qPrintable(QString::number(moved.size())));
    for (const auto move_others : {&EndToEndTest::add_candidates, &EndToEndTest::move_page, &EndToEndTest::move_offload,
                                   &EndToEndTest::move_regime, &EndToEndTest::move_formula}) {
      (this->*move_others)();
      if (QTest::currentTestFailed()) return;
    }
    stack.undo();
    QTRY_VERIFY_WITH_TIMEOUT(live_->engine().settings() == original, patience_ms);
    live_->action("Stop")->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(run_of(window()).state() != RunState::running, patience_ms);
  }

  void twoRunsAreComparedGoneThroughAndWritten() {
    QComboBox& policy = controls_of(window()).policy();
    QStringList ids;
    for (const char* name : {"full_prefill", "lru"}) {
      choose(policy, policy.findData(name));
      QTRY_COMPARE_WITH_TIMEOUT(live_->engine().settings().policy, std::string(name), patience_ms);
      ids << record(16);
      QVERIFY(!ids.back().isEmpty());
    }
    QVERIFY(ids[0] != ids[1]);
    window().show_view("runs");
    runs().model().refresh();
    QTRY_VERIFY_WITH_TIMEOUT(
        runs().model().row_of(ids[1]) >= 0 && runs().model().row(runs().model().row_of(ids[1]))->ended(), patience_ms);

    compare_runs(*live_, ids);
    if (QTest::currentTestFailed()) return;
    replay_run(*live_, ids[1]);
    if (QTest::currentTestFailed()) return;
    write_files(*live_, ids, folder_);
    if (QTest::currentTestFailed()) return;
    write_charts(window(), folder_);
  }
};

KV_TEST_PROGRAM(argc, argv) {
  QApplication application(argc, argv);
  QApplication::setOrganizationName("kvantage-test");
  QApplication::setApplicationName("end-to-end-test");
  EndToEndTest test;
  return QTest::qExec(&test, argc, argv);
}

}  // namespace end_to_end_test

#include "end_to_end_test.moc"
