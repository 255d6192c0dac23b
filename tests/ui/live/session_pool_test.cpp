// links: kv_ui
// The session's pool in the window: its history is bounded, drawn, and the same for a live and for a recorded run; a
// click on a compaction pass selects its request.
#include <QLabel>
#include <QSignalSpy>
#include <QtTest>
#include <cmath>
#include <map>
#include <set>

#include "tests/support/test_program.h"
#include "tests/ui/charts/chart_hands.h"
#include "tests/ui/window/scripted_window.h"
#include "ui/live/pool/pool_dock.h"
#include "ui/live/requests/requests_dock.h"
#include "ui/text/words.h"

namespace session_pool_test {

using namespace kvantage;

namespace {

PoolReport report(std::uint64_t live_blocks) {
  PoolReport made{.capacity_blocks = 2048,
                  .live_blocks = live_blocks,
                  .shared_blocks = 4,
                  .block_bytes = 32768,
                  .block_tokens = 32,
                  .requests = 2,
                  .request_bytes = 10 * 32768,
                  .dead_slots = 70};
  made.live_slots = 900;
  made.shared_slots = 80;
  made.budgeted_slots = 600;
  made.budget_slots = 800;
  made.step_seconds = 0.004;
  made.decoding.answers = 1;
  made.decoding.evicted_entries = 500;
  made.decoding.compactions = {1, 8, 40, 0.5};
  made.in_flight.answers = 1;
  made.in_flight.evicted_entries = 100;
  made.in_flight.compactions = {1, 2, 10, 0.25};
  return made;
}

events::CacheCompacted pass(std::uint64_t request, const std::string& context) {
  return {.request = request,
          .context_id = context,
          .decoded_tokens = 32,
          .blocks_freed = 3,
          .slot_copies = 40,
          .seconds = 0.0005};
}

Event at(double seconds, EventPayload payload) {
  Event event;
  event.monotonic_ns = static_cast<std::int64_t>(seconds * 1e9);
  event.payload = std::move(payload);
  return event;
}

double top_of(const PoolChart& chart) {
  return qobject_cast<QValueAxis*>(chart.chart().axes(Qt::Vertical).constFirst())->max();
}

/// Numbers of the samples and passes of a run.
std::vector<std::uint64_t> told(const SessionPoolModel& pool) {
  std::vector<std::uint64_t> numbers;
  for (const SessionPoolModel::Sample& sample : pool.samples()) numbers.push_back(sample.pool.live_blocks);
  for (const SessionPoolModel::Pass& one : pool.passes()) numbers.push_back(one.pass.request);
  return numbers;
}

}  // namespace

class SessionPoolTest : public QObject {
  Q_OBJECT
  ScriptedWindow scripted_;

 private slots:
  void historyIsBounded() {
    SessionPoolModel pool;
    CompactionPassesModel rows(pool);
    for (std::uint64_t i = 1; i <= 2 * SessionPoolModel::kept_samples; ++i)
      pool.set_report(report(i), static_cast<double>(i));
    QCOMPARE(pool.samples().size(), SessionPoolModel::kept_samples);
    QCOMPARE(pool.samples().back().pool.live_blocks, std::uint64_t{2 * SessionPoolModel::kept_samples});
    for (std::uint64_t i = 1; i <= SessionPoolModel::kept_passes + 30; ++i) {
      pool.add_pass(pass(i, "c"), static_cast<double>(i));
      if (i % 7 == 0) rows.follow();
    }
    rows.follow();
    QCOMPARE(pool.passes().size(), SessionPoolModel::kept_passes);
    QCOMPARE(rows.rowCount(), static_cast<int>(SessionPoolModel::kept_passes));
    QCOMPARE(rows.index(0, 0).data(CompactionPassesModel::request_role).toULongLong(), 31ULL);
    QCOMPARE(rows.index(rows.rowCount() - 1, CompactionPassesModel::request).data().toString(),
             QString::number(SessionPoolModel::kept_passes + 30));
    pool.clear_history();  // another run begins
    QVERIFY(pool.samples().empty() && rows.rowCount() == 0 && pool.report());
    pool.add_pass(pass(1, "c"), 0);
    rows.follow();
    QCOMPARE(rows.rowCount(), 1);
  }

  void everyGaugeIsDrawn() {
    SessionPoolModel pool;
    PoolChart chart(pool);
    QVERIFY(!chart.empty_text().isEmpty());
    pool.set_report(report(37), 1);
    pool.set_report(report(41), 3);
    QVERIFY(chart.empty_text().isEmpty());
    const std::map<QString, std::vector<double>> last{
        {"blocks", {41, 10, 4}}, {"slots", {900, 70, 80}}, {"budget", {75}}, {"evicted", {600}}, {"freed", {0, 10}},
        {"copies", {50}},        {"passes", {2}},          {"scores", {0}},  {"step", {4}},      {"seconds", {750, 0}}};
    const std::map<QString, double> tops{{"blocks", 64}, {"slots", 1024},  {"budget", 108}, {"evicted", 1024},
                                         {"freed", 16},  {"copies", 64},   {"passes", 4},   {"scores", 1},
                                         {"step", 8},    {"seconds", 1024}};
    QCOMPARE(pool_chart_gauges().size(), last.size());
    for (std::size_t g = 0; g < pool_chart_gauges().size(); ++g) {
      chart.set_gauge(static_cast<int>(g));
      chart.flush();
      const std::vector<double>& wanted = last.at(chart.gauge().id);
      QCOMPARE(chart.gauge().lines.size(), wanted.size());
      QCOMPARE(top_of(chart), tops.at(chart.gauge().id));
      for (std::size_t i = 0; i < chart.series().size(); ++i) {
        const QList<QPointF> points = chart.series()[i]->points();
        const bool changes = chart.gauge().id == "blocks" && i == 0;  // 37, and then 41
        QCOMPARE(points.size(), i < wanted.size() ? changes ? 3 : 2 : 0);
        if (points.isEmpty()) continue;
        QCOMPARE(points.back().x(), 3.0);
        QVERIFY2(std::abs(points.back().y() - wanted[i]) < 1e-9, qPrintable(chart.gauge().id));
      }
    }
    QCOMPARE(chart.table().rows.size(), 2);
    QCOMPARE(chart.table().header.size(), chart.table().rows.front().size());
  }

  // A gauge is what its last sample says until the next one.
  void linesAreSteps() {
    SessionPoolModel pool;
    PoolChart chart(pool);
    const auto sample = [&pool](std::uint64_t live, double seconds) {
      PoolReport made = report(live);
      made.dead_slots = static_cast<std::uint64_t>(seconds);  // reports that say the same are no samples
      pool.set_report(made, seconds);
    };
    sample(10, 1);
    sample(40, 5);
    sample(40, 6);
    sample(40, 7);
    sample(20, 9);
    chart.set_gauge(0);
    chart.flush();
    QCOMPARE(chart.series()[0]->points(), (QList<QPointF>{{1, 10}, {5, 10}, {5, 40}, {9, 40}, {9, 20}}));
  }

  // One that is full doubles.
  void theAxisOfValuesHoldsStill() {
    SessionPoolModel pool;
    PoolChart chart(pool);
    chart.set_gauge(0);
    const auto top_after = [&](std::uint64_t live, double seconds) {
      pool.set_report(report(live), seconds);
      chart.flush();
      return top_of(chart);
    };
    QCOMPARE(top_after(37, 1), 64.0);
    QCOMPARE(top_after(59, 2), 64.0);
    QCOMPARE(top_after(20, 3), 64.0);
    QCOMPARE(top_after(61, 4), 128.0);
    QCOMPARE(top_after(110, 5), 128.0);
  }

  // The text and the legend count the same blocks, so they show the same number at any time.
  void textAndLegendAgree() {
    SessionPoolModel pool;
    SessionPoolPage page(pool, nullptr);
    const auto legend = [&page] {
      return page.chart().legend().items().empty() ? QString() : page.chart().legend().items().front().text;
    };
    const auto* text = [&page]() -> const QLabel* {
      for (const QLabel* label : page.findChildren<QLabel*>())
        if (label->accessibleName() == "The session's pool") return label;
      return nullptr;
    }();
    QVERIFY(text != nullptr);
    pool.set_report(report(936), 1);
    page.flush();
    page.chart().flush();
    QCOMPARE(legend(), QString("in use 936"));
    pool.set_report(report(1368), 2);
    page.flush();  // only the text is due
    QVERIFY2(text->text().startsWith("1,368 of 2,048 blocks in use"), qPrintable(text->text()));
    QCOMPARE(legend(), QString("in use 1,368"));
    pool.set_report(report(1400), 3);
    page.chart().flush();  // only the chart
    QVERIFY2(text->text().startsWith("1,400 of 2,048 blocks in use"), qPrintable(text->text()));
    QCOMPARE(legend(), QString("in use 1,400"));
  }

  // At 1280 x 800 a dock below the Frontier is about this wide.
  void whatACompactionMovedAndTookIsSeen() {
    SessionPoolModel pool;
    SessionPoolPage page(pool, nullptr);
    pool.set_report(report(37), 1);
    pool.add_pass(pass(101, "inventory-1"), 1);
    page.resize(930, 200);
    page.show();
    QVERIFY(QTest::qWaitForWindowExposed(&page));
    page.flush();
    const QTableView& table = page.passes();
    for (const int column : {CompactionPassesModel::request, CompactionPassesModel::blocks_freed,
                             CompactionPassesModel::slot_copies, CompactionPassesModel::seconds}) {
      const int end = table.columnViewportPosition(column) + table.columnWidth(column);
      QVERIFY2(end <= table.viewport()->width(),
               qPrintable(QString("column %1 ends at %2 of %3").arg(column).arg(end).arg(table.viewport()->width())));
    }
  }

  // Requests that were not cut have no budget, and before the first token no step was timed.
  void whatIsNotKnownIsNotDrawn() {
    SessionPoolModel pool;
    PoolChart chart(pool);
    pool.set_report(PoolReport{.capacity_blocks = 8, .live_blocks = 1, .block_bytes = 64, .block_tokens = 4}, 1);
    for (std::size_t g = 0; g < pool_chart_gauges().size(); ++g) {
      chart.set_gauge(static_cast<int>(g));
      chart.flush();
      const bool known = chart.gauge().id != "budget" && chart.gauge().id != "step";
      QCOMPARE(chart.series()[0]->points().size(), known ? 1 : 0);
    }
    QVERIFY(!pool.text().contains("budget") && !pool.text().contains("step"));
  }

  void aBoxOverPassesSelectsTheirRequests() {
    SessionPoolModel pool;
    Selection selection;
    SessionPoolPage page(pool, &selection);
    pool.set_report(report(37), 0);
    for (std::uint64_t request = 1; request <= 9; ++request)
      pool.add_pass(pass(request, "c"), static_cast<double>(request));
    pool.set_report(report(41), 10);
    page.resize(930, 300);
    page.show();
    QVERIFY(QTest::qWaitForWindowExposed(&page));
    PoolChart& chart = page.chart();
    chart.flush();
    QCoreApplication::processEvents();
    const QRectF plot = chart.chart().plotArea();
    const QValueAxis& axis = chart_hands::axis(chart, Qt::Horizontal);
    const auto place_of = [&](double seconds, double up) {
      return QPointF(plot.left() + plot.width() * (seconds - axis.min()) / (axis.max() - axis.min()),
                     plot.bottom() - up);
    };
    chart_hands::drag(chart_hands::canvas(chart), place_of(2.5, 30), place_of(5.5, 0), Qt::LeftButton,
                      Qt::ControlModifier | Qt::ShiftModifier);
    QCOMPARE(selection.chosen_requests(), (std::set<std::uint64_t>{3, 4, 5}));
    QCOMPARE(chart.brush().shown(), (std::set<QString>{"3", "4", "5"}));
    chart_hands::drag(chart_hands::canvas(chart), place_of(2.5, plot.height() - 1), place_of(5.5, 40), Qt::LeftButton,
                      Qt::ControlModifier | Qt::ShiftModifier);
    QVERIFY(selection.chosen_requests().empty());  // the lines are of no request
  }

  void aClickOnAPassSelectsItsRequest() {
    ScriptedSession session;
    const auto window = scripted_.loaded(session);
    session.serve(6);
    QTRY_COMPARE(run_of(*window).served(), 6U);
    PoolDock& dock = *window->body<PoolDock>("pool");
    QVERIFY(dock.session_text().isEmpty());  // nothing is known of a pool: the walk-through is alone
    const RequestRecord record = run_of(*window).requests.row(2)->record,
                        other = run_of(*window).requests.row(4)->record;
    session.emit_event(events::CacheCompacted(pass(other.id, other.context_id)));
    session.emit_event(events::CacheCompacted(pass(record.id, record.context_id)));
    session.emit_event(events::PoolSampled{report(37)});
    docks_of(*window).bring_up("pool");
    QTableView& passes = dock.session_page()->passes();
    QTRY_VERIFY(passes.isVisible());
    QTRY_COMPARE(passes.model()->rowCount(), 2);
    QVERIFY2(dock.session_text().startsWith("37 of 2,048 blocks in use"), qPrintable(dock.session_text()));
    QVERIFY(dock.session_text().contains("75 % of the decode budgets in use"));
    QVERIFY(dock.session_text().contains("600 KV entries evicted in 2 answers"));

    const QModelIndex row = passes.model()->index(1, CompactionPassesModel::request);
    QCOMPARE(row.data().toString(), QString::number(record.id));
    passes.scrollTo(row);
    QTest::mouseClick(passes.viewport(), Qt::LeftButton, {}, passes.visualRect(row).center());
    const Selection& selection = run_of(*window).selection;
    QCOMPARE(selection.request(), record.id);
    QCOMPARE(selection.context(), to_q(record.context_id));
    const QModelIndex shown = requests_of(*window).table().currentIndex();
    QCOMPARE(shown.siblingAtColumn(RequestsModel::number).data().toULongLong(), qulonglong{record.id});

    emit dock.session_page()->chart().passPicked(other.id, to_q(other.context_id));
    QCOMPARE(selection.request(), other.id);

    dock.show_walk_page();
    QVERIFY(!passes.isVisible());
    session.emit_event(events::PoolSampled{report(38)});
    QTRY_VERIFY(dock.session_text().startsWith("38 of"));
    QVERIFY(!passes.isVisible());  // what the user has brought to the front stays there
  }

  // A recorded run reports its pool in its events, at every moment; the live one comes back as it was.
  void aRecordedRunTellsItsPool() {
    ScriptedSession session;
    RunModel run(session);
    session.set_state(RunState::ready);
    run.tick();
    session.emit_event(events::PoolSampled{report(99)});
    session.emit_event(pass(5, "live"));
    run.tick();
    QCOMPARE(told(run.pool), (std::vector<std::uint64_t>{99, 5}));

    const std::vector<Event> events{at(1, events::RunStarted{"recorded", to_json(session.settings())}),
                                    at(2, events::PoolSampled{report(11)}), at(3, pass(1, "a")),
                                    at(4, events::PoolSampled{report(12)}), at(5, pass(2, "b"))};
    run.stash();
    QVERIFY(!run.pool.report());
    const std::vector<std::vector<std::uint64_t>> moments{{}, {}, {11}, {11, 1}, {11, 12, 1}, {11, 12, 1, 2}};
    for (const std::size_t moment : {5, 2, 4, 0, 3, 1}) {
      run.rebuild(events, moment, true);
      QCOMPARE(told(run.pool), moments[moment]);
      QCOMPARE(run.pool.report().has_value(), moment >= 2);
    }
    run.rebuild(events, 5, true);
    QCOMPARE(run.pool.samples().back().seconds, 3.0);  // since the run started
    run.unstash();
    QCOMPARE(told(run.pool), (std::vector<std::uint64_t>{99, 5}));
  }
};

KV_TEST_MAIN(SessionPoolTest)

}  // namespace session_pool_test

#include "session_pool_test.moc"
