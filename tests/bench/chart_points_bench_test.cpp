// links: kv_ui
// A frame of zooming a chart of a million points, against one of ten thousand: what is drawn follows the pixels, so the
// times are alike. Printed: milliseconds a frame, and what part of a frame at 60 Hz they are. Asserted: their ratio,
// and that half of the frames of a million points take no more than a frame at 60 Hz, in the best of three zooms.
//     chart_points_bench_test [--frames N]
#include <QApplication>
#include <QTest>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "core/base/statistics.h"
#include "core/experiments/paper_figures.h"
#include "tests/support/test_program.h"
#include "ui/charts/decimation.h"
#include "ui/charts/series_chart.h"
#include "ui/charts/time_line_chart.h"

namespace chart_points_bench_test {

using namespace kvantage;

namespace {

constexpr int few = 10'000, many = 1'000'000, many_bars = 200'000;
/// Of a frame of many points to one of few. Drawing is the same; finding what to draw takes a logarithm longer.
constexpr double max_ratio = 3;
constexpr double frame_limit_ms = 1000.0 / 60;
constexpr int zooms = 3;
int frames = 60;

using Clock = std::chrono::steady_clock;
double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

FigureResult line_of(int points) {
  FigureResult result = begin_figure("evicpress/fig8");
  result.tables = {{"Line", {"load", "TTFT s"}, {}, FigurePlot{.x = "load", .y = {"TTFT s"}}}};
  auto& rows = result.tables[0].rows;
  rows.reserve(static_cast<std::size_t>(points));
  for (int i = 0; i < points; ++i) {
    const double x = static_cast<double>(i) / points;
    rows.push_back({x, std::sin(40 * x) + 0.1 * std::sin(1e4 * x)});
  }
  return result;
}

FigureResult bars_of(int spans) {
  FigureResult result = begin_figure("kvpr/fig3");
  result.tables = {{"Timeline",
                    {"lane", "what", "layer", "from ms", "to ms"},
                    {},
                    FigurePlot{.kind = FigurePlot::Kind::spans,
                               .x = "ms since the step began",
                               .y = {"lane", "from ms", "to ms"},
                               .by = {"layer", "what"}}}};
  auto& rows = result.tables[0].rows;
  rows.reserve(static_cast<std::size_t>(spans));
  for (int i = 0; i < spans; ++i) {
    const double begin = 1000.0 * i / spans;
    rows.push_back({i % 2 == 0 ? "link" : "processor", "layer", i % 32, begin, begin + 600.0 / spans});
  }
  return result;
}

/// Median milliseconds of a frame: a step of the zoom, and its painting.
template <class Chart>
double frame_ms(const char* what, const FigureResult& result) {
  Chart chart;
  chart.resize(900, 500);
  chart.show();
  chart.show_table(result, 0);
  chart.flush();
  QCoreApplication::processEvents();
  std::vector<double> times;
  times.reserve(static_cast<std::size_t>(frames));
  for (int frame = 0; frame < frames; ++frame) {
    const auto start = Clock::now();
    chart.zoom().zoom(frame / 12 % 2 == 0 ? 1.25 : 0.8, {true, false});  // in and out again
    chart.grab();
    times.push_back(ms_since(start));
  }
  const double median = percentile(times, 0.5);
  std::printf("%-28s %7.2f ms a frame (%.2f of one at 60 Hz), p95 %7.2f, p99 %7.2f ms\n", what, median,
              median / frame_limit_ms, percentile(times, 0.95), percentile(times, 0.99));
  std::fflush(stdout);
  return median;
}

}  // namespace

class ChartPointsBench : public QObject {
  Q_OBJECT

 private slots:
  void aMillionPointsZoomLikeTenThousand() {
    const FigureResult of_many = line_of(many);
    const double small = frame_ms<SeriesChart>("line of 10,000 points", line_of(few)),
                 large = frame_ms<SeriesChart>("line of 1,000,000 points", of_many);
    QVERIFY2(large < max_ratio * small, qPrintable(QString("%1 to %2 ms").arg(large).arg(small)));
    double least = large;
    for (int zoom = 1; zoom < zooms && least > frame_limit_ms; ++zoom)
      least = std::min(least, frame_ms<SeriesChart>("line of 1,000,000 points", of_many));
    QVERIFY2(least <= frame_limit_ms, qPrintable(QString("%1 ms").arg(least)));
  }

  void manyBarsZoomLikeTenThousand() {
    const double small = frame_ms<TimeLineChart>("10,000 bars", bars_of(few)),
                 large = frame_ms<TimeLineChart>("200,000 bars", bars_of(many_bars));
    QVERIFY2(large < max_ratio * small, qPrintable(QString("%1 to %2 ms").arg(large).arg(small)));
  }
};

KV_TEST_PROGRAM(argc, argv) {
  std::vector<char*> others;
  for (int i = 0; i < argc; ++i) {
    if (std::strcmp(argv[i], "--frames") == 0 && i + 1 < argc)
      frames = std::max(12, std::atoi(argv[++i]));
    else
      others.push_back(argv[i]);
  }
  int count = static_cast<int>(others.size());
  QApplication app(count, others.data());
  ChartPointsBench bench;
  return QTest::qExec(&bench, count, others.data());
}

}  // namespace chart_points_bench_test

#include "chart_points_bench_test.moc"
