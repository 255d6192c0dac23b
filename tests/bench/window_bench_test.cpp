// links: kv_ui kv_experiments app_wiring
// What the window does while events come at the rate of a busy engine, on top of a long history and many contexts:
// every view alone, many at once, none; with as many runs pinned as the window holds, while all cores compute as the
// engine does, and while a real engine measures quality curves. The timeline is shown throughout. Printed: the time of
// a picture on the screen and what part of a frame at 60 Hz its p99 is, how long a key waits, the longest stretch of a
// frame (see tests/support/frame_clock.h and input_probe.h). Asserted is how work grows, also beside profiling, and
// that pictures take no more than a frame of the processor's time; by the clock they also wait for whatever else the
// machine does.
//     window_bench_test [--seconds N] [--each] [--history N] [--contexts N] [--rate N]
// --each: every dock, and every page of it, by itself. Under a display: QT_QPA_PLATFORM=xcb.
#include <QEventLoop>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <thread>

#include "core/base/statistics.h"
#include "core/base/thread_priority.h"
#include "tests/support/background_profile.h"
#include "tests/support/busy_session.h"
#include "tests/support/frame_clock.h"
#include "tests/support/input_probe.h"
#include "tests/support/test_program.h"
#include "tests/ui/runs/pinned_runs.h"
#include "ui/live/dock_registry.h"
#include "ui/live/timeline/time_line.h"
#include "ui/runs/replay_dock.h"

namespace window_bench_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

constexpr std::size_t frames_wanted = 11, pinned = HeldRunsModel::max_pinned;
constexpr double frame_ms = 1000.0 / 60;
constexpr double max_profiled_work = 2;   // work a frame beside profiling over that without
constexpr double max_profiled_frame = 2;  // p99 of pictures on the processor, likewise, beyond a quarter of a frame
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

/// Of one core each, as the engine's threads have it, until it goes.
class BusyCores {
 public:
  BusyCores() {
    const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
    threads_.reserve(cores);
    for (unsigned core = 0; core < cores; ++core)
      threads_.emplace_back([this](const std::stop_token& stop) {
        rank_this_thread(ThreadPriority::engine);
        double sum = 1;
        while (!stop.stop_requested())
          for (int i = 0; i < 10'000; ++i) sum = std::sqrt(sum + i);
        sums_ = sums_ + sum;  // or the loop would be left out
      });
  }

 private:
  std::atomic<double> sums_{0};
  std::vector<std::jthread> threads_;  // last: they use the member above
};

struct Figures {
  double p50 = 0, p99 = 0, max = 0, cpu_p99 = 0, cpu_max = 0, work = 0;
  double picture_p99 = 0, picture_cpu_p99 = 0;
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
  std::shared_ptr<MemoryLibrary> library = std::make_shared<MemoryLibrary>();
  std::unique_ptr<MainWindow> window;

  explicit Bench(int requests) {
    add_runs_to_pin(*library, pinned, 100);
    WindowOptions options{folder.filePath("window.ini"), true};
    options.runs = library;
    window = std::make_unique<MainWindow>(session, std::move(options));
    window->resize(1280, 800);
    window->show();
    work_for(0.3);
    for (int made = 0; made < requests; made += 2000) {
      session.make_history(std::min(2000, requests - made));
      while (session.history_waits()) run_of(*window).tick(1000);
    }
    if (const auto snapshot = run_of(*window).snapshot())
      run_of(*window).selection.choose_context(QString::fromStdString(snapshot->contexts[7].id));
    work_for(1.5);
  }

  void hide_all() {
    for (const auto& [id, dock] : docks_of(*window).all()) dock->hide();
  }
  void show_many() { show_many(*window); }
  static void show_many(MainWindow& many) {
    many.resize(1920, 1200);
    layouts_of(many).apply("Overview");
    const auto dock = [&many](const char* id) { return dock_of(many, id); };
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
    Figures f = figures_of(frame_clock().frames());
    std::vector<double> wall, cpu;
    for (const FrameClock::Picture& picture : frame_clock().pictures()) {
      wall.push_back(picture.wall_ms);
      cpu.push_back(picture.cpu_ms);
    }
    if (!wall.empty()) {
      f.picture_p99 = percentile(wall, 0.99);
      f.picture_cpu_p99 = percentile(cpu, 0.99);
    }
    if (!wall.empty() && !waits.empty())
      std::printf(
          "%-28s %4zu pictures: p50 %5.1f  p95 %5.1f  p99 %5.1f  most %5.1f ms, p99 is %4.2f of a frame (processor p99 "
          "%5.1f, most %5.1f, %4.2f of a frame); %4zu keys waited p50 %5.1f  p95 %5.1f  p99 %5.1f  most %5.1f ms\n",
          what, wall.size(), percentile(wall, 0.5), percentile(wall, 0.95), f.picture_p99, percentile(wall, 1),
          f.picture_p99 / frame_ms, f.picture_cpu_p99, percentile(cpu, 1), f.picture_cpu_p99 / frame_ms, waits.size(),
          percentile(waits, 0.5), percentile(waits, 0.95), percentile(waits, 0.99), percentile(waits, 1));
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

  /// The least of up to three: a program that is kept from running has several frames' work at once.
  static Figures within_a_frame(Bench& bench, const char* what) {
    Figures least = bench.measure(what, true);
    for (int round = 1; round < 3 && (least.frames < frames_wanted || least.picture_cpu_p99 > frame_ms); ++round) {
      const Figures again = bench.measure(what, false);
      if (least.frames < frames_wanted || again.picture_cpu_p99 < least.picture_cpu_p99) least = again;
    }
    return least;
  }

  /// Seven docks again, with all runs pinned that a window holds, then with all cores at work as well.
  static void measure_pinned(Bench& bench, const Figures& without) {
    const auto* time_line = &part_of<TimeLine>(*bench.window);
    const std::size_t annotations = time_line->strip().model().annotations().size();
    QVERIFY(time_line->isVisible() && annotations > 0);
    QVERIFY(pin_runs(*bench.window, pinned));
    std::printf("%zu runs pinned, %zu annotations on the timeline:\n", pinned, annotations);
    const Figures held = within_a_frame(bench, "seven docks, runs pinned");
    QVERIFY(pins_are_drawn(bench.window->models().held, pinned));
    const Figures busy = [&] {
      const BusyCores engine;
      return within_a_frame(bench, "the same, all cores busy");
    }();
    QVERIFY(held.frames >= frames_wanted && busy.frames >= frames_wanted);
    // Runs beside the present one are drawn, and not read again: they are less work than all the rest.
    QVERIFY2(held.work < 2 * without.work + 1, qPrintable(QString("%1 after %2").arg(held.work).arg(without.work)));
    for (const Figures& figures : {held, busy})
      QVERIFY2(figures.picture_cpu_p99 <= frame_ms, qPrintable(QString("%1 ms").arg(figures.picture_cpu_p99)));
  }

  /// Seven docks and pinned runs again, while curves are measured on the same machine.
  static void measure_beside_profile(Bench& bench) {
    if (model_directory().empty()) {
      std::printf("no model: nothing is measured beside profiling\n");
      return;
    }
    const Figures alone = within_a_frame(bench, "seven docks, no profiling");
    for (const BackgroundProfile::Kind kind : BackgroundProfile::kinds) {
      measure_beside_profile(bench, alone, kind);
      if (QTest::currentTestFailed()) return;
    }
  }
  static void measure_beside_profile(Bench& bench, const Figures& alone, BackgroundProfile::Kind kind) {
    QTemporaryDir folder;
    const auto profile = BackgroundProfile::start(folder.path().toStdString(), kind);
    QVERIFY2(profile.has_value(), profile ? "" : profile.error().message.c_str());
    const std::size_t curves = (*profile)->curves();
    std::printf("%s:\n", BackgroundProfile::name_of(kind));
    const Figures beside = within_a_frame(bench, "the same, beside it");
    const bool worked = (*profile)->works();
    std::printf(
        "%zu curves were measured meanwhile; pictures p99 %.2f times as long by the clock, %.2f on the processor; "
        "work a frame %.2f times\n",
        (*profile)->curves() - curves, beside.picture_p99 / alone.picture_p99,
        beside.picture_cpu_p99 / alone.picture_cpu_p99, beside.work / alone.work);
    QVERIFY2(worked && (*profile)->curves() > curves,
             "the profile ended, or stood still, while it was measured beside");
    QVERIFY(alone.frames >= frames_wanted && beside.frames >= frames_wanted);
    QVERIFY2(beside.work < max_profiled_work * alone.work + 1,
             qPrintable(QString("%1 after %2").arg(beside.work).arg(alone.work)));
    QVERIFY2(beside.picture_cpu_p99 <= frame_ms, qPrintable(QString("%1 ms").arg(beside.picture_cpu_p99)));
    QVERIFY2(beside.picture_cpu_p99 < max_profiled_frame * alone.picture_cpu_p99 + frame_ms / 4,
             qPrintable(QString("%1 after %2 ms").arg(beside.picture_cpu_p99).arg(alone.picture_cpu_p99)));
  }

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
          docks_of(*bench.window).bring_up(entry.id);
          auto* pages = docks_of(*bench.window).body(entry.id)->findChild<QTabWidget*>();
          for (int page = 0; page < (pages ? pages->count() : 1); ++page) {
            if (pages) pages->setCurrentIndex(page);
            const QString name = pages ? entry.title + ": " + pages->tabText(page) : entry.title;
            bench.measure(qPrintable(name), true);
          }
        }
      bench.show_many();
      many.push_back(bench.measure("seven docks at once", true));
      if (requests == history) measure_pinned(bench, many.back());
      if (requests == history && !QTest::currentTestFailed()) measure_beside_profile(bench);
      if (QTest::currentTestFailed()) return;
    }
    QVERIFY(!none[0].frames == 0 && many[1].frames >= frames_wanted);
    // Ten times the history is not ten times the work, nor one picture that takes ten times as long.
    QVERIFY2(many[1].work < 2 * many[0].work + 1,
             qPrintable(QString("%1 after %2").arg(many[1].work).arg(many[0].work)));
    QVERIFY2(none[1].work < 2 * none[0].work + 1,
             qPrintable(QString("%1 after %2").arg(none[1].work).arg(none[0].work)));
    for (const auto& views : {many, none})
      QVERIFY2(views[1].picture_cpu_p99 < 2 * views[0].picture_cpu_p99 + frame_ms / 4,
               qPrintable(QString("%1 after %2 ms").arg(views[1].picture_cpu_p99).arg(views[0].picture_cpu_p99)));
  }

  // A hand on the timeline, somewhere else in every frame, with all docks following.
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
    replay_of(window).open("big");
    QTRY_VERIFY_WITH_TIMEOUT(replay_of(window).active(), 60000);
    ScrubBar& bar = window.body<ReplayDock>("replay")->bar();
    Random random(5);
    bar.setSliderDown(true);
    QTimer hand;
    QObject::connect(&hand, &QTimer::timeout, &bar,
                     [&] { bar.setValue(static_cast<int>(random.below(ScrubBar::steps))); });
    hand.start(MainWindow::frame_ms);
    work_for(0.5);
    const std::string what = "scrubbing " + std::to_string(replay_of(window).size()) + " events";
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
