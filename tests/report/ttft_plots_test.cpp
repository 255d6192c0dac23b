// links: kv_reports
// Boxes and histograms of TTFT: their data is that of the requests, by quantiles and counts computed here. Their
// pictures: tests/ui/report.
#include <QtTest>

#include <cmath>

#include "core/report/formats/report_formats.h"
#include "core/report/mark_texts.h"
#include "core/report/row_plots.h"
#include "tests/report/sample_runs.h"
#include "tests/report/ttft_samples.h"
#include "tests/support/test_program.h"

namespace ttft_plots_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

std::vector<ReportPlot> plots_named(const RunReport& report, const std::string& name) {
  std::vector<ReportPlot> plots = plots_of_rows(report);
  std::erase_if(plots, [&](const ReportPlot& plot) { return plot.name != name; });
  return plots;
}

bool near(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(1.0, std::abs(b)); }

void add_cases() {
  QTest::addColumn<int>("index");
  for (std::size_t i = 0; i < ttft_cases().size(); ++i) QTest::newRow(ttft_cases()[i].name) << static_cast<int>(i);
}

const TtftCase& case_at(int index) { return ttft_cases()[static_cast<std::size_t>(index)]; }

}  // namespace

class TtftPlotsTest : public QObject {
  Q_OBJECT

 private slots:
  // numpy.percentile([10, 20, 30, 40, 50], [5, 25, 50, 75, 95]).
  void theQuantilesOfTheTestAreThoseOfNumpy() {
    const std::vector<double> values{30, 50, 10, 40, 20};
    for (const auto& [at, wanted] : {std::pair{0.05, 12.0}, {0.25, 20.0}, {0.5, 30.0}, {0.75, 40.0}, {0.95, 48.0}})
      QVERIFY(near(quantile_on_lines(values, at), wanted));
  }

  void boxesAreQuantilesOfTheRequests_data() { add_cases(); }
  void boxesAreQuantilesOfTheRequests() {
    QFETCH(int, index);
    const std::vector<TtftRun> runs = served(case_at(index).runs);
    const std::vector<ReportPlot> plots = plots_named(report_of_ttft(case_at(index).runs), "ttft_boxes");
    QCOMPARE(plots.size(), std::size_t{1});
    const ReportPlot& plot = plots.front();
    QVERIFY(plot.kind == ReportPlot::Kind::boxes);
    QCOMPARE(std::string(to_string(plot.kind)), std::string("boxes"));
    QCOMPARE(plot.y_unit, std::string("ms"));
    QCOMPARE(plot.places.size(), runs.size());
    const std::vector<std::pair<std::string, double>> wanted{{"5th percentile", 0.05},
                                                             {"lower quartile", 0.25},
                                                             {"median", 0.5},
                                                             {"upper quartile", 0.75},
                                                             {"95th percentile", 0.95}};
    QCOMPARE(plot.series.size(), wanted.size());
    for (std::size_t s = 0; s < wanted.size(); ++s) {
      QCOMPARE(plot.series[s].name, wanted[s].first);
      QCOMPARE(plot.series[s].points.size(), runs.size());
      for (std::size_t r = 0; r < runs.size(); ++r) {
        const PlotPoint& point = plot.series[s].points[r];
        QCOMPARE(point.x, static_cast<double>(r));
        QVERIFY(near(point.y, quantile_on_lines(runs[r].seconds, wanted[s].second) * 1e3));
        QCOMPARE(point.n, runs[r].seconds.size());
      }
    }
    for (std::size_t r = 0; r < runs.size(); ++r) {
      QCOMPARE(plot.places[r].name, runs[r].policy);
      QCOMPARE(plot.places[r].total, "n = " + std::to_string(runs[r].seconds.size()));
    }
  }

  void barsCountTheRequests_data() { add_cases(); }
  void barsCountTheRequests() {
    QFETCH(int, index);
    const std::vector<TtftRun> runs = served(case_at(index).runs);
    const std::vector<ReportPlot> plots = plots_named(report_of_ttft(case_at(index).runs), "ttft_histogram");
    QCOMPARE(plots.size(), std::size_t{1});
    const ReportPlot& plot = plots.front();
    QVERIFY(plot.kind == ReportPlot::Kind::histogram && plot.part.empty());
    QCOMPARE(plot.series.size(), runs.size());
    double least = INFINITY, most = -INFINITY;
    for (const TtftRun& run : runs)
      for (const double seconds : run.seconds) least = std::min(least, seconds), most = std::max(most, seconds);
    for (std::size_t r = 0; r < runs.size(); ++r) {
      const std::vector<PlotPoint>& points = plot.series[r].points;
      QCOMPARE(plot.series[r].name, runs[r].policy);
      QVERIFY(points.size() >= 5 && points.size() <= 41);
      QCOMPARE(points.size(), plot.series[0].points.size());
      QVERIFY(points.front().x <= least * 1e3 && points.back().x >= most * 1e3);
      QCOMPARE(points.back().y, 0.0);
      double sum = 0;
      for (std::size_t bin = 0; bin + 1 < points.size(); ++bin) {
        QCOMPARE(points[bin].x, plot.series[0].points[bin].x);
        QVERIFY(points[bin].x < points[bin + 1].x);
        QCOMPARE(points[bin].y, static_cast<double>(counted_between(runs[r].seconds, points[bin].x, points[bin + 1].x,
                                                                    bin + 2 == points.size())));
        sum += points[bin].y;
      }
      QCOMPARE(sum, static_cast<double>(runs[r].seconds.size()));
    }
  }

  void nothingIsDrawnOfNothing() {
    const TtftRun lru{"lru", {}}, gdsf{"gdsf", {}};
    for (const auto& runs : {std::vector<TtftRun>{}, std::vector{lru}, std::vector{lru, gdsf}})
      for (const char* name : {"ttft_boxes", "ttft_histogram"})
        QVERIFY2(plots_named(report_of_ttft(runs), name).empty(), name);
    const RunReport broken = report_of_ttft({{"lru", {NAN, INFINITY}}});
    for (const char* name : {"ttft_boxes", "ttft_histogram"}) QVERIFY2(plots_named(broken, name).empty(), name);
  }

  // Canceled requests have no TTFT; the median is that of the tables, and a throttled tier weakens it.
  void boxesAreOfTheAnsweredRequests() {
    const RunReport report = sample_report();
    const ReportPlot plot = plots_named(report, "ttft_boxes").front();
    std::size_t canceled = 0;
    for (std::size_t r = 0; r < report.rows.size(); ++r) {
      const PolicyRow& row = report.rows[r];
      canceled += row.cancelled;
      QCOMPARE(plot.series[2].points[r].y, row.ttft_service_seconds.p50 * 1e3);
      QCOMPARE(plot.series[4].points[r].y, row.ttft_service_seconds.p95 * 1e3);
      QCOMPARE(plot.series[2].points[r].n, row.requests);
      QCOMPARE(plot.places[r].total, "n = " + std::to_string(row.requests) + "^");
    }
    QVERIFY(canceled > 0);
    QVERIFY(plot.series[2].provenance == Provenance::throttled);
  }

  void manyRunsContinueInFurtherHistograms() {
    std::vector<TtftRun> runs;
    for (int i = 0; i < 9; ++i)
      runs.push_back({"policy " + std::to_string(i), {0.01 * (i + 1), 0.02, 0.03 + 0.001 * i}});
    const std::vector<ReportPlot> plots = plots_named(report_of_ttft(runs), "ttft_histogram");
    QCOMPARE(plots.size(), std::size_t{3});
    std::vector<std::string> names, parts;
    for (const ReportPlot& plot : plots) {
      parts.push_back(plot.part);
      QVERIFY(plot.series.size() <= max_histogram_runs);
      for (const PlotSeries& series : plot.series) {
        names.push_back(series.name);
        QVERIFY(std::ranges::equal(series.points, plots[0].series[0].points, {}, &PlotPoint::x, &PlotPoint::x));
        QVERIFY(plot.note.find("3 (" + series.name + ")") != std::string::npos);
      }
    }
    QCOMPARE(parts, (std::vector<std::string>{"1", "2", "3"}));
    QCOMPARE(plots[1].title, std::string("TTFT histogram, 2 of 3"));
    QCOMPARE(names.size(), std::size_t{9});
    for (std::size_t i = 0; i < names.size(); ++i) QCOMPARE(names[i], runs[i].policy);
  }

  // Every file has the charts: as pictures, as numbers, and for LaTeX as error bars from value to value.
  void everyFormatHasThem() {
    const RunReport report = report_of_ttft(ttft_cases()[0].runs);
    const std::string html = to_html(report), tex = to_latex(report), csv = to_charts_csv(report);
    for (const char* title : {"TTFT by run", "TTFT histogram"}) {
      QVERIFY2(html.find(std::string("<h2>") + title + "</h2>") != std::string::npos, title);
      QVERIFY2(tex.find(title) != std::string::npos, title);
    }
    QCOMPARE(box_text(plots_named(report, "ttft_boxes").front(), 0),
             std::string("lru: TTFT (service) median 30.0000 ms, box 20.0000 to 40.0000 ms, whiskers 12.0000 to "
                         "48.0000 ms, n = 5"));
    QVERIFY(csv.find("ttft_boxes,,median,measured,0,1,30,ms,,,5,,,,lru\n") != std::string::npos);
    int kinds = 0;
    const Json json = to_report_json(report);
    for (const Json& chart : json.at("charts")) kinds += chart.at("kind") == "boxes" || chart.at("kind") == "histogram";
    QCOMPARE(kinds, 2);
    static const QRegularExpression bar("^\\(0[.0]*, ([^)]+)\\) \\+= \\(0, ([^)]+)\\)$",
                                        QRegularExpression::MultilineOption);
    std::vector<std::pair<double, double>> bars;
    for (auto it = bar.globalMatch(QString::fromStdString(tex)); it.hasNext();) {
      const auto found = it.next();
      bars.emplace_back(found.captured(1).toDouble(), found.captured(2).toDouble());
    }
    const std::vector<std::pair<double, double>> wanted{{12, 8}, {20, 20}, {40, 8}};
    QCOMPARE(bars.size(), wanted.size());
    for (std::size_t i = 0; i < bars.size(); ++i)
      QVERIFY(near(bars[i].first, wanted[i].first) && near(bars[i].second, wanted[i].second));
  }
};

KV_TEST_APPLESS_MAIN(TtftPlotsTest)

}  // namespace ttft_plots_test

#include "ttft_plots_test.moc"
