// links: kv_ui kv_experiments
// Every chart without a mouse: Tab reaches it, arrow keys move from point to point and show what hovering shows, Enter
// does what a click does, Esc leaves.
#include <QAbstractItemView>
#include <QAccessible>
#include <QAccessibleInterface>
#include <QApplication>
#include <QMenu>
#include <QSignalSpy>
#include <QStackedWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QToolTip>
#include <QUndoStack>

#include "core/base/files.h"
#include "core/experiments/model/pool_walk.h"
#include "tests/support/test_program.h"
#include "tests/ui/ask/scripted_asker.h"
#include "tests/ui/ask/scripted_inspector.h"
#include "tests/ui/live/frontier/fitted_session.h"
#include "tests/ui/live/scripted_spans.h"
#include "tests/ui/runs/memory_library.h"
#include "tests/ui/window/scripted_window.h"
#include "ui/ask/ask_page.h"
#include "ui/live/contexts/imported/what_if_page.h"
#include "ui/live/decisions/utility_bars.h"
#include "ui/live/pool/pool_dock.h"
#include "ui/live/requests/pipeline_dock.h"
#include "ui/runs/runs_dock.h"
#include "ui/text/words.h"
#include "ui/tokens/keep_map_dock.h"

namespace chart_keys_test {

using namespace kvantage;

namespace {

/// What a reader of the screen is given.
QString described(QWidget& chart) {
  QAccessibleInterface* face = QAccessible::queryAccessibleInterface(&chart);
  return face ? face->text(QAccessible::Description) : QString();
}

}  // namespace

class ChartKeysTest : public QObject {
  Q_OBJECT
  ScriptedWindow scripted_;
  QTemporaryDir folder_;
  FittedSession session_;
  ScriptedInspector inspector_;
  ScriptedAsker asker_;
  TwoReads spans_;
  std::unique_ptr<MainWindow> window_;

  /// Brings what a chart stands on to the front: its dock, its page.
  void bring_up(QWidget& chart) {
    if (frontier_of(*window_).isAncestorOf(&chart) || &chart == &frontier_of(*window_)) modes_of(*window_).leave();
    for (const auto& [id, dock] : docks_of(*window_).all())
      if (dock->isAncestorOf(&chart)) docks_of(*window_).bring_up(id);
    for (const char* mode : {"ask", "tokens", "runs"})  // figures and experiments have no results here
      if (modes_of(*window_).page(mode)->isAncestorOf(&chart)) window_->show_view(mode);
    for (QWidget *page = &chart, *at = chart.parentWidget(); at; page = at, at = at->parentWidget())
      if (auto* stack = qobject_cast<QStackedWidget*>(at)) {
        if (auto* tabs = qobject_cast<QTabWidget*>(at->parentWidget()))
          tabs->setCurrentWidget(page);
        else if (stack->currentWidget() != page)
          return;  // what it needs is not there
      }
    (void)QTest::qWaitFor([&chart] { return chart.isVisible(); }, 300);
    if (auto* bars = qobject_cast<UtilityBars*>(&chart)) {  // of a context, computed again when they are shown
      Selection& selection = run_of(*window_).selection;
      if (selection.context().isEmpty()) selection.choose_context("inventory-1");
      (void)QTest::qWaitFor([&] { return !contexts_of(*window_).decision().splits().empty(); });
      bars->flush();
    }
  }

  /// Two contexts of a trace, asked for in turn.
  void plan_what_if() {
    std::string trace;
    for (int i = 0; i < 6; ++i)
      trace += R"({"timestamp": )" + std::to_string(i * 1000) +
               R"(, "input_length": 1000, "output_length": 1, "hash_ids": [)" + std::to_string(2 * (i % 2)) + ", " +
               std::to_string(2 * (i % 2) + 1) + "]}\n";
    const QString path = folder_.filePath("trace.jsonl");
    QVERIFY(write_text_file(path.toStdString(), trace));
    WhatIfModel& model = sensitivity_of(*window_).what_if().model();
    model.open();
    model.set_trace(path);
    QTRY_VERIFY(!model.busy());
    QVERIFY2(!model.points().empty(), qPrintable(model.note()));
  }

  bool tab_reaches(QWidget& chart) {
    for (int i = 0; i < 600 && !chart.hasFocus(); ++i) {
      QWidget* now = window_->focusWidget();
      QTest::keyClick(now ? now : window_.get(), Qt::Key_Tab);
    }
    return chart.hasFocus();
  }

 private slots:
  void initTestCase() {
    WindowOptions options = scripted_.options();
    auto library = std::make_shared<MemoryLibrary>();
    for (const char* id : {"a", "b"}) library->runs[id] = scripted_run(id, 12, 40, 2);
    options.runs = library;
    options.inspector = &inspector_;
    options.asker = &asker_;
    options.spans = &spans_;
    options.walk_pool = walk_pool;
    options.presets_folder = QStringLiteral(KVANTAGE_SOURCE_DIR "/resources/presets");
    window_ = scripted_.loaded(session_, options);
    session_.serve(60);
    for (const std::uint64_t blocks : {9, 12, 11}) {  // the session's pool, and a pass in it
      session_.advance(1);
      session_.emit_event(events::PoolSampled{{.capacity_blocks = 64, .live_blocks = blocks, .block_bytes = 4096}});
    }
    session_.emit_event(events::CacheCompacted{3, session_.snapshot()->contexts[1].id, 16, 3, 40, 0.001});
    QTRY_COMPARE(run_of(*window_).served(), 60u);
    run_of(*window_).selection.choose_context(to_q(session_.snapshot()->contexts[3].id));
    auto* runs = window_->body<RunsDock>("runs");
    window_->show_view("runs");
    QTRY_COMPARE(runs->model().rowCount(), 2);
    runs->choose({"a", "b"});
    runs->compare_chosen();
    QTRY_COMPARE(runs->comparison().sides(), 2);
    for (const auto& [id, dock] : docks_of(*window_).all()) {
      docks_of(*window_).bring_up(id);
      test::settle(30);
      if (id == "contexts") QTRY_VERIFY(!contexts_of(*window_).decision().splits().empty());
    }
    tiers_of(*window_).fit_page().flush();
    QTRY_VERIFY(!tiers_of(*window_).fit_page().chart().table().rows.isEmpty());
    window_->show_view("tokens");
    QTRY_VERIFY(window_->body<KeepMapDock>("tokens")->model().complete());
    window_->show_view("ask");
    auto* ask = window_->body<AskPage>("ask");
    ask->question().setText("Who?");
    ask->model().ask();
    asker_.show(asker_.answer(true));
    QTRY_VERIFY(!ask->model().busy());
    modes_of(*window_).leave();
    QTRY_VERIFY(window_->body<PoolDock>("pool")->model().size() > 0);
    ImportedProfile imported{{"scores.csv", std::string(32, '1'), "2026-11-29", "table"}, "a model", {}};
    imported.points = {{"qa", "none", 0, 0.9}};
    for (const char* method : {"knorm", "snapkv"})
      for (const double removed : {0.25, 0.5}) imported.points.push_back({"qa", method, removed, 0.9 - removed});
    sensitivity_of(*window_).imported().curves().add(imported);
    plan_what_if();
    if (QTest::currentTestFailed()) return;
    window_->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(window_.get()));
  }
  void cleanupTestCase() { window_.reset(); }
  void init() { modes_of(*window_).leave(); }

  void everyChartIsWalkedWithTheKeyboard() {
    // Around tables and forms, which have keys of their own.
    const QSet<QString> pages{"Controls", "Marks of the recorded run", "Tier counters", "Answers"};
    QSet<QString> walked;
    for (const ChartExport& one : charts_of(*window_)) {
      QWidget& chart = *one.picture;
      if (qobject_cast<QAbstractItemView*>(&chart)) continue;
      if (pages.contains(one.name)) {
        QCOMPARE(chart.focusPolicy(), Qt::NoFocus);
        continue;
      }
      bring_up(chart);
      if (!chart.isVisible()) {
        // Which the keep map is not asked for; which no figure was made for; which the policy has none of (below).
        QVERIFY2(one.name.contains("second method") || one.name.endsWith("of a figure") ||
                     &chart == &controls_of(*window_).formula().chart(),
                 qPrintable(one.name));
        continue;
      }
      if (auto* panel = qobject_cast<ChartPanel*>(&chart)) panel->flush();
      QVERIFY2(!chart.accessibleName().isEmpty() && !chart.toolTip().isEmpty(), qPrintable(one.name));
      QVERIFY2(chart.focusPolicy() & Qt::TabFocus, qPrintable(one.name));
      QVERIFY2(tab_reaches(chart), qPrintable(one.name));
      const bool time_line = qobject_cast<PipelineView*>(&chart);  // the arrow alone moves what is seen of it
      QStringList told;
      for (const int key : {Qt::Key_Right, Qt::Key_Right, Qt::Key_Down, Qt::Key_Right}) {
        QTest::keyClick(&chart, static_cast<Qt::Key>(key), time_line ? Qt::ControlModifier : Qt::NoModifier);
        told << described(chart);
      }
      QVERIFY2(!told[0].isEmpty(), qPrintable(one.name));
      told.removeDuplicates();
      QVERIFY2(told.size() >= 2, qPrintable(one.name + ": " + told.join(" | ")));
      walked << one.name;
    }
    for (const char* name :
         {"Frontier", "Sensitivity by family", "Quality of one context", "Sensitivity heat map", "Hit rates",
          "Pool over time", "Loads versus the fit", "Occupancy of dram", "Occupancy of ssd", "Pool", "Pipeline",
          "TTFT versus quality of the compared runs", "Imported quality"})
      QVERIFY2(walked.contains(name), qPrintable(QString(name) + " of " + QStringList(walked.values()).join(", ")));
  }

  // All that stand on the shared keys, whatever they draw.
  void keysTellWhatHoveringTellsAndEscLeaves() {
    int seen = 0;
    for (const PointKeys* keys : window_->findChildren<PointKeys*>()) {
      auto* chart = qobject_cast<QWidget*>(keys->parent());
      bring_up(*chart);
      if (!chart->isVisible()) continue;
      chart->setFocus(Qt::TabFocusReason);
      QVERIFY(chart->hasFocus());
      QTest::keyClick(chart, Qt::Key_Escape);
      QVERIFY(!keys->stop());
      if (qobject_cast<UtilityBars*>(chart)) bring_up(*chart);   // Esc has cleared the context that they are of
      if (keys->stop()) QTest::keyClick(chart, Qt::Key_Escape);  // its bar is there again
      const QString before = chart->accessibleDescription();
      QVERIFY2(before.contains("arrow keys"), qPrintable(before));
      QTest::keyClick(chart, Qt::Key_Right);
      QVERIFY2(keys->stop(), qPrintable(chart->accessibleName()));
      QCOMPARE(chart->accessibleDescription(), keys->stop()->text());
      QCOMPARE(QToolTip::text(), keys->stop()->text());
      const auto near = keys->near(keys->stop()->mark.center());
      QVERIFY(near);
      QTest::keyClick(chart, Qt::Key_End);
      const auto end = keys->place();
      QTest::keyClick(chart, Qt::Key_Right);
      QCOMPARE(keys->place()->stop, end->stop);
      QTest::keyClick(chart, Qt::Key_Home);
      QCOMPARE(keys->place()->stop, std::size_t{0});
      for (std::size_t row = 0; row < 3; ++row) QTest::keyClick(chart, Qt::Key_Down);
      for (std::size_t row = 0; row < 3; ++row) QTest::keyClick(chart, Qt::Key_Up);
      if (chart != &sensitivity_of(*window_).heat_map())
        QVERIFY2(keys->place()->row == 0, qPrintable(chart->accessibleName()));  // which begins at the chosen context
      const QString chosen = run_of(*window_).selection.context();
      QTest::keyClick(chart, Qt::Key_Escape);
      QVERIFY2(!keys->stop(), qPrintable(chart->accessibleName()));
      QCOMPARE(chart->accessibleDescription(), before);
      QCOMPARE(run_of(*window_).selection.context(), chosen);  // the first Esc clears the point alone
      ++seen;
    }
    QVERIFY2(seen >= 9, qPrintable(QString::number(seen)));
  }

  void enterDoesWhatAClickDoes() {
    Selection& selection = run_of(*window_).selection;
    CdfChart& families = sensitivity_of(*window_).cdf();
    bring_up(families);
    families.flush();
    families.setFocus();
    QTest::keyClick(&families, Qt::Key_Right);
    QTest::keyClick(&families, Qt::Key_Right);
    const QString context = families.keys().stop()->id;
    QVERIFY(!context.isEmpty() && families.accessibleDescription().contains(context));
    selection.clear();
    QTest::keyClick(&families, Qt::Key_Return);
    QCOMPARE(selection.context(), context);

    HeatMap& heat_map = sensitivity_of(*window_).heat_map();
    bring_up(heat_map);
    heat_map.setFocus();
    if (heat_map.keys().stop()) QTest::keyClick(&heat_map, Qt::Key_Escape);
    QTest::keyClick(&heat_map, Qt::Key_Down);  // from the chosen context to the next
    QVERIFY(selection.context() != context);
    QCOMPARE(selection.context(), heat_map.keys().stop()->row);
    const QString below = selection.context();
    QTest::keyClick(&heat_map, Qt::Key_Up);
    QCOMPARE(selection.context(), context);
    QTest::keyClick(&heat_map, Qt::Key_Right);  // along its removed fractions
    QCOMPARE(selection.context(), context);
    QVERIFY(below != context);

    QualityCurveChart& curves = sensitivity_of(*window_).curves();
    bring_up(curves);
    curves.flush();
    curves.setFocus();
    for (int i = 0; i < 3; ++i) QTest::keyClick(&curves, Qt::Key_Right);
    const auto point = curves.keys().stop();
    QVERIFY(point && point->along > 0);
    selection.clear();
    QTest::keyClick(&curves, Qt::Key_Enter);
    QCOMPARE(selection.context(), context);
    QCOMPARE(run_of(*window_).sensitivity.method(), point->row);
    QCOMPARE(run_of(*window_).sensitivity.removed_fraction(), point->along);

    OccupancyPlot* moved = nullptr;
    for (OccupancyPlot* plot : tiers_of(*window_).findChildren<OccupancyPlot*>())
      if (run_of(*window_).tiers.find(plot->tier())->marks.size() > 1) moved = plot;
    QVERIFY(moved);
    bring_up(*moved);
    moved->setFocus();
    if (moved->keys().stop()) QTest::keyClick(moved, Qt::Key_Escape);  // from another row
    QTest::keyClick(moved, Qt::Key_Right);
    QTest::keyClick(moved, Qt::Key_Down);
    QTest::keyClick(moved, Qt::Key_End);
    const auto mark = moved->keys().stop();
    QVERIFY(mark && !mark->id.isEmpty());
    selection.clear();
    QTest::keyClick(moved, Qt::Key_Return);
    QCOMPARE(selection.context(), mark->id);

    auto* runs = window_->body<RunsDock>("runs");
    CompareChart& compared = runs->compare_page().chart();
    bring_up(compared);
    compared.flush();
    compared.setFocus();
    QTest::keyClick(&compared, Qt::Key_Right);
    QSignalSpy picked(&compared, &CompareChart::runPicked);
    QTest::keyClick(&compared, Qt::Key_Return);
    QCOMPARE(picked.size(), 1);
    const QStringList run{picked[0][0].toString()};
    QTRY_COMPARE(runs->chosen(), run);
    QTRY_VERIFY(runs->showing_metrics());
  }

  // Hidden until a formula is the policy.
  void theFormulaIsWalkedWhereItIsThePolicy() {
    if (!Formula::is_available()) QSKIP("this build has no muParser");
    FormulaChart& chart = controls_of(*window_).formula().chart();
    QVERIFY(!chart.isVisible());
    SessionSettings settings = settings_of(*window_).committed();
    settings.policy = "formula((alpha*quality-ttft)*frequency)";
    QVERIFY(settings_of(*window_).commit(settings, "formula", QString()));
    QTRY_VERIFY(chart.points().points.size() >= 2);
    bring_up(chart);
    chart.flush();
    QVERIFY(chart.isVisible() && tab_reaches(chart));
    QStringList told;
    for (int i = 0; i < 2; ++i) {
      QTest::keyClick(&chart, Qt::Key_Right);
      QVERIFY(chart.keys().stop());
      QCOMPARE(chart.accessibleDescription(), chart.keys().stop()->text());
      told << described(chart);
    }
    QVERIFY2(told[0].contains("formula: ") && told[0] != told[1], qPrintable(told.join(" | ")));
    QTest::keyClick(&chart, Qt::Key_Escape);
    QVERIFY(!chart.keys().stop());
    settings_of(*window_).undo_stack().undo();
    QVERIFY(!chart.isVisible());
  }

  // Where two stops are at one moment the keys do not get stuck between them.
  void stopsAtOneMomentAreAllGoneThrough() {
    PointCursor<PointStop> cursor;
    std::vector<PointStop> row;
    for (int i = 0; i < 4; ++i)
      row.push_back({"row", "context", i < 3 ? 1.0 : 2.0, mark_around({10.0 * i, 0}), QString::number(i)});
    const PointCursor<PointStop>::Rows rows{row};
    QStringList told;
    for (int i = 0; i < 5; ++i) {
      cursor.move(Qt::Key_Right, rows);
      told << cursor.stop(rows)->tip;
    }
    QCOMPARE(told, (QStringList{"0", "1", "2", "3", "3"}));
    // Other metrics: what was before it is gone, and the cursor is still at its moment.
    const PointCursor<PointStop>::Rows later{{row[1], row[3]}};
    QCOMPARE(cursor.stop(later)->tip, QString("3"));
  }
};

KV_TEST_MAIN(ChartKeysTest)

}  // namespace chart_keys_test

#include "chart_keys_test.moc"
