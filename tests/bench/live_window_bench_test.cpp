// links: kv_ui kv_experiments app_wiring
// What the window does while the real engine works as fast as it can beside it, on the same processor: every dock is
// open or a tab away. Printed: the time of a picture on the screen, how long a key waits, the longest stretch of a
// frame, and how much the engine reports.
//     live_window_bench_test [--seconds N] [--batch N] [--all-cores]      --all-cores: none is left to the window, as
//     the program does from three on
#include <QTemporaryDir>
#include <QTest>
#include <cstdio>
#include <cstring>

#include "core/base/statistics.h"
#include "core/base/thread_priority.h"
#include "tests/support/frame_clock.h"
#include "tests/support/input_probe.h"
#include "tests/support/live_window.h"
#include "tests/support/test_program.h"

namespace live_window_bench_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

double seconds = 3;
int batch = 4;
bool leave_core = true;

FrameClock& frame_clock() { return *static_cast<FrameClock*>(QApplication::instance()); }

void work_for(double duration) {
  QEventLoop loop;
  QTimer::singleShot(static_cast<int>(duration * 1000), Qt::PreciseTimer, &loop, &QEventLoop::quit);
  loop.exec();
}

}  // namespace

class LiveWindowBench : public QObject {
  Q_OBJECT

 private slots:
  void framesBesideTheEngine() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there yet and ../shared is absent");
    QTemporaryDir folder;
    auto opened =
        LiveWindow::open(folder.path().toStdString(), mixed_workload({"needle", "meeting", "inventory"}, 4, 300, 5),
                         {.tiers = {"dram=3MiB", "ssd=8MiB"}, .start_at_once = true, .leave_core = leave_core});
    QVERIFY2(opened.has_value(), opened ? "" : opened.error().message.c_str());
    LiveWindow& live = **opened;
    QVERIFY(QTest::qWaitFor([&] { return run_of(*live.window).served() > 0; }, 120000));
    SessionSettings settings = live.engine().settings();
    settings.max_batch = batch;
    settings.requests_per_second = 0;
    QVERIFY(live.engine().apply(settings));
    QVERIFY(QTest::qWaitFor([&] { return run_of(*live.window).served() > 60; }, 120000));
    run_of(*live.window)
        .selection.choose_context(QString::fromStdString(run_of(*live.window).snapshot()->contexts[2].id));
    work_for(0.5);
    const std::uint64_t served = run_of(*live.window).served();
    const std::size_t events = live.sink.events().size();
    frame_clock().start();
    InputProbe probe(*live.window->windowHandle());
    work_for(seconds);
    frame_clock().stop();
    const std::vector<double> waits = probe.stop();
    std::vector<double> wall, cpu, picture_wall, picture_cpu;
    for (const FrameClock::Picture& picture : frame_clock().pictures()) {
      picture_wall.push_back(picture.wall_ms);
      picture_cpu.push_back(picture.cpu_ms);
    }
    for (const FrameClock::Frame& frame : frame_clock().frames()) {
      wall.push_back(frame.wall_ms);
      cpu.push_back(frame.cpu_ms);
    }
    const double requests = static_cast<double>(run_of(*live.window).served() - served) / seconds,
                 told = static_cast<double>(live.sink.events().size() - events) / seconds;
    std::printf(
        "%s, batches of %d, %s: the engine served %.0f requests/s and told %.0f events/s; %zu frames: longest stretch "
        "p50 %.1f, p99 %.1f, most %.1f ms "
        "(on the processor p99 %.1f, most %.1f ms)\n",
        qPrintable(QGuiApplication::platformName()), batch,
        leave_core ? "a core left to the window where there are three" : "all cores compute", requests, told,
        wall.size(), percentile(wall, 0.5), percentile(wall, 0.99), percentile(wall, 1), percentile(cpu, 0.99),
        percentile(cpu, 1));
    std::printf(
        "%zu pictures p50 %.1f, p95 %.1f, p99 %.1f, most %.1f ms, p99 is %.2f of a frame at 60 Hz (on the processor "
        "p99 %.1f, most %.1f ms); %zu keys waited p50 %.1f, p99 %.1f, most %.1f ms\n",
        picture_wall.size(), percentile(picture_wall, 0.5), percentile(picture_wall, 0.95),
        percentile(picture_wall, 0.99), percentile(picture_wall, 1), percentile(picture_wall, 0.99) * 60 / 1000,
        percentile(picture_cpu, 0.99), percentile(picture_cpu, 1), waits.size(), percentile(waits, 0.5),
        percentile(waits, 0.99), percentile(waits, 1));
    QVERIFY(requests > 0 && wall.size() > 10 && waits.size() > 10);
  }
};

KV_TEST_PROGRAM(argc, argv) {
  std::vector<char*> others;
  for (int i = 0; i < argc; ++i) {
    const auto next = [&] { return i + 1 < argc ? std::atof(argv[++i]) : 0; };
    if (std::strcmp(argv[i], "--seconds") == 0)
      seconds = std::max(0.5, next());
    else if (std::strcmp(argv[i], "--batch") == 0)
      batch = std::max(1, static_cast<int>(next()));
    else if (std::strcmp(argv[i], "--all-cores") == 0)
      leave_core = false;
    else
      others.push_back(argv[i]);
  }
  int count = static_cast<int>(others.size());
  FrameClock app(count, others.data());
  rank_this_thread(ThreadPriority::window);
  LiveWindowBench bench;
  return QTest::qExec(&bench, count, others.data());
}

}  // namespace live_window_bench_test

#include "live_window_bench_test.moc"
