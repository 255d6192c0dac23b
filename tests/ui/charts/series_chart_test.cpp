// links: kv_ui
// Charts of a figure's tables: what the lines and the bars are, where they are, and what mouse and keyboard show of
// them.
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <array>
#include <cmath>

#include "core/experiments/paper_figures.h"
#include "tests/support/test_program.h"
#include "ui/charts/series_chart.h"
#include "ui/charts/time_line_chart.h"
#include "ui/text/words.h"

namespace series_chart_test {

using namespace kvantage;

namespace {

FigureResult rates() {
  FigureResult result = begin_figure("evicpress/fig8", Provenance::throttled);
  result.tables = {{"By rate",
                    {"policy", "alpha s", "rate 1/s", "TTFT s", "low", "high"},
                    {},
                    FigurePlot{.x = "rate 1/s", .y = {"TTFT s"}, .by = {"policy", "alpha s"}}},
                   {"Highest rate", {"policy", "rate 1/s"}, {{"lru", 4}}}};
  result.tables[0].rows = {{"lru", nullptr, 4, 0.25, 0.2, 0.3},     {"evicpress", 0.1, 4, 0.0123456789, 0.01, 0.02},
                           {"evicpress", 3, 4, 0.02, 0.01, 0.03},   {"lru", nullptr, 8, 0.5, nullptr, nullptr},
                           {"evicpress", 0.1, 8, 0.03, 0.02, 0.04}, {"lru", nullptr, "unloaded", 0.1, 0.1, 0.1}};
  return result;
}

FigureResult time_lines() {
  FigureResult result = begin_figure("kvpr/fig3", Provenance::throttled);
  const FigurePlot plot{.kind = FigurePlot::Kind::spans,
                        .x = "ms since the step began",
                        .y = {"lane", "from ms", "to ms"},
                        .by = {"layer", "what"}};
  const std::vector<std::string> columns{"lane", "what", "layer", "from ms", "to ms"};
  result.tables = {
      {"Timeline, load only",
       columns,
       {{"link", "weights", 0, -1, 4}, {"processor", "layer", 0, 4.5, 5}, {"link", "keys and values", 1, 4, 10}},
       plot},
      {"Timeline, split",
       columns,
       {{"processor", "keys and values recomputed", 0, 0, 2.5},
        {"link", "layer inputs", 0, 1, 3},
        {"processor", "layer", 0, 3, 3.25}},
       plot}};
  return result;
}

template <class Chart>
void show(Chart& chart, const FigureResult& result, std::size_t table, QSize size = {640, 360}) {
  chart.resize(size);
  chart.show();
  chart.show_table(result, table);
  chart.flush();
  QCoreApplication::processEvents();
}

QValueAxis* axis_of(const ChartPanel& chart, Qt::Orientation orientation) {
  return qobject_cast<QValueAxis*>(chart.chart().axes(orientation).value(0));
}

}  // namespace

class SeriesChartTest : public QObject {
  Q_OBJECT

 private slots:
  void eachValueThatTellsLinesApartIsALine() {
    SeriesChart chart;
    show(chart, rates(), 0);
    QCOMPARE(chart.lines().size(), std::size_t{3});
    QCOMPARE(chart.series(0).points(), (QList<QPointF>{{4, 0.25}, {8, 0.5}}));
    QCOMPARE(chart.series(1).points(), (QList<QPointF>{{4, 0.0123456789}, {8, 0.03}}));
    QCOMPARE(chart.series(2).points(), (QList<QPointF>{{4, 0.02}}));
    QCOMPARE(chart.series(1).name(), QString("evicpress, alpha s 0.1"));
    QCOMPARE(axis_of(chart, Qt::Horizontal)->titleText(), QString("rate (1/s)"));
    QCOMPARE(axis_of(chart, Qt::Vertical)->titleText(), QString("TTFT (s)"));
    QCOMPARE(axis_of(chart, Qt::Vertical)->min(), 0.0);
    QVERIFY(axis_of(chart, Qt::Vertical)->max() > 0.5 && axis_of(chart, Qt::Horizontal)->min() > 3 &&
            axis_of(chart, Qt::Horizontal)->max() > 8);
    QCOMPARE(chart.legend().items().size(), std::size_t{4});  // and the intervals
    QVERIFY(chart.empty_text().isEmpty());
  }

  // Apart by more than a glance needs, in CIE Lab: alone, with a codec, and the policies beside them.
  void noPolicyHasTheColorOfAMethod() {
    const auto lab = [](const QColor& color) {
      const auto linear = [](double part) {
        return part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
      };
      const double r = linear(color.redF()), g = linear(color.greenF()), b = linear(color.blueF());
      const auto f = [](double t) { return t > 0.008856 ? std::cbrt(t) : 7.787 * t + 16.0 / 116; };
      const double x = f((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047), y = f(0.2126 * r + 0.7152 * g + 0.0722 * b),
                   z = f((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883);
      return std::array{116 * y - 16, 500 * (x - y), 200 * (y - z)};
    };
    const auto apart = [&](const QColor& one, const QColor& other) {
      const auto a = lab(one), b = lab(other);
      return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
    };
    for (const ThemeKind kind : {ThemeKind::light, ThemeKind::dark}) {
      const Theme theme = theme_of(kind);
      for (const char* policy : {"evicpress", "adaptcache", "lru", "lfu", "s3fifo", "gdsf", "impress", "optimal"})
        for (const char* method : {"keydiff", "knorm", "snapkv", "streaming_llm", "random", "kivi4", "kivi2", "fp8"})
          for (const QString& form : {QString(method), method + QStringLiteral("+kivi4")}) {
            const double far = apart(theme.policy(policy), theme.method(form));
            QVERIFY2(far > 11, qPrintable(QString("%1 and %2: %3").arg(policy, form).arg(far)));
          }
    }
  }

  void aPolicyKeepsItsColorInBothThemes() {
    SeriesChart chart;
    show(chart, rates(), 0);
    for (const ThemeKind kind : {ThemeKind::light, ThemeKind::dark}) {
      const Theme& theme = theme_of(kind);
      chart.set_theme(theme);
      chart.flush();
      QCOMPARE(chart.color_of(0).rgb(), theme.policy("lru").rgb());
      QCOMPARE(chart.color_of(1).rgb(), theme.policy("evicpress").rgb());
      QVERIFY(chart.color_of(2).alphaF() < chart.color_of(1).alphaF());  // the next alpha
      QCOMPARE(chart.series(0).pen().color(), chart.color_of(0));
      QCOMPARE(chart.legend().items()[0].color, chart.color_of(0));
      QCOMPARE(chart.chart().backgroundBrush().color(), theme.base);
    }
  }

  void columnsOfOneValueShareItsColor() {
    FigureResult result = begin_figure("kvpr/fig7");
    result.tables = {
        {"Decode",
         {"prompt tokens", "generated", "load s", "split s"},
         {{256, 8, 2.0, 1.5}, {256, 32, 4.0, 3.0}, {512, 8, 3.0, 2.0}, {512, 32, 6.0, 4.0}},
         FigurePlot{.x = "prompt tokens", .y = {"load s", "split s"}, .y_title = "s", .by = {"generated"}}}};
    SeriesChart chart;
    show(chart, result, 0);
    QCOMPARE(chart.lines().size(), std::size_t{4});
    QCOMPARE(chart.lines()[3].name, std::string("split s, generated 32"));
    QCOMPARE(chart.color_of(0), chart.color_of(2));
    QVERIFY(chart.color_of(0) != chart.color_of(1));
    QCOMPARE(chart.series(0).pen().style(), Qt::SolidLine);
    QCOMPARE(chart.series(2).pen().style(), Qt::CustomDashLine);
    QCOMPARE(axis_of(chart, Qt::Vertical)->titleText(), QString("s"));
    chart.resize(400, 150);  // no room for titles: the legend says what the axes are
    chart.flush();
    QCOMPARE(chart.legend().items().front().text, QString("s vs. prompt tokens"));
  }

  // No two lines of a chart differ by color alone.
  void everyLineHasDashesOfItsOwn() {
    SeriesChart chart;
    show(chart, rates(), 0);
    for (std::size_t i = 0; i < chart.lines().size(); ++i) {
      QCOMPARE(chart.legend().items()[i].dashes, line_dashes(i));
      if (i > 0) QCOMPARE(chart.series(i).pen().dashPattern(), line_dashes(i));
      for (std::size_t before = 0; before < i; ++before)
        QVERIFY(chart.series(i).pen().dashPattern() != chart.series(before).pen().dashPattern());
    }
  }

  void keysAndMouseTellTheNumbers() {
    SeriesChart chart;
    show(chart, rates(), 0);
    chart.setFocus();
    QTest::keyClick(&chart, Qt::Key_Right);
    QCOMPARE(chart.keys().stop()->row, QString("lru"));
    QCOMPARE(chart.keys().stop()->along, 4.0);
    QTest::keyClick(&chart, Qt::Key_Right);
    QCOMPARE(chart.accessibleDescription(), QString("lru\nrate 1/s: 8\nTTFT s: 0.5\nthrottled"));
    QTest::keyClick(&chart, Qt::Key_Down);
    QTest::keyClick(&chart, Qt::Key_Home);
    QCOMPARE(chart.accessibleDescription(),
             QString("evicpress, alpha s 0.1\nrate 1/s: 4\nTTFT s: 0.0123456789 (95 %: 0.01 to 0.02)\nthrottled"));
    const QPointF at = chart.chart().mapToPosition({4, 0.0123456789}, const_cast<QLineSeries*>(&chart.series(1)));
    QCOMPARE(chart.keys().stop()->mark.center(), at);
    QCOMPARE(chart.keys().near(at)->text(), chart.accessibleDescription());
    QTest::keyClick(&chart, Qt::Key_Escape);
    QVERIFY(!chart.keys().stop());
    QVERIFY(chart.accessibleDescription().contains("By rate"));
  }

  void aLineIsSwitchedOffInTheLegend() {
    SeriesChart chart;
    show(chart, rates(), 0);
    const double high = axis_of(chart, Qt::Vertical)->max();
    emit chart.legend().toggled("lru", true);
    chart.flush();
    QVERIFY(!chart.series(0).isVisible() && chart.series(1).isVisible());
    QVERIFY(chart.legend().items()[0].hidden);
    QVERIFY(axis_of(chart, Qt::Vertical)->max() < high / 5);  // the others have the room
    chart.setFocus();
    QTest::keyClick(&chart, Qt::Key_Right);
    QCOMPARE(chart.keys().stop()->row, QString("evicpress, alpha s 0.1"));
    for (const char* name : {"evicpress, alpha s 0.1", "evicpress, alpha s 3"}) emit chart.legend().toggled(name, true);
    QVERIFY(chart.empty_text().contains("are hidden"));
    emit chart.legend().toggled("lru", false);
    chart.flush();
    QVERIFY(chart.series(0).isVisible() && chart.empty_text().isEmpty());
  }

  void anotherTableLeavesNothingOfTheOneBefore() {
    SeriesChart chart;
    show(chart, rates(), 0);
    show(chart, rates(), 1);  // which has no drawing
    QVERIFY(chart.lines().empty() && chart.table().rows.isEmpty() && chart.legend().items().empty());
    for (std::size_t i = 0; i < 3; ++i) QVERIFY(!chart.series(i).isVisible() && chart.series(i).count() == 0);
    QVERIFY(chart.empty_text().contains("See the table"));
    chart.setFocus();
    QTest::keyClick(&chart, Qt::Key_Right);
    QVERIFY(!chart.keys().stop());
    FigureResult single = rates();
    single.tables[0].rows.resize(1);
    show(chart, single, 0);
    QVERIFY(axis_of(chart, Qt::Horizontal)->max() > axis_of(chart, Qt::Horizontal)->min());
    QCOMPARE(chart.series(0).count(), 1);
  }

  void theTableOfAChartHoldsItsNumbersInFull() {
    SeriesChart chart;
    show(chart, rates(), 0);
    const ChartTable table = chart.table();
    QCOMPARE(table.rows.size(), 5);
    QCOMPARE(table.rows[2], (QStringList{"evicpress, alpha s 0.1", "rate 1/s", "4", "TTFT s", "0.0123456789", "0.01",
                                         "0.02", "shaped"}));
    QTemporaryDir folder;
    QVERIFY(save_svg(chart, folder.filePath("chart.svg"), "By rate"));
    QVERIFY(QFileInfo(folder.filePath("chart.svg")).size() > 1000);
  }

  void longTablesAreFewPoints() {
    FigureResult result = begin_figure("kvpr/fig12");
    result.tables = {{"Split", {"token", "recomputed"}, {}, FigurePlot{.x = "token", .y = {"recomputed"}}}};
    for (int i = 0; i < 5000; ++i) result.tables[0].rows.push_back({i, i % 7});
    SeriesChart chart;
    show(chart, result, 0);
    QVERIFY(chart.series(0).count() > 300 && chart.series(0).count() <= 1200);
    QCOMPARE(chart.table().rows.size(), 5000);
    // No column of pixels lost its lowest or highest point: each has all of 0 to 6.
    const QList<QPointF> drawn = chart.series(0).points();
    const auto count = [&drawn](double y) {
      return std::ranges::count_if(drawn, [y](const QPointF& point) { return point.y() == y; });
    };
    QVERIFY(count(0) + count(6) >= drawn.size() - 4 && std::abs(count(0) - count(6)) <= 4);
    // Zoomed in, every point is there, and one on each side.
    chart.zoom().zoom(64, {true, false});
    const QValueAxis& axis = *axis_of(chart, Qt::Horizontal);
    const auto first = static_cast<int>(std::ceil(axis.min())), last = static_cast<int>(std::floor(axis.max()));
    QVERIFY(last - first > 20 && last - first < 200);
    const QList<QPointF> seen = chart.series(0).points();
    QCOMPARE(seen.size(), last - first + 3);
    for (qsizetype i = 0; i < seen.size(); ++i) {
      const int x = first - 1 + static_cast<int>(i);
      QCOMPARE(seen[i], QPointF(x, x % 7));
    }
    chart.setFocus();
    QTest::keyClick(&chart, Qt::Key_Right);
    QCOMPARE(chart.keys().stop()->along, static_cast<double>(first - 1));
    chart.zoom().reset();
    QVERIFY(chart.series(0).count() > 300);
  }

  // As many bars as pixels and more: what is painted covers the same columns.
  void manyBarsAreFewSlices() {
    FigureResult result = time_lines();
    result.tables.resize(1);
    result.tables[0].rows.clear();
    for (int i = 0; i < 20'000; ++i) result.tables[0].rows.push_back({"link", "weights", i, i, i + 0.5});
    result.tables[0].rows.push_back({"link", "layer", 7, 5000, 15'000});  // over many of them
    TimeLineChart chart;
    show(chart, result, 0);
    QCOMPARE(chart.spans().size(), std::size_t{20'001});
    chart.setFocus();
    QTest::keyClick(&chart, Qt::Key_Right);
    QVERIFY(chart.keys().stop());
    QTest::keyClick(&chart, Qt::Key_Home);
    int stops = 1;
    bool long_one = false;
    for (double before = -1; chart.keys().stop()->along > before && stops < 5000; ++stops) {
      before = chart.keys().stop()->along;
      long_one = long_one || chart.keys().stop()->text().startsWith("link: layer");
      QTest::keyClick(&chart, Qt::Key_Right);
    }
    QVERIFY2(stops > 200 && stops < 1500, qPrintable(QString::number(stops)));
    QVERIFY(long_one);
  }

  void barsStandInTheirLanes() {
    TimeLineChart chart;
    const FigureResult result = time_lines();
    show(chart, result, 0);
    QCOMPARE(chart.lanes(), (QStringList{"link", "processor"}));
    QCOMPARE(chart.spans().size(), std::size_t{3});
    const QRectF plot = chart.chart().plotArea(), weights = chart.slice(chart.spans()[0]),
                 layer = chart.slice(chart.spans()[1]), loaded = chart.slice(chart.spans()[2]);
    QVERIFY(chart.lane_box(0).contains(weights.center()) && chart.lane_box(0).contains(loaded.center()) &&
            chart.lane_box(1).contains(layer.center()));
    QCOMPARE(weights.left(), plot.left());
    QVERIFY(std::abs(weights.right() - loaded.left()) < 1e-6 &&
            std::abs(loaded.width() / weights.width() - 6.0 / 5) < 1e-6);
    QVERIFY(loaded.right() < plot.right() && layer.left() > weights.right());
    QCOMPARE(chart.chart().axes(Qt::Horizontal).value(0)->titleText(), QString("ms since the step began"));
    const QImage picture = chart.grab().toImage();
    QVERIFY(picture.pixelColor(chart.findChild<QChartView*>()->mapTo(
                &chart, (weights.center() + QPointF(0, weights.height() / 2 - 4)).toPoint())) ==
            chart.color_of(chart.spans()[0]));
  }

  // Labels of an axis are rich text.
  void namesOfLanesAreShownLetterByLetter() {
    FigureResult result = time_lines();
    result.tables.resize(1);
    for (auto& row : result.tables[0].rows) row[0] = "<img src=file:///etc/passwd>";
    TimeLineChart chart;
    show(chart, result, 0);
    QCOMPARE(chart.lanes().size(), 1);
    auto* lanes = qobject_cast<QCategoryAxis*>(chart.chart().axes(Qt::Vertical).value(0));
    QVERIFY(lanes != nullptr);
    QCOMPARE(lanes->categoriesLabels(), QStringList{"&lt;img src=file:///etc/passwd&gt;"});
  }

  void timeLinesOfAResultHaveOneScaleAndTheSameColors() {
    TimeLineChart chart;
    const FigureResult result = time_lines();
    show(chart, result, 0);
    const QColor layer = chart.color_of(chart.spans()[1]);
    const double end = axis_of(chart, Qt::Horizontal)->max();
    show(chart, result, 1);
    QCOMPARE(chart.color_of(chart.spans()[2]), layer);
    QCOMPARE(axis_of(chart, Qt::Horizontal)->max(), end);
    QCOMPARE(chart.lanes().front(), QString("link"));  // though the processor comes first here
    QCOMPARE(chart.kinds(),
             (QStringList{"weights", "layer", "keys and values", "keys and values recomputed", "layer inputs"}));
    chart.set_theme(theme_of(ThemeKind::dark));
    chart.flush();
    QCOMPARE(chart.legend().items()[1].color, theme_of(ThemeKind::dark).neutral(1));
    QCOMPARE(chart.color_of(chart.spans()[2]), theme_of(ThemeKind::dark).neutral(1));
    QCOMPARE(chart.legend().items()[1].sign, LegendItem::Sign::hatched);
    QCOMPARE(chart.legend().items()[1].pattern, chart.pattern_of(chart.spans()[2]));
    QCOMPARE(chart.legend().items()[0].sign, LegendItem::Sign::swatch);
  }

  void keysGoFromBarToBar() {
    TimeLineChart chart;
    show(chart, time_lines(), 0);
    chart.setFocus();
    QTest::keyClick(&chart, Qt::Key_Right);
    QCOMPARE(chart.accessibleDescription(), QString("link: weights, layer 0\nfrom -1 ms to 4 ms: 5 ms\nthrottled"));
    QTest::keyClick(&chart, Qt::Key_Right);
    QCOMPARE(chart.accessibleDescription(),
             QString("link: keys and values, layer 1\nfrom 4 ms to 10 ms: 6 ms\nthrottled"));
    QTest::keyClick(&chart, Qt::Key_Down);
    QCOMPARE(chart.accessibleDescription(),
             QString("processor: layer, layer 0\nfrom 4.5 ms to 5 ms: 0.5 ms\nthrottled"));
    QVERIFY(chart.table().rows.contains(QStringList{"link", "weights", "0", "-1", "4", "ms", "shaped"}));
    FigureResult empty = time_lines();
    empty.tables.resize(1);
    empty.tables[0].rows.clear();
    show(chart, empty, 0);
    QVERIFY(chart.empty_text().contains("See the table") && chart.table().rows.isEmpty());
    QTest::keyClick(&chart, Qt::Key_Right);
    QVERIFY(!chart.keys().stop());
  }
};

KV_TEST_MAIN(SeriesChartTest)

}  // namespace series_chart_test

#include "series_chart_test.moc"
