// links: kv_ui
// The charts of a figure's kinds of plots: what is drawn is what the table turns into; names, titles, published marks,
// the legend, mouse and keyboard.
#include "ui/papers/charts/figure_charts.h"

#include <QBarSet>
#include <QTest>
#include <cmath>

#include "core/experiments/paper_figures.h"
#include "core/report/plots/plotted_bars.h"
#include "core/report/plots/plotted_points.h"
#include "tests/support/test_program.h"
#include "ui/papers/charts/figure_bars_chart.h"
#include "ui/papers/charts/figure_heat_map.h"
#include "ui/papers/charts/figure_scatter_chart.h"
#include "ui/text/words.h"

namespace figure_charts_test {

using namespace kvantage;

namespace {

using Kind = FigurePlot::Kind;

FigureResult result_of(FigureTable table, Provenance provenance = Provenance::measured) {
  FigureResult result = begin_figure("evicpress/fig8", provenance);
  result.tables = {std::move(table)};
  return result;
}

FigureResult bars_result() {
  FigureTable table{"Bars",
                    {"model", "policy", "TTFT s", "low", "high"},
                    {{"qwen", "lru", 2.0, 1.5, 2.5},
                     {"qwen", "evicpress", 1.0, 0.5, 1.5},
                     {"gemma", "lru", 4.0, nullptr, nullptr},
                     {"llama <b>", "evicpress", -1.0, -1.5, -0.5}},
                    FigurePlot{.kind = Kind::bars, .x = "model", .y = {"TTFT s"}, .by = {"policy"}}};
  table.plot->published = {{"paper: evicpress", "qwen", 0.75, 0.75}, {"paper", nullptr, 2, 6}};
  return result_of(std::move(table));
}

FigureResult scatter_result() {
  FigureTable table{"Points",
                    {"policy", "method", "TTFT s", "low", "high", "quality", "low", "high"},
                    {{"lru", "none", 2.0, 1.5, 2.5, 1.0, 0.9, 1.1},
                     {"evicpress", "kivi4", 0.5, 0.4, 0.6, 0.75, 0.5, 0.8},
                     {"evicpress", "h2o", 0.25, nullptr, nullptr, 0.5, nullptr, nullptr}},
                    FigurePlot{.kind = Kind::scatter, .x = "TTFT s", .y = {"quality"}, .by = {"policy", "method"}}};
  table.plot->published = {{"paper: point", 1.0, 0.25, 0.25}, {"paper: bar", 1.5, 0.25, 1.5}};
  return result_of(std::move(table));
}

template <class Chart>
Chart& show(FigureCharts& charts, const FigureResult& result, QSize size = {700, 420}) {
  charts.resize(size);
  charts.show();
  charts.show_table(&result, 0);
  auto* chart = qobject_cast<Chart*>(&charts.shown());
  if (chart == nullptr) qFatal("another chart is shown");
  QCoreApplication::processEvents();  // it has its size now
  chart->flush();
  QCoreApplication::processEvents();
  return *chart;
}

QAbstractAxis* axis_of(const ChartPanel& chart, Qt::Orientation orientation) {
  return chart.chart().axes(orientation).value(0);
}

QStringList legend_of(const ChartPanel& chart) {
  QStringList texts;
  for (const LegendItem& item : chart.legend().items()) texts << item.text;
  return texts;
}

}  // namespace

class FigureChartsTest : public QObject {
  Q_OBJECT

 private slots:
  void eachKindHasItsChart() {
    FigureCharts charts;
    const FigureResult bars = bars_result(), points = scatter_result();
    show<FigureBarsChart>(charts, bars);
    FigureScatterChart& scatter = show<FigureScatterChart>(charts, points);
    QCOMPARE(scatter.clouds().size(), std::size_t{2});
    // What is not shown holds nothing to export.
    const auto* empty = charts.findChild<FigureBarsChart*>();
    QVERIFY(empty != nullptr && empty->table().rows.isEmpty());
    QVERIFY(charts.series().table().rows.isEmpty() && charts.time_line().table().rows.isEmpty());
    charts.set_theme(theme_of(ThemeKind::dark));
    QCOMPARE(scatter.theme().base, theme_of(ThemeKind::dark).base);
    charts.show_table(nullptr, 0);
    QCOMPARE(&charts.shown(), static_cast<FigureChart*>(&charts.series()));
    QVERIFY(scatter.table().rows.isEmpty());
    for (const Kind kind :
         {Kind::lines, Kind::scatter, Kind::cdf, Kind::bars, Kind::histogram, Kind::heat_map, Kind::spans})
      QVERIFY(figure_chart_of(kind) != nullptr);
    QVERIFY(figure_chart_of(Kind::bars) == figure_chart_of(Kind::histogram));
    QVERIFY(figure_chart_of(Kind::lines) == figure_chart_of(Kind::cdf));
    QVERIFY(figure_chart_of(Kind::bars) != figure_chart_of(Kind::scatter));
  }

  void barsAreSetsOfTheirGroups() {
    FigureCharts charts;
    const FigureResult result = bars_result();
    FigureBarsChart& chart = show<FigureBarsChart>(charts, result);
    const PlottedBars bars = plotted_bars(result.tables[0]);
    QCOMPARE(chart.category_axis().categories(), (QStringList{"qwen", "gemma", "llama &lt;b&gt;"}));
    QCOMPARE(chart.series().count(), static_cast<int>(bars.groups.size()));
    for (std::size_t g = 0; g < bars.groups.size(); ++g) {
      const QBarSet* set = chart.series().barSets().value(static_cast<int>(g));
      QCOMPARE(set->label(), to_q(bars.groups[g].name));
      QCOMPARE(set->count(), static_cast<int>(bars.categories.size()));
      for (int c = 0; c < set->count(); ++c) {
        const auto& bar = bars.groups[g].bars[static_cast<std::size_t>(c)];
        QCOMPARE(set->at(c), bar ? bar->value : 0.0);
      }
      QCOMPARE(set->brush().color(), chart.color_of(g));
      QCOMPARE(set->brush().style(), bar_pattern(g));
    }
    QCOMPARE(chart.color_of(std::size_t{0}).rgb(), chart.theme().policy("lru").rgb());
    QCOMPARE(chart.color_of(std::size_t{1}).rgb(), chart.theme().policy("evicpress").rgb());
    QCOMPARE(axis_of(chart, Qt::Horizontal)->titleText(), QString("model"));
    QCOMPARE(axis_of(chart, Qt::Vertical)->titleText(), QString("TTFT (s)"));
    const auto* values = qobject_cast<QValueAxis*>(axis_of(chart, Qt::Vertical));
    QVERIFY(values->min() < -1.5 && values->max() > 6);  // the paper's span is on the axis, too
    QCOMPARE(legend_of(chart).mid(0, 3), (QStringList{"lru", "evicpress", "95 % interval"}));
    QVERIFY(legend_of(chart).contains("paper") && legend_of(chart)[3].endsWith("paper: evicpress"));
    QVERIFY(chart.empty_text().isEmpty());
  }

  // Where Qt Charts paints the bars, so are their intervals, their marks and what the mouse shows.
  void marksAndTipsAreOnTheBars() {
    FigureCharts charts;
    const FigureResult result = bars_result();
    FigureBarsChart& chart = show<FigureBarsChart>(charts, result);
    const QRectF lru = chart.bar_box(0, 0), ours = chart.bar_box(1, 0), below = chart.bar_box(1, 2);
    QVERIFY(std::abs(lru.right() - ours.left()) < 0.01 && std::abs(lru.width() - ours.width()) < 0.01);
    QVERIFY(std::abs(lru.height() - 2 * ours.height()) < 0.01);
    QVERIFY(std::abs(below.top() - ours.bottom()) < 0.01);  // both from zero
    const QRectF mark = chart.mark_box(chart.marks()[0]), span = chart.mark_box(chart.marks()[1]);
    QVERIFY(std::abs(mark.center().x() - ours.center().x()) < 0.01);
    QVERIFY(mark.center().y() > ours.top() && mark.center().y() < ours.bottom());
    QVERIFY(std::abs(span.width() - chart.chart().plotArea().width()) < 0.01);
    QVERIFY(std::abs(span.bottom() - lru.top()) < 0.01);  // both at 2
    const QPoint in = chart.findChild<QChartView*>()->mapTo(&chart, (lru.center() + QPointF(4, 0)).toPoint());
    QCOMPARE(chart.grab().toImage().pixelColor(in).rgb(), chart.color_of(std::size_t{0}).rgb());
    chart.setFocus();
    QTest::keyClick(&chart, Qt::Key_Right);
    QCOMPARE(chart.accessibleDescription(), QString("lru\nmodel: qwen\nTTFT s: 2 (95 %: 1.5 to 2.5)\nmeasured"));
    QTest::keyClick(&chart, Qt::Key_Right);
    QCOMPARE(chart.accessibleDescription(), QString("lru\nmodel: gemma\nTTFT s: 4\nmeasured"));
    QTest::keyClick(&chart, Qt::Key_Down);
    QTest::keyClick(&chart, Qt::Key_Down);
    QCOMPARE(chart.accessibleDescription(), QString("paper: evicpress\n0.75\npublished"));
    QVERIFY(chart.table().rows.contains(
        QStringList{"evicpress", "model", "llama <b>", "TTFT s", "-1", "-1.5", "-0.5", "measured"}));
    QVERIFY(chart.table().rows.contains(QStringList{"paper", "model", "", "TTFT s", "", "2", "6", "published"}));
  }

  void aGroupIsSwitchedOffWithItsMarks() {
    FigureCharts charts;
    const FigureResult result = bars_result();
    FigureBarsChart& chart = show<FigureBarsChart>(charts, result);
    const double wide = chart.bar_box(0, 0).width();
    emit chart.legend().toggled("evicpress", true);
    chart.flush();
    QCOMPARE(chart.series().count(), 1);
    QCOMPARE(chart.series().barSets().value(0)->label(), QString("lru"));
    QVERIFY(chart.legend().items()[1].hidden && !chart.legend().items()[0].hidden);
    QVERIFY(chart.legend().items()[3].hidden);                               // the paper's evicpress
    QVERIFY(std::abs(chart.bar_box(0, 0).width() - 2 * wide) < 0.1 * wide);  // labels of the axis may be shorter
    emit chart.legend().toggled("lru", true);
    chart.flush();
    QVERIFY(chart.empty_text().contains("are hidden"));
    emit chart.legend().toggled("evicpress", false);
    chart.flush();
    QCOMPARE(chart.series().barSets().value(0)->label(), QString("evicpress"));
    QVERIFY(chart.empty_text().isEmpty());
  }

  void manyCategoriesAreUprightAndDistinct() {
    FigureTable table{"Many", {"name", "y"}, {}, FigurePlot{.kind = Kind::bars, .x = "name", .y = {"y"}}};
    for (int i = 0; i < 60; ++i)
      table.rows.push_back({"a category with a name that is too long for any axis " + std::to_string(i), i});
    const FigureResult result = result_of(std::move(table));
    FigureCharts charts;
    FigureBarsChart& chart = show<FigureBarsChart>(charts, result);
    QCOMPARE(chart.category_axis().labelsAngle(), -90);
    const QStringList names = chart.category_axis().categories();
    QCOMPARE(names.size(), 60);
    QCOMPARE(QSet<QString>(names.begin(), names.end()).size(), 60);
    for (const QString& name : names) QVERIFY2(name.size() <= 30, qPrintable(name));
    QCOMPARE(chart.series().barSets().value(0)->at(59), 59.0);
    QVERIFY(chart.chart().plotArea().height() > 80);
  }

  void aHistogramHasTheBinsOfItsTable() {
    FigureTable table{"Drops", {"family", "drop"}, {}, FigurePlot{.kind = Kind::histogram, .x = "drop", .y = {}}};
    for (const int value : {1, 2, 2, 3, 3, 3, 4, 4, 5, 9}) table.rows.push_back({"news", value});
    table.rows[0][0] = "story";
    table.plot->by = {"family"};
    table.plot->published = {{"paper: median", 3, 0, 4}};
    const FigureResult result = result_of(std::move(table));
    FigureCharts charts;
    FigureBarsChart& chart = show<FigureBarsChart>(charts, result);
    const PlottedBins bins = plotted_bins(result.tables[0]);
    QCOMPARE(chart.category_axis().count(), static_cast<int>(bins.edges.size()) - 1);
    QCOMPARE(chart.bars().categories.front(), std::string("1 to 2.6"));
    for (std::size_t g = 0; g < bins.groups.size(); ++g)
      for (std::size_t b = 0; b < bins.groups[g].counts.size(); ++b)
        QCOMPARE(chart.series().barSets().value(static_cast<int>(g))->at(static_cast<int>(b)),
                 static_cast<double>(bins.groups[g].counts[b]));
    QCOMPARE(axis_of(chart, Qt::Vertical)->titleText(), QString("count"));
    QCOMPARE(chart.color_of(std::size_t{1}).rgb(), chart.theme().family("news").rgb());
    // 3 is a quarter into the bin from 2.6 to 4.2.
    const QRectF area = chart.chart().plotArea();
    const double x = chart.mark_box(chart.marks()[0]).center().x();
    QVERIFY2(std::abs(x - (area.left() + area.width() * 1.25 / 5)) < 0.5, qPrintable(QString::number(x)));
  }

  void pointsAreWhereTheTableHasThem() {
    FigureCharts charts;
    const FigureResult result = scatter_result();
    FigureScatterChart& chart = show<FigureScatterChart>(charts, result);
    const auto clouds = plotted_clouds(result.tables[0]);
    QCOMPARE(chart.clouds().size(), clouds.size());
    for (std::size_t i = 0; i < clouds.size(); ++i) {
      QList<QPointF> points;
      for (const CloudPoint& point : clouds[i].points) points << QPointF(point.x, point.y);
      QCOMPARE(chart.series(i).points(), points);
      QCOMPARE(chart.series(i).name(), to_q(clouds[i].name));
      QCOMPARE(chart.series(i).borderColor(), chart.color_of(i));
      QCOMPARE(chart.series(i).markerShape(), QScatterSeries::MarkerShapeCircle);
    }
    QCOMPARE(axis_of(chart, Qt::Horizontal)->titleText(), QString("TTFT (s)"));
    QCOMPARE(axis_of(chart, Qt::Vertical)->titleText(), QString("quality"));
    const auto* x = qobject_cast<QValueAxis*>(axis_of(chart, Qt::Horizontal));
    const auto* y = qobject_cast<QValueAxis*>(axis_of(chart, Qt::Vertical));
    QVERIFY(x->max() > 2.5 && x->min() <= 0.25 && y->max() > 1.5 && y->min() <= 0.25);  // with intervals and marks
    const QStringList texts = legend_of(chart);
    QCOMPARE(texts.size(), 5);
    QVERIFY(texts[3].endsWith("paper: point") && texts[3] != "paper: point");  // with its sign
    QCOMPARE(texts[4], QString("paper: bar"));
    const QRectF point = chart.mark_box(chart.marks()[0]), bar = chart.mark_box(chart.marks()[1]);
    QVERIFY(std::abs(bar.bottom() - point.center().y()) < 0.01 && bar.top() < point.top());
    chart.setFocus();
    QTest::keyClick(&chart, Qt::Key_Right);
    QCOMPARE(chart.accessibleDescription(), QString("lru, none\nTTFT s: 2 (95 %: 1.5 to 2.5)\nquality: 1 (95 %: 0.9 to "
                                                    "1.1)\nmeasured"));
    QTest::keyClick(&chart, Qt::Key_Down);
    QTest::keyClick(&chart, Qt::Key_Home);
    QCOMPARE(chart.accessibleDescription(), QString("evicpress, h2o\nTTFT s: 0.25\nquality: 0.5\nmeasured"));
    QVERIFY(chart.table().rows.contains(
        QStringList{"evicpress", "TTFT s", "0.5", "quality", "0.75", "0.5", "0.8", "measured", "kivi4", "0.4", "0.6"}));
    for (const QStringList& row : chart.table().rows) QCOMPARE(row.size(), chart.table().header.size());
    emit chart.legend().toggled("lru", true);
    chart.flush();
    QVERIFY(!chart.series(0).isVisible() && chart.series(1).isVisible());
  }

  void aProvenanceKeepsItsMarker() {
    FigureCharts charts;
    FigureResult result = scatter_result();
    result.provenance = Provenance::throttled;
    FigureScatterChart& chart = show<FigureScatterChart>(charts, result);
    QCOMPARE(chart.series(0).markerShape(), QScatterSeries::MarkerShapeRotatedRectangle);
    result.provenance = Provenance::simulated;
    show<FigureScatterChart>(charts, result);
    QCOMPARE(chart.series(0).markerShape(), QScatterSeries::MarkerShapeRectangle);
    QCOMPARE(chart.series(0).color(), chart.theme().base);  // hollow
  }

  void sharesAreSteps() {
    FigureTable table{"Drops",
                      {"family", "drop"},
                      {{"news", 0.5}, {"news", 0.25}, {"news", 0.5}, {"news", 4}},
                      FigurePlot{.kind = Kind::cdf, .x = "drop", .y = {}, .by = {"family"}}};
    const FigureResult result = result_of(std::move(table));
    FigureCharts charts;
    SeriesChart& chart = show<SeriesChart>(charts, result);
    const auto* x = qobject_cast<QValueAxis*>(axis_of(chart, Qt::Horizontal));
    QCOMPARE(chart.series(0).points(),
             (QList<QPointF>{{0.25, 0}, {0.25, 0.25}, {0.5, 0.25}, {0.5, 0.75}, {4, 0.75}, {4, 1}, {x->max(), 1}}));
    QCOMPARE(axis_of(chart, Qt::Vertical)->titleText(), QString("cumulative share"));
    const auto* y = qobject_cast<QValueAxis*>(axis_of(chart, Qt::Vertical));
    QCOMPARE(y->min(), 0.0);
    QCOMPARE(y->max(), 1.0);
    QCOMPARE(chart.color_of(std::size_t{0}).rgb(), chart.theme().family("news").rgb());
    QCOMPARE(chart.table().rows.size(), 3);
    chart.setFocus();
    QTest::keyClick(&chart, Qt::Key_Right);
    QTest::keyClick(&chart, Qt::Key_Right);
    QCOMPARE(chart.accessibleDescription(), QString("news\ndrop: 0.5\ncumulative share: 0.75\nmeasured"));
  }

  void intervalsOfManyPointsAreABand() {
    FigureTable table{"Lines", {"x", "y", "low", "high"}, {}, FigurePlot{.x = "x", .y = {"y"}}};
    for (int i = 0; i < 9; ++i) table.rows.push_back({i, i * 2.0, i * 2.0 - 1, i * 2.0 + 1});
    FigureResult result = result_of(std::move(table));
    FigureCharts charts;
    SeriesChart& chart = show<SeriesChart>(charts, result);
    QVERIFY(chart.band(0) != nullptr && chart.band(0)->isVisible());
    QCOMPARE(chart.band(0)->upperSeries()->count(), 9);
    QCOMPARE(chart.band(0)->upperSeries()->at(3), QPointF(3, 7));
    QCOMPARE(chart.band(0)->lowerSeries()->at(3), QPointF(3, 5));
    QVERIFY(chart.band(0)->brush().color().alphaF() < 0.3F);
    emit chart.legend().toggled("y", true);
    chart.flush();
    QVERIFY(!chart.band(0)->isVisible());
    result.tables[0].rows.resize(8);  // few: bars, as they always were
    show<SeriesChart>(charts, result);
    QVERIFY(!chart.band(0)->isVisible() && chart.series(0).isVisible());
  }

  void theSpanOfAPaperIsOnTheAxisOfLines() {
    FigureTable table{"Lines", {"x", "y"}, {{1, 1}, {2, 2}}, FigurePlot{.x = "x", .y = {"y"}}};
    table.plot->published = {{"paper: 6 to 8", nullptr, 6, 8}, {"paper: point", 5, 1, 1}};
    const FigureResult result = result_of(std::move(table));
    FigureCharts charts;
    SeriesChart& chart = show<SeriesChart>(charts, result);
    QVERIFY(qobject_cast<QValueAxis*>(axis_of(chart, Qt::Vertical))->max() > 8);
    QVERIFY(qobject_cast<QValueAxis*>(axis_of(chart, Qt::Horizontal))->max() > 5);
    const QRectF area = chart.chart().plotArea(), span = chart.mark_box(chart.marks()[0]);
    QVERIFY(area.adjusted(-1, -1, 1, 1).contains(span));
    QVERIFY(std::abs(span.width() - area.width()) < 0.01);
    QCOMPARE(chart.mark_box(chart.marks()[1]).center().toPoint(),
             chart.chart().mapToPosition({5, 1}, const_cast<QLineSeries*>(&chart.series(0))).toPoint());
    QCOMPARE(chart.legend().items()[1].sign, LegendItem::Sign::band);
    QCOMPARE(chart.legend().items()[2].sign, LegendItem::Sign::in_text);
    // The span's ground is seen.
    const QPoint in = chart.findChild<QChartView*>()->mapTo(&chart, (span.center() + QPointF(7, 0)).toPoint());
    QVERIFY(chart.grab().toImage().pixelColor(in) != chart.theme().base);
  }

  void cellsHaveTheColorOfTheirNumber() {
    FigureTable table{"Cells",
                      {"removed", "context", "drop"},
                      {{0.5, "a", 0.5}, {0.1, "a", 0.0}, {0.9, "b", 1.0}},
                      FigurePlot{.kind = Kind::heat_map, .x = "removed", .y = {"context", "drop"}}};
    const FigureResult result = result_of(std::move(table));
    FigureCharts charts;
    FigureHeatMap& chart = show<FigureHeatMap>(charts, result);
    const PlottedCells cells = plotted_cells(result.tables[0]);
    QCOMPARE(chart.cells().values, cells.values);
    QCOMPARE(qobject_cast<QBarCategoryAxis*>(axis_of(chart, Qt::Horizontal))->categories(),
             (QStringList{"0.1", "0.5", "0.9"}));
    QCOMPARE(qobject_cast<QBarCategoryAxis*>(axis_of(chart, Qt::Vertical))->categories(), (QStringList{"b", "a"}));
    QCOMPARE(axis_of(chart, Qt::Horizontal)->titleText(), QString("removed"));
    QCOMPARE(axis_of(chart, Qt::Vertical)->titleText(), QString("context"));
    for (const ThemeKind kind : {ThemeKind::light, ThemeKind::dark}) {
      charts.set_theme(theme_of(kind));
      chart.flush();
      QCOMPARE(chart.color_of(0, 0), theme_of(kind).heat(0));
      QCOMPARE(chart.color_of(0, 1), theme_of(kind).heat(0.5));
      QCOMPARE(chart.color_of(1, 2), theme_of(kind).heat(1));
      QVERIFY(!chart.color_of(1, 0).isValid());
      const QPointF corner = chart.cell_box(1, 2).topLeft() + QPointF(6, 6);
      const QPoint in = chart.findChild<QChartView*>()->mapTo(&chart, corner.toPoint());
      QCOMPARE(chart.grab().toImage().pixelColor(in).rgb(), theme_of(kind).heat(1).rgb());
    }
    QVERIFY(chart.cell_box(0, 0).top() < chart.cell_box(1, 0).top());
    QCOMPARE(legend_of(chart), (QStringList{"drop: 0", "0.5", "1", "no value"}));
    chart.setFocus();
    QTest::keyClick(&chart, Qt::Key_Right);
    QTest::keyClick(&chart, Qt::Key_Right);
    QCOMPARE(chart.accessibleDescription(), QString("context: a\nremoved: 0.5\ndrop: 0.5\nmeasured"));
    QTest::keyClick(&chart, Qt::Key_Down);
    QCOMPARE(chart.accessibleDescription(), QString("context: b\nremoved: 0.5\ndrop: no value\nmeasured"));
    QVERIFY(chart.table().rows.contains(QStringList{"context", "b", "removed", "0.9", "drop", "1", "measured"}));
    QCOMPARE(chart.table().rows.size(), 3);
  }

  void aTableWithoutNumbersSaysSo_data() {
    QTest::addColumn<int>("kind");
    QTest::addColumn<QStringList>("y");
    QTest::newRow("scatter") << static_cast<int>(Kind::scatter) << QStringList{"b"};
    QTest::newRow("cdf") << static_cast<int>(Kind::cdf) << QStringList{};
    QTest::newRow("bars") << static_cast<int>(Kind::bars) << QStringList{"b"};
    QTest::newRow("histogram") << static_cast<int>(Kind::histogram) << QStringList{};
    QTest::newRow("heat map") << static_cast<int>(Kind::heat_map) << QStringList{"a", "b"};
  }
  void aTableWithoutNumbersSaysSo() {
    QFETCH(int, kind);
    QFETCH(QStringList, y);
    FigureTable table{"Empty", {"a", "b"}, {{"text", nullptr}}, FigurePlot{.kind = static_cast<Kind>(kind), .x = "a"}};
    for (const QString& column : y) table.plot->y.push_back(from_q(column));
    const FigureResult result = result_of(std::move(table));
    FigureCharts charts;
    charts.resize(500, 150);  // compact
    charts.show();
    charts.show_table(&result, 0);
    charts.shown().flush();
    QVERIFY(charts.shown().table().rows.isEmpty());
    charts.shown().setFocus();
    QTest::keyClick(&charts.shown(), Qt::Key_Right);
    QVERIFY(!charts.shown().keys().stop());
    QVERIFY(!charts.grab().isNull());
  }
};

KV_TEST_MAIN(FigureChartsTest)

}  // namespace figure_charts_test

#include "figure_charts_test.moc"
