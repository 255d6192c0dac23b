// links: kv_reports
// The rules of a report's axes: ranges, ticks, logarithms, bins, colors and marks.
#include <QtTest>

#include <algorithm>
#include <cmath>

#include "core/report/plot_axes.h"
#include "core/report/series_colors.h"
#include "tests/support/sample_plot.h"
#include "tests/support/test_program.h"

namespace plot_axes_test {

using namespace kvantage;
using namespace kvantage::test;
using Kind = ReportPlot::Kind;

namespace {

bool are(const std::vector<double>& ticks, const std::vector<double>& wanted) {
  return std::ranges::equal(ticks, wanted,
                            [](double a, double b) { return std::abs(a - b) < 1e-9 * (1 + std::abs(b)); });
}

QString all_of(const std::vector<double>& numbers) {
  QStringList texts;
  for (const double number : numbers) texts << QString::number(number, 'g', 12);
  return texts.join(' ');
}

#define KV_TICKS(ticks, ...) QVERIFY2(are(ticks, std::vector<double> __VA_ARGS__), qPrintable(all_of(ticks)))

}  // namespace

class PlotAxesTest : public QObject {
  Q_OBJECT

 private slots:
  void ticksAreRound() {
    KV_TICKS(axis_ticks(0, 1, 6), {0, 0.2, 0.4, 0.6, 0.8, 1});
    KV_TICKS(axis_ticks(13, 47, 5), {10, 20, 30, 40, 50});
    KV_TICKS(axis_ticks(5, 5, 5), {5, 5.1, 5.2, 5.3, 5.4, 5.5});
    KV_TICKS(log_axis_ticks(3, 70), {2, 5, 10, 20, 50, 100});
    QCOMPARE(round_step(0.11), 0.2);
    QCOMPARE(round_step(5), 5.0);
    QCOMPARE(round_step(51), 100.0);
    QCOMPARE(round_step(5.004), 10.0);
    QCOMPARE(round_step(5.004, 0.999), 5.0);
    QCOMPARE(decade_below(0.02), 0.01);
    QCOMPARE(decade_below(1000), 1000.0);
    for (const auto& [step, decimals] : {std::pair{0.01, 2}, {0.5, 1}, {1.0, 0}, {50.0, 0}, {1e-9, 6}, {0.0, 0}})
      QCOMPARE(tick_decimals(step), decimals);
    QCOMPARE(tick_text(0.3000001, 0.1), std::string("0.3"));
  }

  void rangesCloseToZeroBeginThere() {
    QCOMPARE((AxisRange{1, 2}.from_zero().low), 0.0);
    QCOMPARE((AxisRange{1.5, 2}.from_zero().low), 1.5);
    QCOMPARE((AxisRange{-1, 2}.from_zero().low), -1.0);
    AxisRange range;
    QVERIFY(range.is_empty());
    for (const double value : std::vector<double>{3, NAN, INFINITY, 2}) range.add(value);
    range.add(Interval{1, 5});
    range.add(std::optional<Interval>());
    QVERIFY(!range.is_empty() && range.low == 1 && range.high == 5);
    KV_TICKS(linear_scale(AxisRange(), 5).ticks, {0, 0.2, 0.4, 0.6, 0.8, 1});
  }

  void wideRangesAreLogarithmic() {
    ReportPlot means =
        sample_plot(Kind::means, {{.name = "a", .points = {{10, 0.5}}}, {.name = "b", .points = {{30, 1}}}});
    QVERIFY(!scales_of(means).x.logarithmic);
    means.series[1].points[0].x = 31;
    QVERIFY(scales_of(means).x.logarithmic && !scales_of(means).y.logarithmic);
    ReportPlot diagonal = sample_plot(Kind::points, {{.name = "a", .points = {{1, 2}, {5, 10}}}});
    diagonal.diagonal = true;
    QVERIFY(!scales_of(diagonal).x.logarithmic);
    diagonal.series[0].points[1].y = 11;
    const PlotScales scales = scales_of(diagonal);
    QVERIFY(scales.x.logarithmic && scales.y.logarithmic);
    KV_TICKS(scales.x.ticks, {1, 2, 5, 10, 20});
    QCOMPARE(scales.x.ticks, scales.y.ticks);
    QVERIFY(std::abs(scales.x.at(std::sqrt(20.0)) - (scales.x.at(1) + scales.x.at(20)) / 2) < 1e-12);
    QCOMPARE(scales.x.at(100), 2.0);
    QCOMPARE(scales.x.label(0), std::string("1"));
    QCOMPARE(scale_text(scales.x), std::string(" (logarithmic)"));
    ReportPlot bars = sample_plot(Kind::bars, {{.name = "a", .points = {{0, 7}}}});
    bars.places = {{"lru", ""}};
    QCOMPARE(scale_text(bar_scale(bars)), std::string());
    KV_TICKS(bar_scale(bars).ticks, {0, 2, 4, 6, 8});
    QCOMPARE(bar_scale(bars).at(4), 4.0);
  }

  void intervalsAreInTheRanges() {
    const ReportPlot plot = sample_plot(
        Kind::curves, {{.name = "a", .points = {{10, 1, {}, 0, Interval{2, 90}}, {12, 2, Interval{1, 7}}}}});
    KV_TICKS(scales_of(plot).x.ticks, {0, 20, 40, 60, 80, 100});
    QVERIFY(scales_of(plot).y.ticks.back() >= 7);
  }

  void countsHaveWholeTicks() {
    for (int most = 1; most <= 200; ++most) {
      const ReportPlot plot =
          sample_plot(Kind::histogram, {{.name = "a", .points = {{1, static_cast<double>(most)}, {2, 0}}}});
      const std::vector<double> ticks = scales_of(plot).y.ticks;
      QVERIFY2(ticks.front() == 0 && ticks.back() >= most && ticks.size() <= 7, qPrintable(all_of(ticks)));
      for (const double tick : ticks) QCOMPARE(tick, std::round(tick));
    }
  }

  void sumsAreOfPositiveParts() {
    ReportPlot plot = sample_plot(
        Kind::bars, {{.name = "a", .points = {{0, 1}, {1, -5}}}, {.name = "b", .points = {{0, 2}, {1, 4}}}});
    plot.places = {{"lru", ""}, {"gdsf", ""}, {"none", ""}};
    QCOMPARE(place_sums(plot), (std::vector<double>{3, 4, 0}));
    QCOMPARE(bar_scale(plot).ticks.back(), 4.0);
  }

  void boxesAreReadByPlace() {
    ReportPlot plot = sample_plot(Kind::boxes, {});
    for (int i = 0; i < 5; ++i)
      plot.series.push_back({.name = std::to_string(i), .points = {{0, 10.0 + i, {}, 7}, {1, 20.0 + i, {}, 8}}});
    plot.places = {{"lru", ""}, {"gdsf", ""}};
    const std::vector<PlotBox> boxes = boxes_of(plot);
    QCOMPARE(boxes.size(), std::size_t{2});
    QVERIFY(boxes[0].low == 10 && boxes[0].lower == 11 && boxes[0].median == 12 && boxes[0].upper == 13 &&
            boxes[0].high == 14 && boxes[0].n == 7);
    QVERIFY(boxes[1].low == 20 && boxes[1].high == 24 && boxes[1].n == 8);
    KV_TICKS(scales_of(plot).x.ticks, {-0.5, 1.5});
  }

  // Freedman and Diaconis: 2 * 2.5 / 10^(1/3) = 2.32, so a range of 8 has 4 bins.
  void binsHoldTheirLowerEdges() {
    const std::vector<double> edges = bin_edges({1, 2, 2, 3, 3, 4, 4, 5, 5, 9});
    KV_TICKS(edges, {1, 3, 5, 7, 9});
    for (const auto& [value, bin] : {std::pair{1.0, 0U}, {2.9, 0U}, {3.0, 1U}, {6.9, 2U}, {7.0, 3U}, {9.0, 3U}})
      QCOMPARE(bin_of(edges, value), std::size_t{bin});
    KV_TICKS(bin_edges({10, 10}), {9, 9.5, 10, 10.5, 11});
    KV_TICKS(bin_edges({0}), {-0.5, -0.25, 0, 0.25, 0.5});
  }

  void grayIsOfNoSeries() {
    int before = -1;
    for (std::size_t i = 0; i < 40; ++i) {
      constexpr int colors = static_cast<int>(series_colors.size());
      const int number = series_number(i);
      QVERIFY(number % colors != gray_series);
      QCOMPARE(number - before, (before + 1) % colors == gray_series ? 2 : 1);
      before = number;
    }
    const ReportPlot plot =
        sample_plot(Kind::curves, {{.name = "ssd", .points = {}},
                                   {.name = "ssd, since the beginning", .points = {}, .aside = true},
                                   {.name = "dram", .points = {}},
                                   {.name = "budget", .points = {}, .aside = true}});
    QCOMPARE(series_numbers(plot), (std::vector<int>{0, 0, 1, gray_series}));
  }

  void manyPointsHaveSomeMarks() {
    QCOMPARE(marked_points(12, true).size(), std::size_t{12});
    QCOMPARE(marked_points(100, true), (std::vector<std::size_t>{6, 18, 30, 42, 54, 66, 78, 90}));
    QCOMPARE(marked_points(100, false).size(), std::size_t{100});
    QVERIFY(marked_points(0, true).empty());
  }

  void titlesHaveTheirUnits() {
    QCOMPARE(axis_text("in use", "MiB"), std::string("in use, MiB"));
    QCOMPARE(axis_text("share", "1"), std::string("share"));
  }
};

KV_TEST_APPLESS_MAIN(PlotAxesTest)

}  // namespace plot_axes_test

#include "plot_axes_test.moc"
