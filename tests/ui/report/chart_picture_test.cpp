// links: kv_ui ui_report profiles
// A chart of a report: Qt Charts holds the points of the report, which are those of the live chart of the same runs.
#include <QBarCategoryAxis>
#include <QBarSet>
#include <QBuffer>
#include <QHorizontalStackedBarSeries>
#include <QLineSeries>
#include <QScatterSeries>
#include <QSignalSpy>
#include <QSvgGenerator>
#include <QTest>
#include <QXmlStreamReader>
#include <cmath>

#include "core/report/recorded_run.h"
#include "tests/support/sample_plot.h"
#include "tests/support/test_program.h"
#include "tests/ui/report/sample_pages.h"
#include "tests/ui/runs/recorded_runs.h"
#include "ui/runs/compare_chart.h"
#include "ui/runs/model/run_comparison_model.h"

namespace chart_picture_test {

using namespace kvantage;
using namespace kvantage::test;
using Kind = ReportPlot::Kind;

namespace {

QList<QPointF> points_of(const ChartPicture& picture, const QString& name, QAbstractSeries::SeriesType type) {
  const auto all = picture.chart().series();
  for (QAbstractSeries* series : all)
    if (series->name() == name && series->type() == type) return static_cast<QXYSeries*>(series)->points();
  return {};
}

bool apart(const std::vector<ChartLabel>& labels) {
  for (std::size_t i = 0; i < labels.size(); ++i)
    for (std::size_t j = i + 1; j < labels.size(); ++j)
      if (labels[i].box.intersects(labels[j].box)) return false;
  return true;
}

}  // namespace

class ChartPictureTest : public QObject {
  Q_OBJECT

 private slots:
  // The frontier of a report is the chart that the window shows of the same runs.
  void thePictureHasTheDataOfTheLiveChart() {
    RecordedRuns f;
    f.three_runs();
    RunComparisonModel model(f.library);
    CompareChart live(model);
    QSignalSpy compared(&model, &RunComparisonModel::compared);
    model.compare({"run-a", "run-b"});
    QTRY_COMPARE(compared.count(), 1);
    const std::vector<CompareChart::Point> shown = live.points();
    QCOMPARE(shown.size(), std::size_t{2});

    std::vector<RecordedRun> runs;
    for (const char* id : {"run-a", "run-b"}) {
      auto run = f.library->read(id, report_event_types());
      runs.push_back({run->summary, run->events});
    }
    const PageLayout layout = layout_of(report_of_runs(runs));
    QVERIFY(!layout.charts.empty());
    const PageChart& frontier = layout.charts.front();
    QCOMPARE(frontier.plot.name, std::string("ttft_quality"));
    const ChartPicture picture(frontier, chart_size(frontier.plot, 515));
    for (std::size_t i = 0; i < shown.size(); ++i) {
      const PlotSeries& series = frontier.plot.series[i];
      const QList<QPointF> drawn =
          points_of(picture, QString::fromStdString(series.name), QAbstractSeries::SeriesTypeScatter);
      QCOMPARE(drawn.size(), qsizetype{1});
      const double ttft = picture.scales().x.logarithmic ? std::pow(10, drawn[0].x()) : drawn[0].x();
      QVERIFY(std::abs(ttft - shown[i].ttft_ms) < 1e-9 * shown[i].ttft_ms);
      QVERIFY(std::abs(drawn[0].y() - shown[i].quality) < 1e-12);
      const PlotPoint& point = series.points.front();
      QVERIFY(point.interval && point.x_interval && shown[i].quality_interval && shown[i].ttft_interval);
      QVERIFY(std::abs(point.interval->low - shown[i].quality_interval->low) < 1e-12 &&
              std::abs(point.interval->high - shown[i].quality_interval->high) < 1e-12);
      QVERIFY(std::abs(point.x_interval->low - shown[i].ttft_interval->low) < 1e-9 &&
              std::abs(point.x_interval->high - shown[i].ttft_interval->high) < 1e-9);
      QCOMPARE(std::max(series.provenance, *series.x_provenance), shown[i].provenance);
      QCOMPARE(frontier.letters[i], RunComparisonModel::letter(static_cast<int>(i)).toStdString());
    }
  }

  void everyChartHoldsThePointsOfItsPlot() {
    int points = 0;
    for (const ReportPlot& plot : content_of(whole_report()).charts) {
      if (plot.kind == Kind::boxes || plot.kind == Kind::histogram) continue;  // ttft_pictures_test.cpp
      const ChartPicture picture({plot}, chart_size(plot, 515));
      if (plot.kind == Kind::bars) {
        const auto* bars = qobject_cast<const QHorizontalStackedBarSeries*>(picture.chart().series().constFirst());
        QVERIFY(bars != nullptr && bars->barSets().size() == static_cast<qsizetype>(plot.series.size()));
        for (std::size_t s = 0; s < plot.series.size(); ++s)
          for (const PlotPoint& point : plot.series[s].points) {
            const auto row = static_cast<int>(plot.places.size()) - 1 - static_cast<int>(point.x);  // first on top
            QCOMPARE(bars->barSets()[static_cast<qsizetype>(s)]->at(row), std::max(0.0, point.y));
            ++points;
          }
        continue;
      }
      for (const PlotSeries& series : plot.series) {
        const bool line = plot.kind == Kind::curves || plot.kind == Kind::steps;
        QList<QPointF> drawn = points_of(picture, QString::fromStdString(series.shown()),
                                         line ? QAbstractSeries::SeriesTypeLine : QAbstractSeries::SeriesTypeScatter);
        if (plot.kind == Kind::steps)  // corners between them
          for (qsizetype i = 1; i < drawn.size(); ++i) {
            QCOMPARE(drawn[i].y(), drawn[i - 1].y());
            drawn.removeAt(i);
          }
        QCOMPARE(drawn.size(), static_cast<qsizetype>(series.points.size()));
        for (std::size_t i = 0; i < series.points.size(); ++i) {
          QCOMPARE(drawn[static_cast<qsizetype>(i)].x(), picture.scales().x.at(series.points[i].x));
          QCOMPARE(drawn[static_cast<qsizetype>(i)].y(), picture.scales().y.at(series.points[i].y));
          ++points;
        }
      }
    }
    QVERIFY(points > 400);
  }

  void axesCoverPointsAndIntervals() {
    for (const ReportPlot& plot : content_of(whole_report()).charts) {
      if (plot.kind == Kind::bars) continue;
      const PlotScales scales = scales_of(plot);
      for (const PlotSeries& series : plot.series)
        for (const PlotPoint& point : series.points)
          for (const double y : {point.y, point.interval ? point.interval->low : point.y,
                                 point.interval ? point.interval->high : point.y})
            QVERIFY2(scales.x.ticks.front() <= point.x && point.x <= scales.x.ticks.back() * (1 + 1e-9) &&
                         scales.y.ticks.front() <= y && y <= scales.y.ticks.back() * (1 + 1e-9),
                     plot.title.c_str());
    }
  }

  // A factor of 3 in TTFT, and of 10 where a prediction is compared: coordinates are log10 then.
  void wideRangesAreLogarithmic() {
    ReportPlot plot =
        sample_plot(Kind::means, {{.name = "a", .points = {{10, 0.5}}}, {.name = "b", .points = {{29, 0.6}}}});
    QVERIFY(!scales_of(plot).x.logarithmic);
    plot.series[1].points[0].x = 1000;
    const ChartPicture picture({plot, {"A", "B"}}, chart_size(plot, 515));
    QVERIFY(picture.scales().x.logarithmic && !picture.scales().y.logarithmic);
    QCOMPARE(points_of(picture, "b", QAbstractSeries::SeriesTypeScatter), (QList<QPointF>{{3, 0.6}}));
    QVERIFY(picture.chart().axes(Qt::Horizontal).constFirst()->titleText().contains("logarithmic"));
    ReportPlot diagonal = sample_plot(Kind::points, {{.name = "a", .points = {{1, 2}, {5, 50}}}});
    diagonal.diagonal = true;
    QVERIFY(scales_of(diagonal).x.logarithmic && scales_of(diagonal).y.logarithmic);
    QCOMPARE(scales_of(diagonal).x.ticks, scales_of(diagonal).y.ticks);
  }

  void lettersAreBesideTheirMarks() {
    for (const int runs : {2, 12, 60}) {
      ReportPlot plot;
      std::vector<std::string> letters;
      for (const ReportPlot& one : content_of(report_of_many(runs)).charts)
        if (one.name == "ttft_quality") plot = one;
      for (int i = 0; i < runs; ++i) letters.push_back("R" + std::to_string(i));
      const QSizeF size = chart_size(plot, 515);
      const ChartPicture picture({plot, letters}, size);
      QVERIFY(apart(picture.labels()));
      if (runs == 2) QCOMPARE(picture.labels().size(), std::size_t{2});
      std::vector<QPointF> marks;
      for (const PlotSeries& series : plot.series)
        marks.push_back(picture.chart().mapToPosition(
            {picture.scales().x.at(series.points[0].x), picture.scales().y.at(series.points[0].y)},
            picture.chart().series().constFirst()));
      for (const ChartLabel& label : picture.labels()) {
        QVERIFY(QRectF(QPointF(), size).contains(label.box));
        const auto run = label.text.mid(1).toUInt();
        QVERIFY(QLineF(label.box.center(), marks[run]).length() < 45);
        for (const QPointF& mark : marks) QVERIFY(!label.box.contains(mark));
      }
    }
  }

  // Thirty marks in one place: letters that find no room are left out, and the legend has every run.
  void lettersWithoutRoomAreLeftOut() {
    std::vector<PlotSeries> series;
    std::vector<std::string> letters;
    for (int i = 0; i < 30; ++i) {
      series.push_back({.name = "run " + std::to_string(i), .points = {{10, 0.5, Interval{0.4, 0.6}}}});
      letters.push_back("R" + std::to_string(i));
    }
    const PageChart chart{sample_plot(Kind::means, series), letters};
    const ChartPicture picture(chart, chart_size(chart.plot, 515));
    QVERIFY(apart(picture.labels()));
    QVERIFY(picture.labels().size() < 30 && !picture.labels().empty());
    const std::vector<LegendEntry> legend = legend_of(chart);
    QCOMPARE(legend.size(), std::size_t{30});
    QCOMPARE(legend[7].text, QString("R7 run 7"));
    for (std::size_t i = 0; i < 28; ++i)
      for (std::size_t j = 0; j < i; ++j)
        QVERIFY2(legend[i].look.color != legend[j].look.color || legend[i].look.shape != legend[j].look.shape,
                 qPrintable(legend[i].text + " looks like " + legend[j].text));
    QVERIFY(legend[0].look.shape != legend[1].look.shape);  // neighbors differ without color, too
  }

  void barsAreLabeledByLetterAndTotal() {
    for (const int runs : {1, 4, 30}) {
      ReportPlot plot;
      for (const ReportPlot& one : content_of(report_of_many(runs)).charts)
        if (one.name == "ttft_split") plot = one;
      PageChart chart{plot};
      QStringList letters;
      for (int i = 0; i < runs; ++i) {
        chart.letters.push_back("L" + std::to_string(i));
        letters.prepend(QString("L%1").arg(i));  // the axis counts upwards
      }
      const QSizeF size = chart_size(plot, 515);
      const ChartPicture picture(chart, size);
      const auto axes = picture.chart().axes(Qt::Vertical);
      QCOMPARE(qobject_cast<QBarCategoryAxis*>(axes.constFirst())->categories(), letters);
      QCOMPARE(picture.labels().size(), plot.places.size());
      QVERIFY(apart(picture.labels()));
      for (std::size_t i = 0; i < plot.places.size(); ++i) {
        QCOMPARE(picture.labels()[i].text, QString::fromStdString(plot.places[i].total));
        QVERIFY(QRectF(QPointF(), size).contains(picture.labels()[i].box));
        if (i > 0) QVERIFY(picture.labels()[i].box.top() > picture.labels()[i - 1].box.top());
      }
      const std::vector<LegendEntry> legend = legend_of(chart);
      QCOMPARE(legend.size(), plot.series.size() + plot.places.size());
      QCOMPARE(legend.back().text,
               "L" + QString::number(runs - 1) + " " + QString::fromStdString(plot.places.back().name));
    }
  }

  // The same chart as a file of lines and text: every label of its axes is whole.
  void aPictureIsTextAndLines() {
    for (const ReportPlot& plot : content_of(whole_report()).charts) {
      QBuffer buffer;
      QSvgGenerator svg;
      svg.setOutputDevice(&buffer);
      const QSizeF size = chart_size(plot, 515);
      svg.setSize(size.toSize());
      const ChartPicture picture({plot}, size);
      {
        QPainter painter(&svg);
        picture.paint(painter);
      }
      QXmlStreamReader reader(buffer.data());
      QStringList texts;
      bool in_text = false;
      while (!reader.atEnd()) {
        reader.readNext();
        if (reader.isStartElement()) in_text = reader.name() == u"text";
        if (reader.isStartElement()) QVERIFY2(reader.name() != u"image", plot.title.c_str());
        if (reader.isCharacters() && in_text && !reader.isWhitespace()) texts << reader.text().toString().trimmed();
      }
      QVERIFY2(!reader.hasError(), qPrintable(reader.errorString()));
      QVERIFY2(texts.size() > 6, qPrintable(texts.join('|')));
      QVERIFY2(texts.filter("...").isEmpty() && texts.filter(QString::fromUtf8("…")).isEmpty(),
               qPrintable(texts.join('|')));
      const QString x = axis_title(plot.kind == Kind::bars ? plot.y_label : plot.x_label,
                                   plot.kind == Kind::bars ? plot.y_unit : plot.x_unit);
      QVERIFY2(texts.join(' ').contains(x), qPrintable(texts.join('|')));
    }
  }

  void nothingToDrawIsEmpty() {
    QVERIFY(chart_size(sample_plot(Kind::curves, {}), 515).isEmpty());
    const ReportPlot odd = sample_plot(Kind::curves, {{.name = "a", .points = {{0, NAN}, {1, INFINITY}, {2, 3}}}});
    const ChartPicture picture({odd}, chart_size(odd, 515));
    QCOMPARE(points_of(picture, "a", QAbstractSeries::SeriesTypeLine), (QList<QPointF>{{2, 3}}));
  }
};

KV_TEST_MAIN(ChartPictureTest)

}  // namespace chart_picture_test

#include "chart_picture_test.moc"
