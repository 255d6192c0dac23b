// links: kv_ui
// What of many points is drawn, against every point looked at: no column of pixels loses its lowest or highest one.
#include "ui/charts/decimation.h"

#include <QtTest>
#include <algorithm>
#include <cmath>
#include <set>

#include "core/base/random.h"
#include "tests/support/test_program.h"

namespace decimation_test {

using namespace kvantage;

namespace {

std::vector<QPointF> walk(std::size_t count, std::uint64_t seed, bool same_x = false) {
  Random random(seed);
  std::vector<QPointF> points;
  points.reserve(count);
  double x = 0, y = 0;
  for (std::size_t i = 0; i < count; ++i) {
    x += same_x && random.below(3) == 0 ? 0 : random.uniform();
    y += random.uniform() - 0.5;
    points.emplace_back(x, y);
  }
  return points;
}

}  // namespace

class DecimationTest : public QObject {
  Q_OBJECT

 private slots:
  void extremesAreThoseOfEveryPoint() {
    for (const std::size_t count : {1u, 3u, 4u, 5u, 16u, 17u, 63u, 64u, 65u, 1000u}) {
      const std::vector<QPointF> points = walk(count, count);
      const MinMaxPyramid pyramid(points);
      QCOMPARE(pyramid.size(), count);
      Random random(count);
      for (int round = 0; round < 300; ++round) {
        const std::size_t first = random.below(count), last = first + 1 + random.below(count - first);
        const auto both = pyramid.extremes(first, last);
        QVERIFY(both);
        std::size_t low = first, high = first;
        for (std::size_t i = first; i < last; ++i) {
          if (points[i].y() < points[low].y()) low = i;
          if (points[i].y() > points[high].y()) high = i;
        }
        QCOMPARE(both->lowest, low);
        QCOMPARE(both->highest, high);
      }
      QVERIFY(!pyramid.extremes(count, count) && !pyramid.extremes(0, count + 1));
    }
    QVERIFY(!MinMaxPyramid().extremes(0, 1));
  }

  void itGrowsPointByPoint() {
    const std::vector<QPointF> points = walk(500, 3);
    MinMaxPyramid grown;
    for (std::size_t i = 0; i < points.size(); ++i) {
      grown.append(points[i]);
      const auto both = grown.extremes(0, grown.size());
      const auto [low, high] = std::minmax_element(points.begin(), points.begin() + static_cast<std::ptrdiff_t>(i + 1),
                                                   [](const QPointF& a, const QPointF& b) { return a.y() < b.y(); });
      QCOMPARE(points[both->lowest].y(), low->y());
      QCOMPARE(points[both->highest].y(), high->y());
    }
  }

  void equalOnesAreTheFirst() {
    MinMaxPyramid pyramid;
    for (int i = 0; i < 100; ++i) pyramid.append({static_cast<double>(i), i % 2 == 0 ? 1.0 : 2.0});
    QCOMPARE(pyramid.extremes(0, 100)->lowest, std::size_t{0});
    QCOMPARE(pyramid.extremes(0, 100)->highest, std::size_t{1});
    QCOMPARE(pyramid.extremes(51, 100)->lowest, std::size_t{52});
    QCOMPARE(pyramid.extremes(51, 100)->highest, std::size_t{51});
  }

  void everyColumnKeepsItsExtremes() {
    for (const bool same_x : {false, true}) {
      const std::vector<QPointF> points = walk(20'000, 11, same_x);
      const MinMaxPyramid pyramid(points);
      const double all = points.back().x();
      for (const auto& [from, to] : {std::pair(0.0, 1.0), {0.2, 0.9}, {0.4, 0.55}, {0.31, 0.3101}, {-0.5, 1.5}})
        for (const int columns : {1, 7, 100, 600}) {
          const double low = from * all, high = to * all;
          const std::vector<std::size_t> seen = pyramid.seen(low, high, columns);
          QVERIFY(std::ranges::is_sorted(seen));
          QCOMPARE(std::set<std::size_t>(seen.begin(), seen.end()).size(), seen.size());
          QVERIFY(seen.size() <= 2 * static_cast<std::size_t>(columns) + 2);
          double column_begin = low;
          for (int column = 0; column < columns; ++column) {
            const double end = column_end(low, high, columns, column);
            const auto in_column = [&](double x) {
              return x >= column_begin && (column + 1 == columns ? x <= end : x < end);
            };
            double lowest = 1e300, highest = -1e300, drawn_lowest = 1e300, drawn_highest = -1e300;
            for (const QPointF& point : points)
              if (in_column(point.x())) {
                lowest = std::min(lowest, point.y());
                highest = std::max(highest, point.y());
              }
            for (const std::size_t i : seen)
              if (in_column(points[i].x())) {
                drawn_lowest = std::min(drawn_lowest, points[i].y());
                drawn_highest = std::max(drawn_highest, points[i].y());
              }
            QCOMPARE(drawn_lowest, lowest);
            QCOMPARE(drawn_highest, highest);
            column_begin = end;
          }
        }
    }
  }

  // Few points are all drawn, and those beside the view, as a line does not end at its edge.
  void fewPointsAreAllDrawn() {
    const std::vector<QPointF> points = walk(50, 5);
    const MinMaxPyramid pyramid(points);
    const std::vector<std::size_t> seen = pyramid.seen(points[10].x(), points[20].x(), 100);
    QCOMPARE(seen.front(), std::size_t{9});
    QCOMPARE(seen.back(), std::size_t{21});
    QCOMPARE(seen.size(), std::size_t{13});
    QCOMPARE(pyramid.seen(-10, 1e9, 100).size(), points.size());
    // Between two points there is a line, too; beyond the last one there is what comes from it.
    const double between = (points[10].x() + points[11].x()) / 2;
    QCOMPARE(pyramid.seen(between, between, 100), (std::vector<std::size_t>{10, 11}));
    QCOMPARE(pyramid.seen(1e9, 2e9, 100), std::vector<std::size_t>{49});
    QVERIFY(MinMaxPyramid().seen(0, 1, 100).empty() && pyramid.seen(1, 0, 100).empty());
  }
};

KV_TEST_APPLESS_MAIN(DecimationTest)

}  // namespace decimation_test

#include "decimation_test.moc"
