// links: kv_ui
// Memory of a window that plays a recorded run for hours is flat. Frames come as fast as they are worked off, each with
// the events of three frames of real playing, so the number of events is that of the hours named and the time is not:
//     KVANTAGE_SOAK_HOURS=8 soak_test       as many events as 8 hours at 10x of a run with 100 events a second (28.8
//     million)
// Without it: 10 minutes of the same (600,000 events). Memory is printed a dozen times on the way.
// KVANTAGE_SOAK_LEAK=64 leaks so many bytes per event: then this must fail.
#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTest>
#include <cstdio>
#include <fstream>

#include "tests/support/heap_peak.h"
#include "tests/support/test_program.h"
#include "tests/ui/runs/memory_library.h"
#include "ui/window/main_window.h"

namespace soak_test {

using namespace kvantage;

namespace {

constexpr double speed = 10, events_a_second = 100, frame_seconds = 0.1;
constexpr double allowed_bytes_an_event = 4;     // of the heap, after warming up
constexpr double allowed_resident_bytes = 48e6;  // the system's view holds what is free inside the heap, too

double resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  double all = 0, resident = 0;
  statm >> all >> resident;
  return resident * 4096;
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

    QTemporaryDir folder;
    ScriptedSession session(60);
    auto library = std::make_shared<MemoryLibrary>();
    library->runs["long"] = scripted_run("long", 60, 2'000, 8);
    WindowOptions options{folder.filePath("window.ini")};
    options.runs = library;
    MainWindow window(session, options);
    window.show();
    session.set_state(RunState::ready);
    for (const char* dock : {"tiers", "hitRates", "sensitivity", "contexts", "events", "requests"})
      window.docks().bring_up(dock);
    window.replay().open("long");
    QTRY_VERIFY_WITH_TIMEOUT(window.replay().active(), 60000);
    ReplayController& replay = window.replay();
    const double frame =
        replay.duration() * speed * events_a_second * frame_seconds / static_cast<double>(replay.size());
    const std::size_t rounds = std::max<std::size_t>(6, wanted / replay.size());

    const std::size_t warm = rounds / 3;  // caches fill and containers reach their size before
    const std::size_t told = std::max<std::size_t>(1, rounds / 12);
    QElapsedTimer clock;
    clock.start();
    std::vector<double> heap, resident;
    std::vector<char*> leaked;
    std::size_t played = 0;
    for (std::size_t round = 0; round < rounds; ++round) {
      replay.play();  // from the beginning when at the end
      for (int frames = 0; replay.playing(); ++frames) {
        const std::size_t before = replay.moment();
        replay.advance(frame);
        played += replay.moment() - before;
        for (std::size_t i = before; leak > 0 && i < replay.moment(); ++i)
          leaked.push_back(new char[static_cast<std::size_t>(leak)]);
        QCoreApplication::processEvents();
      }
      // Also moves back and forth, and looks at another dock.
      for (const double share : {0.8, 0.1, 0.5}) replay.seek_seconds(replay.duration() * share);
      window.docks().bring_up(round % 2 ? "sensitivity" : "tiers");
      replay.seek(replay.size());
      const bool compared = (round >= warm && round < warm + 2) || round + 2 >= rounds;
      if (compared || round % 8 == 0 || round % told == 0) test::settle(700);  // until nothing is in flight
      heap.push_back(static_cast<double>(test::heap_live.load()));
      resident.push_back(resident_bytes());
      if (round % told == 0 || round + 1 == rounds)
        std::printf("after %9zu events (%5.0f s): heap %6.2f MB, resident %6.1f MB\n", played,
                    static_cast<double>(clock.elapsed()) / 1e3, heap.back() / 1e6, resident.back() / 1e6);
      std::fflush(stdout);
    }
    const auto least = [&](const std::vector<double>& values, std::size_t begin, std::size_t end) {
      return *std::min_element(values.begin() + static_cast<std::ptrdiff_t>(begin),
                               values.begin() + static_cast<std::ptrdiff_t>(end));
    };
    const double grown = least(heap, heap.size() - 2, heap.size()) - least(heap, warm, warm + 2);
    const double more_resident = least(resident, heap.size() - 2, heap.size()) - least(resident, warm, warm + 2);
    const double events = static_cast<double>(replay.size()) * static_cast<double>(heap.size() - 2 - warm);
    std::printf(
        "%zu events in %zu rounds of %zu; heap %.1f MB, %.2f bytes an event more after round %zu; resident %.1f MB, "
        "%.1f MB more\n",
        played, rounds, replay.size(), heap.back() / 1e6, grown / events, warm, resident.back() / 1e6,
        more_resident / 1e6);
    for (char* bytes : leaked) delete[] bytes;
    QVERIFY2(grown < allowed_bytes_an_event * events,
             qPrintable(QString("%1 bytes more after %2 events").arg(grown).arg(events)));
    QVERIFY2(more_resident < allowed_resident_bytes, qPrintable(QString("%1 bytes more").arg(more_resident)));
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
