// links: kv_ui
// Memory of a window that plays a recorded run for hours is flat, while runs are pinned and unpinned, the timeline is
// moved and contexts are selected. Frames come as fast as they are worked off, each with the events of three frames of
// real playing, so the number of events is that of the hours named and the time is not:
//     KVANTAGE_SOAK_HOURS=8 soak_test       as many events as 8 hours at 10x of a run with 100 events a second (28.8
//     million)
// Without it: 10 minutes of the same (600,000 events). Memory is printed a dozen times on the way; at the end, what
// each phase of a round grew by and which sizes of blocks there are more of. KVANTAGE_SOAK_LEAK=64 leaks so many bytes
// per event: then this must fail. To find what grows: KVANTAGE_SOAK_PHASES=play,seek does only these;
// KVANTAGE_SOAK_DOCKS=tiers,events shows only these (a comma
// alone: none).
#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTest>
#include <cstdio>

#include "tests/support/heap_peak.h"
#include "tests/support/heap_report.h"
#include "tests/support/test_program.h"
#include "tests/ui/runs/pinned_runs.h"
#include "ui/live/timeline/time_line.h"
#include "ui/look/icons.h"
#include "ui/widgets/refresh_rest.h"

namespace soak_test {

using namespace kvantage;
using test::MemoryNow;

namespace {

constexpr double speed = 10, events_a_second = 100, frame_seconds = 0.1;
constexpr double allowed_bytes_an_event = 4;  // as counted in malloc, after warming up
// As malloc says, after warming up: blocks that threads keep for their next ones, and one byte in four events.
constexpr double allowed_live_bytes = 1e6, allowed_live_bytes_an_event = 0.25;
constexpr double allowed_resident_bytes = 48e6;  // the system's view holds what is free inside the heap, too
constexpr std::size_t pinned = HeldRunsModel::max_pinned, runs_to_pin = pinned + 4;

QStringList chosen_by(const char* variable, const QStringList& otherwise) {
  const QString given = qEnvironmentVariable(variable);
  return given.isEmpty() ? otherwise : given.split(',', Qt::SkipEmptyParts);
}

const QStringList& phases() {
  static const QStringList chosen =
      chosen_by("KVANTAGE_SOAK_PHASES", {"play", "seek", "docks", "pins", "timeline", "selection"});
  return chosen;
}

const QStringList& docks() {
  static const QStringList chosen =
      chosen_by("KVANTAGE_SOAK_DOCKS", {"tiers", "hitRates", "sensitivity", "contexts", "events", "requests"});
  return chosen;
}

/// A window that shows a recorded run, with as many runs pinned as it holds.
struct Soak {
  QTemporaryDir folder;
  ScriptedSession session{60};
  std::shared_ptr<MemoryLibrary> library = std::make_shared<MemoryLibrary>();
  std::unique_ptr<MainWindow> window;
  double frame = 0;  // seconds of the run
  std::size_t played = 0;
  std::vector<char*> leaked;
  bool counting = false;
  test::GrowthByPhase growth;

  Soak() {
    library->runs["long"] = scripted_run("long", 60, 2'000, 8);
    add_runs_to_pin(*library, runs_to_pin, 60);
    WindowOptions options{folder.filePath("window.ini")};
    options.runs = library;
    window = std::make_unique<MainWindow>(session, std::move(options));
    window->show();
    session.set_state(RunState::ready);
    for (const QString& dock : docks()) docks_of(*window).bring_up(dock);
  }
  ~Soak() {
    for (char* bytes : leaked) delete[] bytes;
  }
  Soak(const Soak&) = delete;
  Soak& operator=(const Soak&) = delete;

  ReplayController& replay() { return replay_of(*window); }
  HeldRunsModel& held() { return window->models().held; }
  Selection& selection() { return run_of(*window).selection; }
  qsizetype objects() const { return window->findChildren<QObject*>().size(); }

  /// Shows what changed, and deletes what was given up.
  void show_all() {
    hurry_refreshes(*window, Hurry::at_once);
    for (int turn = 0; turn < 2; ++turn) {
      QCoreApplication::processEvents();
      QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    }
  }
  /// Until nothing is in flight: no interval, no curve, no reading of a run.
  void settle() {
    test::settle(700);
    (void)QTest::qWaitFor([this] { return held().idle() && !driver_of(*window).planner().busy(); }, 20000);
    test::settle(50);
  }
  template <class Work>
  void phase(const char* name, Work work) {
    if (!phases().contains(QLatin1String(name))) return;
    const MemoryNow before = test::memory_now();
    work();
    show_all();
    if (counting) growth.add(name, test::memory_now() - before);
  }

  void play(int leak) {
    replay().play();  // from the beginning when at the end
    while (replay().playing()) {
      const std::size_t before = replay().moment();
      replay().advance(frame);
      played += replay().moment() - before;
      for (std::size_t i = before; leak > 0 && i < replay().moment(); ++i)
        leaked.push_back(new char[static_cast<std::size_t>(leak)]);
      QCoreApplication::processEvents();
    }
  }
  /// One run is unpinned and another pinned, and the eye of a third is closed and opened.
  void change_pins(std::size_t round) {
    held().unpin(run_to_pin(round % runs_to_pin));
    held().pin(run_to_pin((round + pinned) % runs_to_pin));
    for (const bool shown : {false, true}) held().set_shown(run_to_pin((round + 1) % runs_to_pin), shown);
  }
  /// A part of the run, then all of it; the mouse points at a moment in between.
  void move_time(std::size_t round) {
    TimeCursor& time = selection().time();
    const double begin = replay().duration() * static_cast<double>(round % 7) / 10;
    time.range().show(begin, begin + replay().duration() / 5);
    time.point_at(begin + replay().duration() / 10);
    show_all();
    time.point_at(std::nullopt);
    time.range().follow_now(round % 2 == 0);
    time.range().show_all();
  }
  /// A brushed set, a context, one under the mouse, a family; nothing at the end.
  void select(std::size_t round) {
    const auto snapshot = run_of(*window).snapshot();
    const auto id = [&](std::size_t i) {
      return QString::fromStdString(snapshot->contexts[(round + i) % snapshot->contexts.size()].id);
    };
    selection().choose_contexts({id(0), id(7), id(14)});
    show_all();
    selection().choose_context(id(3));
    selection().hover(id(5));
    const std::vector<QString> families = run_of(*window).frontier.families();
    if (!families.empty()) selection().choose_family(families[round % families.size()]);
    show_all();
    selection().hover({});
    selection().choose_family({});
    selection().choose_context({});
    selection().choose_contexts({});
  }

  void do_round(std::size_t round, int leak) {
    phase("play", [&] { play(leak); });
    phase("seek", [&] {  // back and forth
      for (const double share : {0.8, 0.1, 0.5}) replay().seek_seconds(replay().duration() * share);
    });
    phase("docks", [&] {
      if (!docks().isEmpty()) docks_of(*window).bring_up(docks()[static_cast<qsizetype>(round) % docks().size()]);
    });
    phase("pins", [&] { change_pins(round); });
    phase("timeline", [&] { move_time(round); });
    phase("selection", [&] { select(round); });
    replay().seek(replay().size());
  }
};

double least(const std::vector<double>& values, std::size_t begin, std::size_t end) {
  return *std::min_element(values.begin() + static_cast<std::ptrdiff_t>(begin),
                           values.begin() + static_cast<std::ptrdiff_t>(end));
}

}  // namespace

class SoakTest : public QObject {
  Q_OBJECT

 private slots:
  void memoryOfPlayingForHoursIsFlat() {
    if (!KVANTAGE_COUNTS_HEAP) QSKIP("a sanitizer's malloc is not counted");
    const double hours = qEnvironmentVariable("KVANTAGE_SOAK_HOURS").toDouble();
    const double seconds = hours > 0 ? hours * 3600 : 600;
    const auto wanted = static_cast<std::size_t>(seconds * speed * events_a_second);
    const int leak = qEnvironmentVariableIntValue("KVANTAGE_SOAK_LEAK");

    Soak soak;
    soak.replay().open("long");
    QTRY_VERIFY_WITH_TIMEOUT(soak.replay().active(), 60000);
    QVERIFY(pin_runs(*soak.window, pinned));
    QVERIFY(part_of<TimeLine>(*soak.window).isVisible());
    const std::size_t size = soak.replay().size();
    soak.frame = soak.replay().duration() * speed * events_a_second * frame_seconds / static_cast<double>(size);
    const std::size_t rounds = std::max<std::size_t>(6, wanted / size);

    const std::size_t warm = rounds / 3;  // caches fill and containers reach their size before
    const std::size_t told = std::max<std::size_t>(1, rounds / 12);
    QElapsedTimer clock;
    clock.start();
    std::vector<double> counted, live, resident;
    for (auto* values : {&counted, &live, &resident}) values->reserve(rounds);
    test::BlocksBySize warm_blocks{};
    qsizetype warm_objects = 0;
    int warm_icons = 0;
    for (std::size_t round = 0; round < rounds; ++round) {
      soak.counting = round > warm;
      soak.do_round(round, leak);
      const bool compared = (round >= warm && round < warm + 2) || round + 2 >= rounds;
      if (compared || round % 8 == 0 || round % told == 0) soak.settle();
      const MemoryNow now = test::memory_now();
      counted.push_back(static_cast<double>(test::heap_live.load()));
      live.push_back(now.live);
      resident.push_back(now.resident);
      if (round == warm) {
        warm_blocks = test::blocks_by_size();
        warm_objects = soak.objects();
        warm_icons = kept_icon_count();
      }
      if (round % told == 0 || round + 1 == rounds)
        std::printf("after %9zu events (%5.0f s): live %6.2f MB, free inside the heap %6.2f MB, resident %6.1f MB\n",
                    soak.played, static_cast<double>(clock.elapsed()) / 1e3, now.live / 1e6, now.free / 1e6,
                    now.resident / 1e6);
      std::fflush(stdout);
    }
    QVERIFY(pins_are_drawn(soak.held(), pinned));
    // Counted in elements: no object of the window is made and left, and no icon.
    QVERIFY2(soak.objects() <= warm_objects + 4,
             qPrintable(QString("%1 objects, not %2").arg(soak.objects()).arg(warm_objects)));
    QCOMPARE(kept_icon_count(), warm_icons);
    QVERIFY(soak.held().ghost_looks() <= HeldRunsModel::max_ghost_looks);
    const auto grown = [&](const std::vector<double>& values) {
      return least(values, rounds - 2, rounds) - least(values, warm, warm + 2);
    };
    const double events = static_cast<double>(size) * static_cast<double>(rounds - 2 - warm);
    std::printf(
        "%zu events in %zu rounds of %zu; after round %zu: live %+.0f bytes (%.2f an event; counted %+.0f), resident "
        "%+.1f MB\n",
        soak.played, rounds, size, warm, grown(live), grown(live) / events, grown(counted), grown(resident) / 1e6);
    soak.growth.print(rounds - 1 - warm);
    test::print_grown_sizes(warm_blocks, rounds - 1 - warm);
    std::printf("malloc gives back %.1f MB when asked\n", test::trimmed_bytes() / 1e6);
    const auto text = [&](const std::vector<double>& values) {
      return QString("%1 bytes more after %2 events").arg(grown(values)).arg(events);
    };
    QVERIFY2(grown(live) < allowed_live_bytes + allowed_live_bytes_an_event * events, qPrintable(text(live)));
    QVERIFY2(grown(counted) < allowed_bytes_an_event * events, qPrintable(text(counted)));
    QVERIFY2(grown(resident) < allowed_resident_bytes, qPrintable(text(resident)));
  }
};

KV_TEST_PROGRAM(argc, argv) {
  // Qt Test gives a function five minutes, which a busy machine may need for this.
  qputenv("QTEST_FUNCTION_TIMEOUT", qEnvironmentVariableIsSet("KVANTAGE_SOAK_HOURS") ? "1000000000" : "840000");
  QApplication app(argc, argv);
  SoakTest test;
  return QTest::qExec(&test, argc, argv);
}

}  // namespace soak_test

#include "soak_test.moc"
