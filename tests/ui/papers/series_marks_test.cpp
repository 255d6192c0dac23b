// links: kv_ui
// Markers of lines and points: each series has strokes of its own inside them, beside the shape of its provenance.
#include <QTest>
#include <set>

#include "core/experiments/paper_figures.h"
#include "tests/support/test_program.h"
#include "ui/charts/series_chart.h"
#include "ui/papers/charts/figure_scatter_chart.h"

namespace series_marks_test {

using namespace kvantage;

namespace {

using Kind = FigurePlot::Kind;

/// As the utilities of evicpress/examples: a line a column, simulated. Points are far apart.
FigureResult three_lines(FigurePlot plot) {
  FigureResult result = begin_figure("evicpress/examples", Provenance::simulated);
  result.tables = {{"Lines",
                    {"alpha s", "a", "b", "c", "policy"},
                    {{0.0, 0.0, 1.0, 2.0, "lru"}, {0.5, 0.0, 1.0, 2.0, "lfu"}, {1.0, 0.0, 1.0, 2.0, "evicpress"}},
                    std::move(plot)}};
  return result;
}

template <class Chart>
void show(Chart& chart, const FigureResult& result) {
  chart.resize(700, 420);
  chart.show();
  chart.show_table(result, 0);
  chart.flush();
  QCoreApplication::processEvents();
}

std::set<unsigned> strokes_of(const ChartPanel& chart) {
  std::set<unsigned> strokes;
  for (const LegendItem& item : chart.legend().items())
    if (!item.id.isEmpty()) strokes.insert(item.strokes);
  return strokes;
}

}  // namespace

class SeriesMarksTest : public QObject {
  Q_OBJECT

 private slots:
  void linesOfColumnsHaveMarksOfTheirOwn() {
    SeriesChart chart;
    show(chart, three_lines({.kind = Kind::lines, .x = "alpha s", .y = {"a", "b", "c"}, .y_title = "utility s"}));
    QCOMPARE(strokes_of(chart).size(), std::size_t{3});
    // A hollow square has the ground in its middle; a stroke crosses it.
    const QImage image = chart.grab().toImage();
    const auto* view = chart.findChild<QChartView*>();
    QStringList middles;
    for (std::size_t i = 0; i < 3; ++i) {
      auto* series = const_cast<QLineSeries*>(&chart.series(i));
      const QPointF at = chart.chart().mapToPosition(series->at(1), series);
      int inked = 0;
      for (int x = -1; x <= 0; ++x)
        for (int y = -1; y <= 0; ++y)
          inked += image.pixelColor(view->mapTo(&chart, at.toPoint()) + QPoint(x, y)) != chart.theme().base;
      middles << QString::number(inked);
    }
    QVERIFY2(middles[0] == "0" && middles[1] != "0" && middles[2] != "0", qPrintable(middles.join(' ')));
  }

  void pointsOfGroupsDo() {
    FigureScatterChart chart;
    show(chart, three_lines({.kind = Kind::scatter, .x = "alpha s", .y = {"a", "b", "c"}, .y_title = "utility s"}));
    QCOMPARE(strokes_of(chart).size(), std::size_t{3});
  }

  // Everywhere the same, whichever place it has.
  void aPolicyKeepsItsOwn() {
    SeriesChart chart;
    show(chart, three_lines({.kind = Kind::lines, .x = "alpha s", .y = {"b"}, .by = {"policy"}}));
    const auto items = chart.legend().items();
    for (std::size_t i = 0; i < 3; ++i) QCOMPARE(items[i].strokes, policy_strokes(items[i].id));
  }

  void placesHaveStrokesOfTheirOwn() {
    QCOMPARE(series_strokes(0), 0U);
    std::set<unsigned> strokes;
    for (std::size_t i = 0; i < 16; ++i) strokes.insert(series_strokes(i));
    QCOMPARE(strokes.size(), std::size_t{16});
  }
};

KV_TEST_MAIN(SeriesMarksTest)

}  // namespace series_marks_test

#include "series_marks_test.moc"
