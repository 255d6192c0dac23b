// links: kv_ui ui_report
// Boxes and histograms of TTFT on a report's pages: Qt Charts holds the quantiles and counts of the requests, computed
// here, of the runs A, B, C.
#include <QBarCategoryAxis>
#include <QBarSeries>
#include <QBarSet>
#include <QBoxPlotSeries>
#include <QBoxSet>
#include <QCategoryAxis>
#include <QTest>
#include <QValueAxis>
#include <cmath>

#include "tests/report/ttft_samples.h"
#include "tests/support/test_program.h"
#include "tests/ui/report/sample_pages.h"
#include "ui/report/named_runs.h"

namespace ttft_pictures_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

std::vector<PageChart> charts_named(const RunReport& report, const std::string& name) {
  std::vector<PageChart> charts;
  const ReportPages pages = pages_of(report);
  for (const PageBlock& block : pages.sections[2].blocks)
    if (const auto* chart = std::get_if<PageChart>(&block); chart != nullptr && chart->plot.name == name)
      charts.push_back(*chart);
  return charts;
}

bool near(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(1.0, std::abs(b)); }

/// "A" of the first row, ...; rows without a request keep theirs.
QStringList letters_of(const std::vector<TtftRun>& runs) {
  QStringList letters;
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (!runs[i].seconds.empty()) letters << QString::fromStdString(letter_of_run(i));
  return letters;
}

void add_cases() {
  QTest::addColumn<int>("index");
  for (std::size_t i = 0; i < ttft_cases().size(); ++i) QTest::newRow(ttft_cases()[i].name) << static_cast<int>(i);
}

const TtftCase& case_at(int index) { return ttft_cases()[static_cast<std::size_t>(index)]; }

}  // namespace

class TtftPicturesTest : public QObject {
  Q_OBJECT

 private slots:
  void boxesAreQuantilesOfTheRequests_data() { add_cases(); }
  void boxesAreQuantilesOfTheRequests() {
    QFETCH(int, index);
    const std::vector<TtftRun>& all = case_at(index).runs;
    const std::vector<TtftRun> runs = served(all);
    const std::vector<PageChart> charts = charts_named(report_of_ttft(all), "ttft_boxes");
    QCOMPARE(charts.size(), std::size_t{1});
    const ChartPicture picture(charts.front(), chart_size(charts.front().plot, 515));
    QCOMPARE(picture.chart().series().size(), qsizetype{1});
    const auto* series = qobject_cast<QBoxPlotSeries*>(picture.chart().series().constFirst());
    QVERIFY(series != nullptr);
    const QList<QBoxSet*> boxes = series->boxSets();
    QCOMPARE(boxes.size(), static_cast<qsizetype>(runs.size()));
    const auto* values = qobject_cast<QValueAxis*>(picture.chart().axes(Qt::Vertical).constFirst());
    QVERIFY(values != nullptr);
    for (std::size_t r = 0; r < runs.size(); ++r) {
      const QBoxSet& box = *boxes[static_cast<qsizetype>(r)];
      for (const auto& [place, at] : {std::pair{QBoxSet::LowerExtreme, 0.05},
                                      {QBoxSet::LowerQuartile, 0.25},
                                      {QBoxSet::Median, 0.5},
                                      {QBoxSet::UpperQuartile, 0.75},
                                      {QBoxSet::UpperExtreme, 0.95}}) {
        QVERIFY(near(box.at(place), quantile_on_lines(runs[r].seconds, at) * 1e3));
        QVERIFY(values->min() <= box.at(place) && box.at(place) <= values->max() * (1 + 1e-9));
      }
    }
    auto* names = qobject_cast<QBarCategoryAxis*>(picture.chart().axes(Qt::Horizontal).constFirst());
    QVERIFY(names != nullptr);
    QCOMPARE(names->categories(), letters_of(all));
    QCOMPARE(names->titleText(), QString("run"));
    QCOMPARE(values->titleText(), QString("TTFT (service), ms"));
    const std::vector<LegendEntry> legend = legend_of(charts.front());
    QCOMPARE(legend.size(), runs.size());
    for (std::size_t r = 0; r < runs.size(); ++r)
      QCOMPARE(legend[r].text,
               QString("%1 %2, n = %3")
                   .arg(letters_of(all)[static_cast<qsizetype>(r)], QString::fromStdString(runs[r].policy))
                   .arg(runs[r].seconds.size()));
  }

  void barsCountTheRequests_data() { add_cases(); }
  void barsCountTheRequests() {
    QFETCH(int, index);
    const std::vector<TtftRun>& all = case_at(index).runs;
    const std::vector<TtftRun> runs = served(all);
    const std::vector<PageChart> charts = charts_named(report_of_ttft(all), "ttft_histogram");
    QCOMPARE(charts.size(), std::size_t{1});
    const ReportPlot& plot = charts.front().plot;
    const ChartPicture picture(charts.front(), chart_size(plot, 515));
    QCOMPARE(picture.chart().series().size(), qsizetype{1});
    const auto* series = qobject_cast<QBarSeries*>(picture.chart().series().constFirst());
    QVERIFY(series != nullptr);
    QCOMPARE(series->barSets().size(), static_cast<qsizetype>(runs.size()));
    const std::vector<PlotPoint>& edges = plot.series.front().points;
    const auto* counts = qobject_cast<QValueAxis*>(picture.chart().axes(Qt::Vertical).constFirst());
    QVERIFY(counts != nullptr);
    QCOMPARE(counts->titleText(), QString("requests"));
    for (std::size_t r = 0; r < runs.size(); ++r) {
      const QBarSet& set = *series->barSets()[static_cast<qsizetype>(r)];
      QCOMPARE(set.label(), QString::fromStdString(runs[r].policy));
      QCOMPARE(set.count(), static_cast<int>(edges.size()) - 1);
      for (int bin = 0; bin < set.count(); ++bin) {
        const auto at = static_cast<std::size_t>(bin);
        QCOMPARE(set.at(bin), static_cast<double>(counted_between(runs[r].seconds, edges[at].x, edges[at + 1].x,
                                                                  bin + 1 == set.count())));
        QVERIFY(set.at(bin) <= counts->max());
      }
      QCOMPARE(set.sum(), static_cast<double>(runs[r].seconds.size()));
    }
    QCOMPARE(counts->min(), 0.0);
    const std::vector<LegendEntry> legend = legend_of(charts.front());
    QCOMPARE(legend.size(), runs.size());
    for (std::size_t r = 0; r < runs.size(); ++r)
      QCOMPARE(legend[r].text,
               letters_of(all)[static_cast<qsizetype>(r)] + " " + QString::fromStdString(runs[r].policy));
  }

  // Bars are at their bins' numbers; the labels of the axis name milliseconds.
  void labelsAreAtTheirMilliseconds_data() { add_cases(); }
  void labelsAreAtTheirMilliseconds() {
    QFETCH(int, index);
    const PageChart chart = charts_named(report_of_ttft(case_at(index).runs), "ttft_histogram").front();
    const ChartPicture picture(chart, chart_size(chart.plot, 515));
    auto* axis = qobject_cast<QCategoryAxis*>(picture.chart().axes(Qt::Horizontal).constFirst());
    QVERIFY(axis != nullptr);
    QCOMPARE(axis->titleText(), QString("TTFT (service), ms"));
    const std::vector<PlotPoint>& edges = chart.plot.series.front().points;
    const double first = edges.front().x, bin = (edges.back().x - first) / static_cast<double>(edges.size() - 1);
    QVERIFY(axis->min() <= -0.5 + 1e-9 && axis->max() >= static_cast<double>(edges.size()) - 1.5 - 1e-9);
    const QStringList labels = axis->categoriesLabels();
    QVERIFY2(labels.size() >= 2, qPrintable(labels.join('|')));
    for (const QString& label : labels)
      QVERIFY2(std::abs(axis->endValue(label) - ((label.toDouble() - first) / bin - 0.5)) < 1e-6, qPrintable(label));
  }

  void manyRunsContinue() {
    const RunReport report = report_of_many(70);
    const std::vector<PageChart> boxes = charts_named(report, "ttft_boxes"),
                                 histograms = charts_named(report, "ttft_histogram");
    QCOMPARE(boxes.size(), std::size_t{3});
    QCOMPARE(histograms.size(), std::size_t{18});
    QStringList of_boxes, of_histograms;
    for (const PageChart& chart : boxes) {
      QVERIFY(chart.plot.places.size() <= max_chart_bars);
      const ChartPicture picture(chart, chart_size(chart.plot, 515));
      const auto* series = qobject_cast<QBoxPlotSeries*>(picture.chart().series().constFirst());
      QVERIFY(series != nullptr && series->count() == static_cast<int>(chart.plot.places.size()));
      for (const QBoxSet* box : series->boxSets()) QVERIFY(0 < box->at(0) && box->at(0) <= box->at(4));
      for (const std::string& letter : chart.letters) of_boxes << QString::fromStdString(letter);
    }
    for (const PageChart& chart : histograms)
      for (const std::string& letter : chart.letters) of_histograms << QString::fromStdString(letter);
    QCOMPARE(of_boxes.size(), qsizetype{70});
    QCOMPARE(of_boxes.back(), QString("BR"));
    QCOMPARE(of_histograms, of_boxes);
  }

  void nothingIsDrawnOfNothing() {
    for (const char* name : {"ttft_boxes", "ttft_histogram"}) {
      QVERIFY(charts_named(report_of_ttft({}), name).empty());
      QVERIFY(charts_named(report_of_ttft({{"lru", {}}, {"gdsf", {}}}), name).empty());
    }
  }
};

KV_TEST_MAIN(TtftPicturesTest)

}  // namespace ttft_pictures_test

#include "ttft_pictures_test.moc"
