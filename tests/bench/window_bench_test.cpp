// links: kv_ui
// What the window does while events come at the rate of a busy engine, on top of a long history and many contexts:
// every view alone, many at once, none. Printed: the time of a picture on the screen, how long a key waits, the longest
// stretch of a frame (see tests/support/frame_clock.h and input_probe.h). Asserted is how work grows.
//     window_bench_test [--seconds N] [--each] [--history N] [--contexts N] [--rate N]
// --each: every dock, and every page of it, by itself. Under a display: QT_QPA_PLATFORM=xcb.
#include <QEventLoop>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>
#include <cstdio>
#include <cstring>

#include "core/base/statistics.h"
#include "core/base/thread_priority.h"
#include "tests/support/busy_session.h"
#include "tests/support/frame_clock.h"
#include "tests/support/input_probe.h"
#include "tests/support/test_program.h"
#include "tests/ui/runs/memory_library.h"
#include "ui/live/dock_registry.h"
#include "ui/runs/replay_dock.h"
#include "ui/window/main_window.h"

namespace window_bench_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

constexpr std::size_t frames_wanted = 11;
double seconds_a_view = 1.5;
bool each = false;
int history = 100'000;
BusySession::Options load;

FrameClock& frame_clock() { return *static_cast<FrameClock*>(QApplication::instance()); }

void work_for(double seconds) {  // as the program does: in the loop's own time, no waiting in between
  QEventLoop loop;
  QTimer::singleShot(static_cast<int>(seconds * 1000), Qt::PreciseTimer, &loop, &QEventLoop::quit);
  loop.exec();
}

struct Figures {
  double p50 = 0, p99 = 0, max = 0, cpu_p99 = 0, cpu_max = 0, work = 0;
  std::size_t frames = 0;
};

Figures figures_of(const std::vector<FrameClock::Frame>& frames) {
  std::vector<double> wall, cpu;
  Figures figures;
  for (const FrameClock::Frame& frame : frames) {
    wall.push_back(frame.wall_ms);
    cpu.push_back(frame.cpu_ms);
    figures.work += frame.work_ms / static_cast<double>(frames.size());
  }
  if (wall.empty()) return figures;
  figures.frames = wall.size();
  figures.p50 = percentile(wall, 0.5);
  figures.p99 = percentile(wall, 0.99);
  figures.max = *std::ranges::max_element(wall);
  figures.cpu_p99 = percentile(cpu, 0.99);
  figures.cpu_max = *std::ranges::max_element(cpu);
  return figures;
}

/// A window over a busy session with its history behind it.
struct Bench {
  QTemporaryDir folder;
  BusySession session{load};
  std::unique_ptr<MainWindow> window;

  explicit Bench(int requests) {
    window = std::make_unique<MainWindow>(session, WindowOptions{folder.filePath("window.ini"), true});
    window->resize(1280, 800);
    window->show();
    work_for(0.3);
    for (int made = 0; made < requests; made += 2000) {
      session.make_history(std::min(2000, requests - made));
      while (session.history_waits()) window->run().tick(1000);
    }
    if (const auto snapshot = window->run().snapshot())
      window->run().selection.choose_context(QString::fromStdString(snapshot->contexts[7].id));
    work_for(1.5);
  }

  void hide_all() {
    for (const auto& [id, dock] : window->docks().all()) dock->hide();
  }
  void show_many() { show_many(*window); }
  static void show_many(MainWindow& many) {
    many.resize(1920, 1200);
    many.layouts().apply("Overview");
    const auto dock = [&many](const char* id) { return many.dock(id); };
    for (const char* id : {"tiers", "hitRates", "sensitivity", "requests", "contexts", "events"})
      many.removeDockWidget(dock(id));
    many.addDockWidget(Qt::RightDockWidgetArea, dock("tiers"));
    many.splitDockWidget(dock("tiers"), dock("hitRates"), Qt::Vertical);
    many.splitDockWidget(dock("hitRates"), dock("sensitivity"), Qt::Vertical);
    many.addDockWidget(Qt::BottomDockWidgetArea, dock("requests"));
    many.splitDockWidget(dock("requests"), dock("contexts"), Qt::Horizontal);
    many.splitDockWidget(dock("contexts"), dock("events"), Qt::Horizontal);
    for (const char* id : {"tiers", "hitRates", "sensitivity", "requests", "contexts", "events", "controls"})
      dock(id)->show();
  }

  /// A machine that is busy with other work paints few frames in the time: then it is measured again.
  Figures measure(const char* what, bool parts) {
    Figures f;
    for (int round = 0; round < 5 && f.frames < frames_wanted; ++round) {
      work_for(0.4);  // shown, laid out, caught up
      session.make_stream(seconds_a_view + 0.5);
      session.go();
      work_for(0.3);
      f = measure(*window, what, seconds_a_view, parts);
      while (!session.drain(100'000).empty()) {
      }
    }
    return f;
  }

  static Figures measure(MainWindow& window, const char* what, double seconds, bool parts) {
    frame_clock().start();
    InputProbe probe(*window.windowHandle());
    work_for(seconds);
    frame_clock().stop();
    return print(what, probe.stop(), parts);
  }

  static Figures print(const char* what, const std::vector<double>& waits, bool parts) {
    const Figures f = figures_of(frame_clock().frames());
    std::vector<double> wall, cpu;
    for (const FrameClock::Picture& picture : frame_clock().pictures()) {
      wall.push_back(picture.wall_ms);
      cpu.push_back(picture.cpu_ms);
    }
    if (!wall.empty() && !waits.empty())
      std::printf(
          "%-28s %4zu pictures: p50 %5.1f  p99 %5.1f  most %5.1f ms (processor p99 %5.1f, most %5.1f); %4zu keys "
          "waited p50 %5.1f  p99 %5.1f  most %5.1f ms\n",
          what, wall.size(), percentile(wall, 0.5), percentile(wall, 0.99), percentile(wall, 1), percentile(cpu, 0.99),
          percentile(cpu, 1), waits.size(), percentile(waits, 0.5), percentile(waits, 0.99), percentile(waits, 1));
    std::printf(
        "%-28s %4zu frames: longest stretch p50 %5.1f  p99 %5.1f  most %5.1f ms (processor p99 %5.1f, most %5.1f); "
        "work %5.2f ms a frame\n",
        what, f.frames, f.p50, f.p99, f.max, f.cpu_p99, f.cpu_max, f.work);
    if (parts) print_parts(f.frames);
    std::fflush(stdout);
    return f;
  }

  static void print_parts(std::size_t frames) {
    std::vector<std::pair<double, std::string>> lines;
    for (const auto& [key, part] : frame_clock().parts()) {
      char line[200];
      const double a_frame = part.cpu_ms / static_cast<double>(std::max<std::size_t>(frames, 1));
      std::snprintf(line, sizeof line, "    %-34s %-22s %6llu events  %6.3f ms a frame  longest %6.2f ms",
                    key.first.c_str(), key.second.c_str(), static_cast<unsigned long long>(part.events), a_frame,
                    part.longest_ms);
      lines.emplace_back(a_frame, line);
    }
    std::ranges::sort(lines, std::greater<>{});
    for (std::size_t i = 0; i < lines.size() && i < 14; ++i) std::printf("%s\n", lines[i].second.c_str());
    print_longest("picture", frame_clock().longest_picture());
    print_longest("stretch", frame_clock().longest());
  }

  static void print_longest(const char* what, const FrameClock::Longest& longest) {
    std::printf("    longest %s: %.1f ms on the processor, %.1f by the clock, %ld page faults:", what, longest.cpu_ms,
                longest.wall_ms, longest.faults);
    auto events = longest.events;
    std::ranges::sort(events, std::greater<>{}, [](const auto& event) { return event.second; });
    for (std::size_t i = 0; i < events.size() && i < 6; ++i)
      std::printf(" %s %.1f ms;", events[i].first.c_str(), events[i].second);
    std::printf(" %zu events\n", events.size());
  }
};

}  // namespace

class WindowBench : public QObject {
  Q_OBJECT

 private slots:
  void frames() {
    std::printf("%zu contexts, %.0f requests/s with %d tokens each, %.1f moves a request; %s\n", load.contexts,
                load.requests_per_second, load.answer_tokens, load.moves_per_request,
                qPrintable(QGuiApplication::platformName()));
    std::vector<Figures> many, none;
    for (const int requests : {history / 10, history}) {
      std::printf("after %d requests:\n", requests);
      Bench bench(requests);
      bench.hide_all();
      none.push_back(bench.measure("Frontier alone", true));
      if (each)
        for (const DockEntry& entry : dock_registry()) {
          bench.hide_all();
          bench.window->docks().bring_up(entry.id);
          auto* pages = bench.window->docks().body(entry.id)->findChild<QTabWidget*>();
          for (int page = 0; page < (pages ? pages->count() : 1); ++page) {
            if (pages) pages->setCurrentIndex(page);
            const QString name = pages ? entry.title + ": " + pages->tabText(page) : entry.title;
            bench.measure(qPrintable(name), true);
          }
        }
      bench.show_many();
      many.push_back(bench.measure("seven docks at once", true));
    }
    QVERIFY(!none[0].frames == 0 && many[1].frames >= frames_wanted);
    // Ten times the history is not ten times the work.
    QVERIFY2(many[1].work < 2 * many[0].work + 1,
             qPrintable(QString("%1 after %2").arg(many[1].work).arg(many[0].work)));
    QVERIFY2(none[1].work < 2 * none[0].work + 1,
             qPrintable(QString("%1 after %2").arg(none[1].work).arg(none[0].work)));
  }

  // A hand on the time line, somewhere else in every frame, with all docks following.
  void scrubbing() {
    auto library = std::make_shared<MemoryLibrary>();
    library->runs["big"] = scripted_run("big", 200, history / 8, 6, "lru");
    QTemporaryDir folder;
    ScriptedSession session(60);
    WindowOptions options{folder.filePath("window.ini")};
    options.runs = library;
    MainWindow window(session, options);
    window.show();
    session.set_state(RunState::ready);
    work_for(0.3);
    Bench::show_many(window);
    window.replay().open("big");
    QTRY_VERIFY_WITH_TIMEOUT(window.replay().active(), 60000);
    ScrubBar& bar = window.body<ReplayDock>("replay")->bar();
    Random random(5);
    bar.setSliderDown(true);
    QTimer hand;
    QObject::connect(&hand, &QTimer::timeout, &bar,
                     [&] { bar.setValue(static_cast<int>(random.below(ScrubBar::steps))); });
    hand.start(MainWindow::frame_ms);
    work_for(0.5);
    const std::string what = "scrubbing " + std::to_string(window.replay().size()) + " events";
    const Figures f = Bench::measure(window, what.c_str(), std::max(2.0, seconds_a_view), true);
    hand.stop();
    QVERIFY(f.frames > 5);
    bar.setSliderDown(false);
  }
};

KV_TEST_PROGRAM(argc, argv) {
  std::vector<char*> others;
  for (int i = 0; i < argc; ++i) {
    const auto next = [&] { return i + 1 < argc ? std::atof(argv[++i]) : 0; };
    if (std::strcmp(argv[i], "--seconds") == 0)
      seconds_a_view = std::max(0.5, next());
    else if (std::strcmp(argv[i], "--history") == 0)
      history = std::max(100, static_cast<int>(next()));
    else if (std::strcmp(argv[i], "--contexts") == 0)
      load.contexts = static_cast<std::size_t>(std::max(1.0, next()));
    else if (std::strcmp(argv[i], "--rate") == 0)
      load.requests_per_second = std::max(1.0, next());
    else if (std::strcmp(argv[i], "--each") == 0)
      each = true;
    else
      others.push_back(argv[i]);
  }
  int count = static_cast<int>(others.size());
  FrameClock app(count, others.data());
  rank_this_thread(ThreadPriority::window);
  WindowBench bench;
  return QTest::qExec(&bench, count, others.data());
}

}  // namespace window_bench_test

#include "window_bench_test.moc"
