// links: kv_ui
// What the window does not do: a hidden dock does no work while the engine is busy, rows and words of a frame are
// reported in one batch, and no interval is drawn while somebody waits for a frame.
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QVBoxLayout>

#include "tests/support/busy_session.h"
#include "tests/support/frame_clock.h"
#include "tests/support/input_probe.h"
#include "tests/support/test_program.h"
#include "tests/ui/window/scripted_window.h"
#include "tests/ui/window/window_parts.h"
#include "ui/live/dock_registry.h"
#include "ui/widgets/refresh_rest.h"

namespace frame_work_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

FrameClock& frame_clock() { return *static_cast<FrameClock*>(QApplication::instance()); }

struct Busy {
  QTemporaryDir folder;
  BusySession session{{.contexts = 60, .requests_per_second = 200}};
  MainWindow window{session, {folder.filePath("window.ini"), true}};

  Busy() {
    window.show();
    session.make_history(300);
    QTRY_VERIFY(run_of(window).served() == 300 && !run_of(window).frontier.curves().empty());
    run_of(window).selection.choose_context(QString::fromStdString(run_of(window).snapshot()->contexts[3].id));
    QTest::qWait(300);
  }
  int refreshes(const QString& dock) {
    int count = 0;
    for (const LazyRefresh* lazy : dock_of(window, dock)->findChildren<LazyRefresh*>()) count += lazy->refresh_count();
    return count;
  }
  /// Events that widgets of a dock received for painting, layout and queued calls.
  static std::uint64_t events_of(const QString& dock) {
    std::uint64_t count = 0;
    for (const auto& [key, part] : frame_clock().parts())
      if (key.first == dock.toStdString() &&
          (key.second == "paint" || key.second == "layout" || key.second == "queued call"))
        count += part.events;
    return count;
  }
  /// Processor time of everything that a dock received, its timers included; of all docks without a name.
  static double work_of(const QString& dock = {}) {
    double work = 0;
    for (const auto& [key, part] : frame_clock().parts())
      if (dock.isEmpty() || key.first == dock.toStdString()) work += part.cpu_ms;
    return work;
  }
  void serve_for(double seconds) {
    session.make_stream(seconds);
    session.go();
    frame_clock().start();
    QTest::qWait(static_cast<int>(seconds * 1000));
    frame_clock().stop();
  }
};

}  // namespace

class FrameWorkTest : public QObject {
  Q_OBJECT

 private slots:
  void aHurriedRefreshWaitsForItsTurnAlone() {
    QWidget window, *first = new QWidget(&window), *second = new QWidget(&window), *hidden = new QWidget(&window);
    int refreshed = 0, unseen = 0;
    LazyRefresh one(
        *first, [&] { ++refreshed; }, 60'000),
        other(
            *second, [&] { ++refreshed; }, 60'000, LazyRefresh::Turns::one_a_frame),
        third(
            *hidden, [&] { ++unseen; }, 60'000);
    window.show();
    hidden->hide();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    hurry_refreshes(window, Hurry::in_turn);
    QTest::qWait(60);
    QCOMPARE(refreshed, 0);  // nothing changed
    for (LazyRefresh* refresh : {&one, &other, &third}) refresh->invalidate();
    QTest::qWait(100);
    QCOMPARE(refreshed, 0);
    hurry_refreshes(window, Hurry::in_turn);
    QTRY_COMPARE(refreshed, 2);
    hurry_refreshes(window, Hurry::in_turn);
    QTest::qWait(60);
    QCOMPARE(refreshed, 2);
    QCOMPARE(unseen, 0);
  }

  void hiddenDocksDoNothing() {
    Busy busy;
    for (const auto& [id, dock] : docks_of(busy.window).all()) dock->hide();
    QTest::qWait(200);
    std::map<QString, int> before;
    for (const DockEntry& entry : dock_registry()) before[entry.id] = busy.refreshes(entry.id);
    const std::uint64_t served = run_of(busy.window).served();
    busy.serve_for(1);
    QVERIFY(run_of(busy.window).served() > served + 50);
    for (const DockEntry& entry : dock_registry()) {
      QCOMPARE(busy.refreshes(entry.id), before[entry.id]);
      QVERIFY2(Busy::events_of(entry.id) == 0, qPrintable(entry.id));
      // Qt's tables set a timer for each batch of rows, whatever is seen of them; nothing else is there.
      QVERIFY2(Busy::work_of(entry.id) < 0.02 * Busy::work_of(),
               qPrintable(QString("%1: %2 of %3 ms").arg(entry.id).arg(Busy::work_of(entry.id)).arg(Busy::work_of())));
    }
    // The same count grows for a dock that is seen.
    docks_of(busy.window).bring_up("hitRates");
    docks_of(busy.window).bring_up("contexts");
    QTest::qWait(100);
    busy.serve_for(1);
    for (const QString id : {"hitRates", "contexts"}) {
      QVERIFY2(busy.refreshes(id) > before[id] + 1, qPrintable(id));
      QVERIFY2(Busy::events_of(id) > 10, qPrintable(id));
    }
  }

  // What was served under another setting is a point of its own, from the first answer on; the chart has it in its next
  // refresh.
  void theNextAnswerUnderANewSettingIsAPoint() {
    ScriptedWindow scripted;
    ScriptedSession session;
    const auto window = scripted.loaded(session);
    session.serve(20);
    QTRY_COMPARE(run_of(*window).served(), std::uint64_t{20});
    SessionSettings moved = settings_of(*window).committed();
    moved.alpha *= 3;
    QVERIFY(settings_of(*window).commit(moved, "alpha", "alpha"));
    QTRY_COMPARE(session.settings().alpha, moved.alpha);
    run_of(*window).tick(1000);
    const auto newest = [&] { return run_of(*window).frontier.measured_so_far().back(); };
    QVERIFY(newest().alpha != moved.alpha);  // nothing was served under it
    session.serve(1);
    run_of(*window).tick(1000);
    QCOMPARE(run_of(*window).served(), std::uint64_t{21});
    QVERIFY(newest().current);
    QCOMPARE(newest().alpha, moved.alpha);
    QCOMPARE(newest().quality.n, std::uint64_t{1});
    const int refreshes = frontier_of(*window).refresh_count();
    QTRY_VERIFY(frontier_of(*window).refresh_count() > refreshes);
    const ChartTable table = frontier_of(*window).table();
    QVERIFY(std::ranges::any_of(table.rows, [&](const QStringList& row) {
      return row[1] != "predicted" && std::abs(row[2].toDouble() - moved.alpha) < 1e-6 && row[9] == "1";
    }));
  }

  // Views whose refresh and painting take long, all of them due at once, as they are when the program was kept from
  // running: the loop rests before each, for whatever was asked meanwhile.
  void theLoopRestsBetweenThePaintingOfOneViewAndTheNext() {
    struct Slow : QWidget {
      std::function<void()> painted;
      void paintEvent(QPaintEvent*) override {
        QTest::qSleep(8);
        painted();
      }
    };
    QWidget window;
    auto* column = new QVBoxLayout(&window);
    std::vector<Slow*> views;
    std::vector<std::unique_ptr<LazyRefresh>> refreshes;
    QElapsedTimer since_paint;
    std::vector<qint64> pauses;
    int paintings = 0;
    for (int i = 0; i < 6; ++i) {
      auto* view = new Slow;
      column->addWidget(view);
      view->painted = [&] {
        ++paintings;
        since_paint.start();
      };
      views.push_back(view);
      refreshes.push_back(std::make_unique<LazyRefresh>(
          *view,
          [&, view] {
            pauses.push_back(since_paint.nsecsElapsed());
            QTest::qSleep(2);
            view->update();
          },
          10));
    }
    window.resize(300, 300);
    window.show();
    QTest::qWait(200);
    paintings = 0;
    for (const auto& refresh : refreshes) refresh->invalidate();
    QTest::qSleep(100);  // nothing runs meanwhile
    since_paint.start();
    QTRY_VERIFY(pauses.size() == views.size() && paintings >= 6);
    for (std::size_t i = 1; i < pauses.size(); ++i)
      QVERIFY2(pauses[i] > 1'500'000, qPrintable(QString("%1: %2 ns").arg(i).arg(pauses[i])));
  }

  // What models took for a tick or a moment of a replay, and what a view takes for showing it, are two pieces of work.
  void viewsRefreshAfterTheModelsWhenTheLoopHasRested() {
    Busy busy;
    QElapsedTimer since_tick;
    frame_clock().seen = [&](const QObject* receiver, QEvent::Type type) {
      if (type == QEvent::Timer && receiver->objectName() == QLatin1String("frame_timer")) since_tick.start();
    };
    std::vector<qint64> pauses;
    QWidget view(&busy.window);
    view.resize(10, 10);
    view.show();
    LazyRefresh refresh(
        view, [&] { pauses.push_back(since_tick.nsecsElapsed()); }, 0);
    connect(&run_of(busy.window), &RunModel::servedChanged, &view, [&] { refresh.invalidate(); });
    busy.session.make_stream(20);
    busy.session.go();
    QTRY_VERIFY(pauses.size() > 5);
    frame_clock().seen = nullptr;
    std::ranges::sort(pauses);  // one that was held up for a frame, on a machine that is kept busy, waits no longer
    QVERIFY2(pauses[pauses.size() / 2] > 1'500'000, qPrintable(QString("%1 ns").arg(pauses[pauses.size() / 2])));
    pauses.clear();
    since_tick.start();
    refresh.invalidate();
    QTest::qSleep(5);  // it is due
    rest_before_refreshes(busy.window);
    since_tick.start();
    QTRY_VERIFY(!pauses.empty());
    QVERIFY2(pauses[0] > 1'500'000, qPrintable(QString("%1 ns").arg(pauses[0])));
  }

  // On a machine where the window hardly gets to run, every tick is late and one follows the other.
  void modelsThatNeverRestDoNotKeepAViewFromRefreshing() {
    QWidget window;
    window.show();
    int refreshed = 0;
    LazyRefresh refresh(
        window, [&] { ++refreshed; }, 5);
    QTimer models;
    connect(&models, &QTimer::timeout, &window, [&] { rest_before_refreshes(window); });
    models.start(0);
    for (int i = 1; i <= 3; ++i) {
      refresh.invalidate();
      QTRY_COMPARE(refreshed, i);
    }
  }

  // The measures themselves: two pictures without a rest between them are one stretch.
  void aPictureEndsWhenItIsOnTheScreen() {
    struct Twice : QWidget {
      int painted = 0;
      void paintEvent(QPaintEvent*) override {
        QTest::qSleep(8);
        if (++painted == 1)
          QMetaObject::invokeMethod(
              this, [this] { update(); }, Qt::QueuedConnection);
      }
    };
    Twice view;
    view.painted = 10;
    view.show();
    QTest::qWait(100);
    frame_clock().start();
    QTimer::singleShot(0, &view, [&] {
      view.painted = 0;
      view.update();
    });
    QTRY_COMPARE(view.painted, 2);
    QTest::qWait(20);
    frame_clock().stop();
    const auto& pictures = frame_clock().pictures();
    QVERIFY2(pictures.size() >= 2, qPrintable(QString::number(pictures.size())));
    double together = 0;
    for (const auto& picture : pictures) together += picture.wall_ms;
    const auto longest = std::ranges::max_element(pictures, {}, &FrameClock::Picture::wall_ms)->wall_ms;
    QVERIFY2(longest >= 8 && together >= 16 && longest < together - 7.5,
             qPrintable(QString("%1 of %2").arg(longest).arg(together)));
  }

  void aKeyWaitsForWhatTheLoopDoes() {
    QWidget window;
    window.show();
    QTest::qWait(50);
    InputProbe probe(*window.windowHandle());
    for (int i = 0; i < 5; ++i) {
      QTest::qWait(30);
      QTest::qSleep(100);
    }
    QTest::qWait(20);
    const std::vector<double> waits = probe.stop();
    QVERIFY2(*std::ranges::max_element(waits) > 50, qPrintable(QString::number(*std::ranges::max_element(waits))));
    // Of a hand that presses every 7 ms a dozen keys wait in each of the five pauses, not one.
    const auto late = std::ranges::count_if(waits, [](double wait) { return wait > 5; });
    QVERIFY2(late > 20, qPrintable(QString::number(late)));
    QVERIFY(waits.size() > 60);
  }

  // However many requests, tokens and lines come in a frame, a table is notified at most twice.
  void aFrameIsToldAtOnce() {
    ScriptedSession session;
    session.set_state(RunState::ready);
    RunModel run(session);
    run.tick();
    QSignalSpy rows(&run.requests, &QAbstractItemModel::rowsInserted),
        lines(&run.log, &QAbstractItemModel::rowsInserted);
    QSignalSpy served(&run, &RunModel::servedChanged);
    session.serve(40);
    run.tick(1000);
    QCOMPARE(run.requests.rowCount(), 40);
    QCOMPARE(rows.count(), 1);
    QCOMPARE(lines.count(), 1);
    QCOMPARE(served.count(), 1);
    const std::uint64_t id = session.begin_request();
    run.tick();
    QCOMPARE(run.requests.rowCount(), 41);
    QCOMPARE(run.requests.find(id)->record.answer, std::string("In the blue"));
    QSignalSpy changed(&run.requests, &QAbstractItemModel::dataChanged);
    for (int i = 0; i < 30; ++i) session.emit_event(events::TokenEmitted{id, " and"});
    run.tick();
    QCOMPARE(changed.count(), 1);
    QCOMPARE(run.requests.find(id)->record.answer.size(), std::string("In the blue").size() + 30 * 4);
  }

  // A view that must not wait has the means of now beside the interval drawn last; at rest it has the very interval.
  void intervalsAreDrawnBesideTheFrame() {
    const SessionSettings settings;
    FrontierModel model, waiting;
    const auto serve = [&](int from, int to) {
      for (FrontierModel* each : {&model, &waiting}) {
        each->set_committed(settings);
        Random random(static_cast<std::uint64_t>(from));
        for (int i = from; i < to; ++i) {
          RequestRecord record;
          record.policy = settings.policy;
          record.alpha = settings.alpha;
          record.context_id = "c" + std::to_string(random.below(40));
          record.quality = {{settings.quality_metric, random.uniform()}};
          record.timing.ttft_service_seconds = random.uniform();
          each->add_request(record);
        }
      }
    };
    serve(0, 200);
    auto point = model.measured_so_far().at(0);
    QVERIFY(!point.quality.has_interval && point.quality.n == 200);
    QTRY_VERIFY(model.measured_so_far().at(0).quality.has_interval);
    const auto drawn = model.measured_so_far().at(0);
    QCOMPARE(drawn.quality.low, waiting.measured().at(0).quality.low);
    serve(200, 230);
    point = model.measured_so_far().at(0);
    QCOMPARE(point.quality.n, 230u);
    QCOMPARE(point.quality.mean - point.quality.low, drawn.quality.mean - drawn.quality.low);  // of the 200
    const auto right = waiting.measured().at(0);
    QVERIFY(right.quality.low != point.quality.low);
    QTRY_COMPARE(model.measured_so_far().at(0).quality.low, right.quality.low);
    QCOMPARE(model.measured_so_far().at(0).ttft.high, right.ttft.high);
  }
};

KV_TEST_PROGRAM(argc, argv) {
  FrameClock app(argc, argv);
  FrameWorkTest test;
  return QTest::qExec(&test, argc, argv);
}

}  // namespace frame_work_test

#include "frame_work_test.moc"
