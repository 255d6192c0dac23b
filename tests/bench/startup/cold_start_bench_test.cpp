// links: kv_ui kv_window_program
// From the start of the window's process to its first painted curve, on a copy of the quick start with settings and
// stores of its own each time, with the files of the program in memory. In turns with it: a bare program of Qt with the
// same libraries that paints one chart, and the window's program with the environment for which it would execute itself
// again. Printed: medians of what was reached when. Asserted: the ratio of the window's curve to the bare one. With the
// files on disk only: cold_start.py.
//     cold_start_bench_test [--rounds N]
//     cold_start_bench_test --bare FILE      is the bare program, which writes its times
#include <QApplication>
#include <QChart>
#include <QChartView>
#include <QLineSeries>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "app/startup_timing.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/base/statistics.h"
#include "tests/crash/window_process.h"
#include "tests/support/test_model.h"
#include "tests/support/test_program.h"

namespace cold_start_bench_test {

using namespace kvantage;
using namespace kvantage::test;
namespace fs = std::filesystem;

namespace {

constexpr double max_warm_ratio = 8;  // seconds to the window's first curve over those to the bare one
constexpr double goal_seconds = 2;    // printed beside the median
int rounds = 5;

/// Paints its chart and says so, once.
class BareView final : public QChartView {
 public:
  BareView(QChart* chart, std::function<void()> drawn) : QChartView(chart), drawn_(std::move(drawn)) {}

 protected:
  void drawForeground(QPainter* painter, const QRectF& rect) override {
    QChartView::drawForeground(painter, rect);
    if (drawn_) std::exchange(drawn_, nullptr)();
  }

 private:
  std::function<void()> drawn_;
};

/// Exit code 0: the times are in `file`.
int paint_bare_chart(const fs::path& file, int argc, char** argv) {
  StartupTiming timing;
  QApplication application(argc, argv);
  timing.note("application");
  auto* line = new QLineSeries;
  for (int x = 0; x < 7; ++x) line->append(x, 1 - 0.02 * x * x);
  auto* chart = new QChart;
  chart->addSeries(line);
  chart->createDefaultAxes();
  BareView view(chart, [&timing, file] {
    timing.note("bare_curve");
    QTimer::singleShot(
        0, qApp, [&timing, file] { QApplication::exit(write_text_file(file, dump_json(timing.to_json())) ? 0 : 1); });
  });
  view.resize(1280, 800);
  timing.note("window_made");
  view.show();
  timing.note("window_shown");
  return QApplication::exec();
}

/// Seconds since the process began.
using Reached = std::map<std::string, double>;

/// What one start wrote; empty: it is not there.
Reached read_times(const fs::path& file) {
  Reached reached;
  const auto json = read_json_file(file);
  if (!json || !json->contains("seconds")) return reached;
  for (const auto& [what, seconds] : json->at("seconds").items()) reached[what] = seconds.get<double>();
  const Json& first = json->at("first_curve");
  if (first.is_string()) reached["first_curve"] = reached.at(first.get<std::string>());
  return reached;
}

double median_of(const std::vector<Reached>& starts, const std::string& what) {
  std::vector<double> seconds;
  for (const Reached& start : starts)
    if (const auto found = start.find(what); found != start.end()) seconds.push_back(found->second);
  return seconds.empty() ? -1 : percentile(seconds, 0.5);
}

void print_medians(const char* who, const std::vector<Reached>& starts) {
  std::printf("%-34s", who);
  for (const char* what : {"main", "application", "session_opened", "window_made", "window_shown", "session_ready",
                           "sensitivity_curve", "frontier_curve", "bare_curve"})
    if (const double seconds = median_of(starts, what); seconds >= 0) std::printf("  %s %.2f s", what, seconds);
  std::printf("\n");
}

/// What the program sets before it executes itself again.
void set_short_spins(bool set) {
  for (const auto& [name, value] : {std::pair{"OMP_WAIT_POLICY", "active"}, std::pair{"GOMP_SPINCOUNT", "10000"}})
    if (set)
      qputenv(name, value);
    else
      qunsetenv(name);
}

}  // namespace

class ColdStartBench : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  int starts_ = 0;

  /// A folder for one start, which holds nothing yet.
  fs::path fresh() {
    const fs::path made = fs::path(folder_.path().toStdString()) / ("start-" + std::to_string(++starts_));
    fs::create_directories(made);
    return made;
  }

  void start_bare(Reached& reached) {
    const fs::path folder = fresh(), file = folder / "times.json";
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("QT_QPA_PLATFORM", "offscreen");  // as the window
    process.setProcessEnvironment(environment);
    process.start(QCoreApplication::applicationFilePath(),
                  {QStringLiteral("cold_start_bench_test"), QStringLiteral("--bare"), text_of(file)});
    QVERIFY(process.waitForFinished(180000));
    QCOMPARE(process.exitCode(), 0);
    reached = read_times(file);
    QVERIFY(reached.contains("bare_curve"));
    fs::remove_all(folder);
  }

  void start_window_on_a_copy(Reached& reached, bool has_short_spins) {
    const fs::path folder = fresh(), file = folder / "times.json", workload = folder / "quickstart";
    fs::copy(source_directory() / "sample_workloads" / "quickstart", workload, fs::copy_options::recursive);
    qputenv("KVANTAGE_CACHE", QByteArray::fromStdString((folder / "cache").string()));
    set_short_spins(has_short_spins);
    QProcess process;
    QVERIFY(start_window(process, text_of(folder / "config"),
                         {text_of(workload), "--model", text_of(model_directory()), "--store",
                          text_of(folder / "store"), "--language", "en", "--startup-timing", text_of(file)}));
    set_short_spins(false);
    const auto has_all_curves = [&] { return fs::exists(file) && read_times(file).contains("frontier_curve"); };
    QVERIFY2(wait_for_window(process, has_all_curves), process.readAllStandardError());
    reached = read_times(file);
    end_window(process, SIGTERM);
    if (QTest::currentTestFailed()) return;
    QVERIFY(reached.contains("first_curve"));
    double last = 0;  // in this order
    for (const char* what : {"main", "application", "session_opened", "window_made", "window_shown", "first_curve"}) {
      QVERIFY2(reached.contains(what) && reached.at(what) >= last, what);
      last = reached.at(what);
    }
    fs::remove_all(folder);
  }

 private slots:
  void initTestCase() {
    if (model_directory() != source_directory() / "resources" / "model") QSKIP("resources/model is not there yet");
    if (!fs::exists(window_program().toStdString())) QSKIP("the window's program is not built");
  }

  void theFirstCurveOfTheQuickStart() {
    std::vector<Reached> bares, windows, prepared;
    for (int round = -1; round < rounds; ++round) {
      Reached bare, window, with_short_spins;
      start_bare(bare);
      if (QTest::currentTestFailed()) return;
      start_window_on_a_copy(window, false);
      if (QTest::currentTestFailed()) return;
      start_window_on_a_copy(with_short_spins, true);
      if (QTest::currentTestFailed()) return;
      if (round < 0) continue;  // that one read the files into memory
      bares.push_back(bare);
      windows.push_back(window);
      prepared.push_back(with_short_spins);
    }
    std::printf("medians of %d starts, since the process began (known to 10 ms):\n", rounds);
    print_medians("one chart, the same libraries", bares);
    print_medians("window on the quick start", windows);
    print_medians("the same, does not restart itself", prepared);
    const double bare = median_of(bares, "bare_curve"), curve = median_of(windows, "first_curve");
    std::printf("first curve after %.2f s (goal %.0f s), %.1f times the bare chart\n", curve, goal_seconds,
                curve / bare);
    QVERIFY(bare > 0);
    QVERIFY2(curve <= max_warm_ratio * bare, qPrintable(QStringLiteral("%1 s, bare %2 s").arg(curve).arg(bare)));
  }
};

KV_TEST_PROGRAM(argc, argv) {
  std::vector<char*> others;
  for (int i = 0; i < argc; ++i) {
    if (std::strcmp(argv[i], "--rounds") == 0 && i + 1 < argc)
      rounds = std::max(1, std::atoi(argv[++i]));
    else if (std::strcmp(argv[i], "--bare") == 0 && i + 1 < argc)
      return paint_bare_chart(argv[i + 1], argc, argv);
    else
      others.push_back(argv[i]);
  }
  int count = static_cast<int>(others.size());
  QCoreApplication application(count, others.data());
  ColdStartBench bench;
  return QTest::qExec(&bench, count, others.data());
}

}  // namespace cold_start_bench_test

#include "cold_start_bench_test.moc"
