// links: kv_ui
// One selection: what is chosen in any view is marked in all of them, and Esc clears it.
#include "ui/session/selection.h"

#include <QAbstractItemModelTester>
#include <QChartView>
#include <QComboBox>
#include <QEnterEvent>
#include <QSignalSpy>
#include <QTest>

#include "core/policy/frontier.h"
#include "tests/support/test_program.h"
#include "tests/ui/ask/scripted_inspector.h"
#include "tests/ui/live/frontier/fitted_session.h"
#include "tests/ui/live/scripted_spans.h"
#include "tests/ui/window/scripted_window.h"
#include "ui/live/requests/events_dock.h"
#include "ui/live/requests/pipeline_dock.h"
#include "ui/live/tiers/hit_rates_dock.h"
#include "ui/text/words.h"
#include "ui/tokens/keep_map_dock.h"

namespace selection_test {

using namespace kvantage;

namespace {

QString id_of(MainWindow& window, std::size_t index) { return to_q(run_of(window).snapshot()->contexts[index].id); }

/// Requests whose row is tinted, by context; a tinted row of another context is a failure.
int tinted_requests(MainWindow& window, const QString& context) {
  const QAbstractItemModel& model = *requests_of(window).table().model();
  int tinted = 0;
  for (int r = 0; r < model.rowCount(); ++r) {
    const QModelIndex at = model.index(r, 0);
    const bool tint = at.data(Qt::BackgroundRole).isValid();
    if (tint != (!context.isEmpty() && at.data(RequestsModel::context_role).toString() == context)) return -1;
    tinted += tint;
  }
  return tinted;
}

}  // namespace

class SelectionTest : public QObject {
  Q_OBJECT
  ScriptedWindow scripted_;

  void compare_everywhere(MainWindow& window, const QString& context) {
    QCOMPARE(run_of(window).selection.context(), context);
    QCOMPARE(contexts_of(window).marked(), context);
    QCOMPARE(contexts_of(window).decision().context(), context);
    QCOMPARE(run_of(window).sensitivity.marked(), !context.isEmpty());
    if (!context.isEmpty()) QCOMPARE(run_of(window).sensitivity.context(), context);
    int requests = 0;
    for (int r = 0; r < run_of(window).requests.rowCount(); ++r)
      requests += !context.isEmpty() && run_of(window).requests.row(r)->record.context_id == context.toStdString();
    QCOMPARE(tinted_requests(window, context), requests);
    const QAbstractItemModel& lines = *window.body<EventsDock>("events")->table().model();
    for (int r = 0; r < lines.rowCount(); ++r) {
      const bool about = !context.isEmpty() && lines.index(r, 0).data(EventsModel::context_role).toString() == context;
      QCOMPARE(lines.index(r, 0).data(Qt::BackgroundRole).isValid(), about);
    }
    const auto snapshot = run_of(window).snapshot();
    tiers_of(window).flush();
    for (std::size_t t = 0; t < snapshot->tiers.size(); ++t) {
      const auto found = std::ranges::find(snapshot->contexts, context.toStdString(), &ContextState::id);
      const bool here = found != snapshot->contexts.end() && found->placement.tier == static_cast<int>(t);
      QCOMPARE(tiers_of(window).chosen_text(snapshot->tiers[t].name).startsWith(context + ": "), here);
    }

    // Charts: its place among its family, its loads and its place on the fit of the tier that it is on, its requests.
    CdfChart& families = sensitivity_of(window).cdf();
    families.flush();
    QCOMPARE(families.chosen().has_value(), !context.isEmpty());
    QCOMPARE(families.chosen_text().startsWith(context + ": drop "), !context.isEmpty());
    TierFitPage& page = tiers_of(window).fit_page();
    page.flush();
    for (int t = 0; t < page.choice().count(); ++t) {
      page.choice().setCurrentIndex(t);
      TierFitChart& fit = page.chart();
      fit.flush();
      const auto found = std::ranges::find(snapshot->contexts, context.toStdString(), &ContextState::id);
      const bool here = found != snapshot->contexts.end() && found->placement.stored() &&
                        tier_text(*snapshot, found->placement.tier) == fit.tier();
      QCOMPARE(fit.chosen_place().has_value(), here);
      QCOMPARE(fit.chosen_text().isEmpty(), context.isEmpty());
      std::size_t loads = 0;
      for (int r = 0; r < run_of(window).requests.rowCount(); ++r) {
        const RequestRecord& record = run_of(window).requests.row(r)->record;
        loads += !context.isEmpty() && record.context_id == context.toStdString() && to_q(record.source) == fit.tier();
      }
      QCOMPARE(fit.chosen_loads().size(), std::min<std::size_t>(loads, 64));
    }
    auto* rates = window.body<HitRatesDock>("hitRates")->findChild<HitRateChart*>();
    rates->flush();
    QCOMPARE(rates->marks_text().startsWith(context + ": "), !context.isEmpty());
    QCOMPARE(rates->marks().size(), static_cast<std::size_t>(requests));
    QCOMPARE(run_of(window).frontier.chosen_context(), context);
  }

  /// By the box beside the curves, the curves themselves, and a point of them.
  void choose_by_curves(MainWindow& window) {
    SensitivityDock& sensitivity = sensitivity_of(window);
    dock_of(window, "sensitivity")->raise();
    QComboBox& box = sensitivity.context_box();
    QTRY_COMPARE(box.currentText(), id_of(window, 5));
    QCOMPARE(box.count(), static_cast<int>(run_of(window).snapshot()->contexts.size()));
    box.setCurrentText(id_of(window, 7));
    emit box.textActivated(box.currentText());
    compare_everywhere(window, id_of(window, 7));
    QVERIFY(run_of(window).selection.clear());
    QualityCurveChart& curves = sensitivity.curves();
    curves.flush();
    auto* view = curves.findChild<QChartView*>();
    QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, view->viewport()->rect().center());
    compare_everywhere(window, id_of(window, 7));
    QEnterEvent enter({5, 5}, {5, 5}, {5, 5});
    QCoreApplication::sendEvent(&curves, &enter);
    QCOMPARE(run_of(window).selection.hovered(), id_of(window, 7));
    QEvent leave(QEvent::Leave);
    QCoreApplication::sendEvent(&curves, &leave);
    QCOMPARE(run_of(window).selection.hovered(), QString());
  }

  void choose_by_request_and_event(MainWindow& window) {
    QTableView& requests = requests_of(window).table();
    dock_of(window, "requests")->raise();
    const QModelIndex row = requests.model()->index(4, 0);
    requests.scrollTo(row);
    QTest::mouseClick(requests.viewport(), Qt::LeftButton, {}, requests.visualRect(row).center());
    const QString by_request = row.data(RequestsModel::context_role).toString();
    compare_everywhere(window, by_request);
    QCOMPARE(run_of(window).selection.request(), row.siblingAtColumn(RequestsModel::number).data().toULongLong());
    QCOMPARE(requests.currentIndex().row(), 4);

    QTableView& lines = window.body<EventsDock>("events")->table();
    docks_of(window).bring_up("events");
    QModelIndex line;
    for (int r = 0; r < lines.model()->rowCount() && !line.isValid(); ++r)
      if (const QString about = lines.model()->index(r, 0).data(EventsModel::context_role).toString();
          !about.isEmpty() && about != by_request)
        line = lines.model()->index(r, 0);
    QVERIFY(line.isValid());
    lines.scrollTo(line);
    QTest::mouseClick(lines.viewport(), Qt::LeftButton, {}, lines.visualRect(line).center());
    compare_everywhere(window, line.data(EventsModel::context_role).toString());
  }

 private slots:
  // A dock that is new has a place in compare_everywhere, or shows no context.
  void everyDockIsLookedAt() {
    const QSet<QString> marking{"requests", "contexts", "tiers",  "hitRates", "sensitivity",
                                "events",   "pipeline", "tokens", "ask"};
    const QSet<QString> without_contexts{"controls", "pool", "replay"};
    for (const DockEntry& entry : dock_registry())
      QVERIFY2(marking.contains(entry.id) != without_contexts.contains(entry.id), qPrintable(entry.id));
    const QSet<QString> pages_without{"live", "experiments", "runs", "papers", "learn", "start", "models"};
    for (const ModeEntry& entry : mode_registry())
      QVERIFY2(marking.contains(entry.id) != pages_without.contains(entry.id), qPrintable(entry.id));
  }

  void chosenInOneViewMarkedInAll() {
    FittedSession session;
    auto window = scripted_.loaded(session);
    session.serve(40);
    QTRY_COMPARE(run_of(*window).served(), 40u);
    QTRY_COMPARE(run_of(*window).snapshot()->version, session.snapshot()->version);
    compare_everywhere(*window, {});  // nothing at first

    dock_of(*window, "contexts")->raise();
    QTableView& contexts = contexts_of(*window).table();
    contexts.selectRow(3);
    const QString by_table = contexts.model()->index(3, 0).data(ContextsModel::context_role).toString();
    compare_everywhere(*window, by_table);

    run_of(*window).sensitivity.pick_context(id_of(*window, 5));  // as the heat map does
    compare_everywhere(*window, id_of(*window, 5));

    choose_by_curves(*window);
    if (QTest::currentTestFailed()) return;
    choose_by_request_and_event(*window);
    if (QTest::currentTestFailed()) return;

    // A click on the heat map, and the row of what is chosen elsewhere comes into its view.
    docks_of(*window).bring_up("sensitivity");
    HeatMap& heat_map = sensitivity_of(*window).heat_map();
    sensitivity_of(*window).tabs().setCurrentWidget(&heat_map);
    QTRY_VERIFY(heat_map.row_count() > 0);
    const QString before = run_of(*window).selection.context();
    QTest::mouseClick(heat_map.viewport(), Qt::LeftButton, {}, QPoint(30, heat_map.viewport()->height() - 12));
    QVERIFY(run_of(*window).selection.context() != before);
    compare_everywhere(*window, run_of(*window).selection.context());

    OccupancyPlot* plot = tiers_of(*window).findChild<OccupancyPlot*>();
    QVERIFY(plot);
    emit plot->contextPicked(id_of(*window, 9));
    compare_everywhere(*window, id_of(*window, 9));

    // Rows that come and go choose nobody else.
    contexts_of(*window).filter().setText("no such context");
    QCOMPARE(run_of(*window).selection.context(), id_of(*window, 9));
    QCOMPARE(contexts_of(*window).marked(), QString());
    contexts_of(*window).filter().clear();
    compare_everywhere(*window, id_of(*window, 9));
    session.serve(10);
    QTRY_COMPARE(run_of(*window).served(), 50u);
    QTRY_COMPARE(run_of(*window).snapshot()->version, session.snapshot()->version);
    compare_everywhere(*window, id_of(*window, 9));

    window->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(window.get()));
    QTest::keyClick(window.get(), Qt::Key_Escape);
    compare_everywhere(*window, {});
  }

  // These show one context and ask for it only while they are seen.
  void theKeepMapAndThePipelineGoToTheChosenContext() {
    ScriptedSession session;
    ScriptedInspector inspector;
    TwoReads spans;
    WindowOptions options = scripted_.options();
    options.inspector = &inspector;
    options.spans = &spans;
    auto window = scripted_.loaded(session, options);
    session.serve(60);
    QTRY_COMPARE(run_of(*window).served(), 60u);
    const RequestsModel& requests = run_of(*window).requests;
    for (const int at : {3, 20, 41}) {
      const QString context = to_q(requests.row(at)->record.context_id);
      run_of(*window).selection.choose_context(context);
      window->show_view("tokens");
      QTRY_COMPARE(window->body<KeepMapDock>("tokens")->model().context(), context);
      docks_of(*window).bring_up("pipeline");
      const PipelineModel& shown = window->body<PipelineDock>("pipeline")->model();
      QTRY_COMPARE(to_q(shown.record().context_id), context);
      std::uint64_t newest = 0;
      for (int r = 0; r < requests.rowCount(); ++r)
        if (to_q(requests.row(r)->record.context_id) == context) newest = std::max(newest, requests.row(r)->record.id);
      QCOMPARE(shown.record().id, newest);
    }
  }

  void theContextUnderTheMouseIsShownOnTheFrontier() {
    ScriptedSession session;
    auto window = scripted_.loaded(session);
    session.serve(10);
    QTRY_COMPARE(run_of(*window).served(), 10u);
    const QString chosen = id_of(*window, 2);
    run_of(*window).selection.choose_context(chosen);
    QCOMPARE(run_of(*window).frontier.chosen_context(), chosen);
    dock_of(*window, "contexts")->show();
    dock_of(*window, "contexts")->raise();
    QTableView& table = contexts_of(*window).table();
    QTRY_VERIFY(table.isVisible());
    const QModelIndex row = table.model()->index(0, 0);
    emit table.entered(row);
    QCOMPARE(run_of(*window).frontier.chosen_context(), row.data(ContextsModel::context_role).toString());
    QVERIFY(run_of(*window).frontier.chosen_mean().has_value());
    QEvent leave(QEvent::Leave);
    QCoreApplication::sendEvent(table.viewport(), &leave);
    QCOMPARE(run_of(*window).frontier.chosen_context(), chosen);
  }

  void aMarkOfATierChoosesItsContext() {
    ScriptedSession session;
    RunModel run(session);
    session.set_state(RunState::ready);
    run.tick();
    PlacementAction action;
    action.kind = ActionKind::demote;
    action.from = {0, "none", 0};
    action.to = {1, "none", 0};
    run.tiers.placement_committed(2, {action, "story-2", 0});
    run.tiers.tier_occupancy(20, {"dram", 1000, 2000, {}});
    OccupancyPlot plot(run.tiers, "dram");
    plot.resize(400, 200);
    QSignalSpy picked(&plot, &OccupancyPlot::contextPicked);
    for (int x = 0; x < plot.width() && picked.isEmpty(); x += 4)
      for (int y = plot.height() - 1; y > 0 && picked.isEmpty(); y -= 3)
        QTest::mouseClick(&plot, Qt::LeftButton, {}, {x, y});
    QCOMPARE(picked.size(), 1);
    QCOMPARE(picked[0][0].toString(), QString("story-2"));
  }

  // The axis reaches to ten seconds at least; what a tier holds is drawn up to the last event, not beyond.
  void occupancyEndsAtThePresent() {
    ScriptedSession session;
    RunModel run(session);
    session.set_state(RunState::ready);
    run.tick();
    run.tiers.tier_occupancy(1, {"dram", 12 << 20, 13 << 20, {{"none", 12 << 20}}});
    run.tiers.tier_occupancy(4, {"dram", 12 << 20, 13 << 20, {{"none", 12 << 20}}});
    OccupancyPlot plot(run.tiers, "dram");
    plot.resize(400, 200);
    plot.set_theme(theme_of(ThemeKind::light));
    const QImage drawn = plot.grab().toImage();
    QRectF area = plot.plot();
    const auto color_at = [&](double seconds) {
      const QPointF at(area.left() + area.width() * seconds / 10, area.bottom() - area.height() * 0.55);
      return drawn.pixelColor((at * drawn.devicePixelRatio()).toPoint());
    };
    QCOMPARE(color_at(3.3), color_at(2.3));
    QVERIFY(color_at(3.3) != color_at(0.3) && color_at(3.3) != color_at(6.3));
    QCOMPARE(color_at(6.3), color_at(9.3));
  }

  // A budget that was tens of times as large does not press what is held now to the ground.
  void occupancyIsDrawnToThePresentBudget() {
    ScriptedSession session;
    RunModel run(session);
    session.set_state(RunState::ready);
    run.tick();
    run.tiers.tier_occupancy(1, {"dram", 2 << 20, 500 << 20, {{"none", 2 << 20}}});
    run.tiers.tier_occupancy(5, {"dram", 12 << 20, 13 << 20, {{"none", 12 << 20}}});
    run.tiers.tier_occupancy(9, {"dram", 12 << 20, 13 << 20, {{"none", 12 << 20}}});
    OccupancyPlot plot(run.tiers, "dram");
    plot.resize(400, 200);
    plot.set_theme(theme_of(ThemeKind::light));
    const QImage drawn = plot.grab().toImage();
    const QRectF area = plot.plot();
    const auto color_at = [&](double seconds, double share) {
      const QPointF at(area.left() + area.width() * seconds / 10, area.bottom() - area.height() * share);
      return drawn.pixelColor((at * drawn.devicePixelRatio()).toPoint());
    };
    QCOMPARE(color_at(7, 0.75), color_at(7, 0.4));    // 12 of 13 MiB fill most of it
    QVERIFY(color_at(7, 0.75) != color_at(3, 0.75));  // 2 MiB do not
    // The budget of before is above the plot, and nothing of it is drawn there.
    for (double above = 1.03; area.bottom() - area.height() * above > 30; above += 0.01)
      QCOMPARE(color_at(3, above), color_at(9.8, above));
  }

  void theFamilyOfTheFrontierIsTheChosenOne() {
    ScriptedSession session;
    auto window = scripted_.loaded(session);
    run_of(*window).frontier.set_family("news");
    QCOMPARE(run_of(*window).selection.family(), QString("news"));
    run_of(*window).selection.choose_family("story");
    QCOMPARE(run_of(*window).frontier.family(), QString("story"));
    QTRY_VERIFY(!run_of(*window).frontier.curves().empty());
    run_of(*window).selection.clear();
    QCOMPARE(run_of(*window).frontier.family(), QString());
  }
};

KV_TEST_MAIN(SelectionTest)

}  // namespace selection_test

#include "selection_test.moc"
