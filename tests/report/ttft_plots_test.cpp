// links: kv_reports
// Boxes and histograms of TTFT: their data is that of the requests, by quantiles and counts computed here, and their
// drawings show it to scale.
#include <QtTest>

#include <cmath>

#include "core/report/formats/report_formats.h"
#include "core/report/report_charts.h"
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

Drawing drawing_of(const ReportPlot& plot) { return charts_of(std::vector{plot}).front().drawing; }

std::vector<Shape> shapes_of(const Drawing& drawing, Shape::Kind kind) {
  std::vector<Shape> shapes = drawing.shapes;
  std::erase_if(shapes, [&](const Shape& shape) { return shape.kind != kind; });
  return shapes;
}

bool near(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(1.0, std::abs(b)); }

bool inside(const Drawing& drawing) {
  return std::ranges::all_of(drawing.shapes, [&](const Shape& shape) {
    return std::ranges::all_of(shape.places, [&](const Place& place) {
      return place.x >= 0 && place.x <= drawing.width && place.y >= 0 && place.y <= drawing.height;
    });
  });
}

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

  // A box is drawn from quartile to quartile on the scale that its ticks name.
  void boxesAreDrawnToScale_data() { add_cases(); }
  void boxesAreDrawnToScale() {
    QFETCH(int, index);
    const std::vector<TtftRun> runs = served(case_at(index).runs);
    const ReportPlot plot = plots_named(report_of_ttft(case_at(index).runs), "ttft_boxes").front();
    const Drawing drawing = drawing_of(plot);
    QVERIFY(inside(drawing));
    std::vector<std::pair<double, double>> ticks;  // x, ms: the first texts, below the first lines
    const std::vector<Shape> texts = shapes_of(drawing, Shape::Kind::text);
    for (std::size_t i = 0; i < texts.size() && texts[i].text != "TTFT (service), ms"; ++i)
      ticks.emplace_back(texts[i].places[0].x, QString::fromStdString(texts[i].text).toDouble());
    QVERIFY(ticks.size() >= 2);
    const double scale = (ticks.back().second - ticks.front().second) / (ticks.back().first - ticks.front().first);
    const auto value_at = [&](double x) { return ticks.front().second + (x - ticks.front().first) * scale; };
    const auto is_at = [&](double x, double value) { return std::abs(value_at(x) - value) < 1e-6 * (1 + value); };
    const std::vector<Shape> boxes = shapes_of(drawing, Shape::Kind::polygon);
    QCOMPARE(boxes.size(), runs.size());
    for (std::size_t r = 0; r < runs.size(); ++r) {
      QVERIFY(is_at(boxes[r].places[0].x, quantile_on_lines(runs[r].seconds, 0.25) * 1e3));
      QVERIFY(is_at(boxes[r].places[1].x, quantile_on_lines(runs[r].seconds, 0.75) * 1e3));
      QVERIFY(boxes[r].places[0].x <= boxes[r].places[1].x);
      QVERIFY(QString::fromStdString(boxes[r].text).startsWith(QString::fromStdString(runs[r].policy + ": ")));
      QVERIFY(boxes[r].text.find("n = " + std::to_string(runs[r].seconds.size())) != std::string::npos);
      if (r > 0) QVERIFY(boxes[r].places[0].y > boxes[r - 1].places[2].y);
    }
  }

  void barsAreDrawnToScale_data() { add_cases(); }
  void barsAreDrawnToScale() {
    QFETCH(int, index);
    const ReportPlot plot = plots_named(report_of_ttft(case_at(index).runs), "ttft_histogram").front();
    const Drawing drawing = drawing_of(plot);
    QVERIFY(inside(drawing));
    std::vector<Shape> bars = shapes_of(drawing, Shape::Kind::rectangle);
    std::erase_if(bars, [](const Shape& shape) { return shape.text.empty(); });  // those of the legend
    std::vector<double> counts;
    for (const PlotSeries& series : plot.series)
      for (const PlotPoint& point : series.points)
        if (point.y > 0) counts.push_back(point.y);
    QCOMPARE(bars.size(), counts.size());
    const auto high = [](const Shape& bar) { return bar.places[1].y - bar.places[0].y; };
    for (std::size_t i = 0; i < bars.size(); ++i) {
      QVERIFY(near(high(bars[i]) / high(bars[0]), counts[i] / counts[0]));
      for (std::size_t j = 0; j < i; ++j)
        QVERIFY(bars[i].places[0].x >= bars[j].places[1].x - 1e-9 || bars[i].places[1].x <= bars[j].places[0].x + 1e-9);
    }
  }

  // Every file has the charts: as pictures, as numbers, and for LaTeX as error bars from value to value.
  void everyFormatHasThem() {
    const RunReport report = report_of_ttft(ttft_cases()[0].runs);
    const std::string html = to_html(report), tex = to_latex(report), csv = to_charts_csv(report);
    for (const char* title : {"TTFT by run", "TTFT histogram"}) {
      QVERIFY2(html.find(std::string("<h2>") + title + "</h2>") != std::string::npos, title);
      QVERIFY2(tex.find(title) != std::string::npos, title);
    }
    QVERIFY(html.find("lru: TTFT (service) median 30.0000 ms, box 20.0000 to 40.0000 ms, whiskers 12.0000 to "
                      "48.0000 ms, n = 5") != std::string::npos);
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
