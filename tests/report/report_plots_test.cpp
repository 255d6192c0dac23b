// links: kv_reports
// Charts over time, by context and by removed fraction: what they show is what the journal says, page and PDF draw it,
// and JSON, CSV and LaTeX hold the same points with every digit.
#include <QDir>
#include <QJsonDocument>
#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <cmath>

#include "core/base/files.h"
#include "core/report/formats/report_files.h"
#include "core/report/mark_texts.h"
#include "core/report/report_content.h"
#include "core/report/row_plots.h"
#include "core/report/run_plots.h"
#include "tests/report/sample_journal.h"
#include "tests/support/report_readers.h"
#include "tests/support/test_program.h"

namespace report_plots_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

constexpr double mebibyte = 1024.0 * 1024.0;

std::vector<RecordedRun> two_runs() {
  return {sample_journal("run-a", "lru", 1), sample_journal("run-b", "evicpress", 2)};
}

const ReportPlot* find(const std::vector<ReportPlot>& plots, const std::string& name, const std::string& part) {
  const auto found =
      std::ranges::find_if(plots, [&](const ReportPlot& plot) { return plot.name == name && plot.part == part; });
  return found == plots.end() ? nullptr : &*found;
}

QString number(double value) { return QString::number(value, 'g', 17); }

}  // namespace

class ReportPlotsTest : public QObject {
  Q_OBJECT

 private slots:
  void everyChartThereIsSomethingFor() {
    QStringList names;
    for (const ReportPlot& plot : plots_of_runs(two_runs()))
      names << QString::fromStdString(plot.name + " " + plot.part).trimmed();
    QCOMPARE(names, (QStringList{"occupancy dram", "occupancy ssd", "hit_rate lru", "hit_rate evicpress",
                                 "sensitivity keydiff", "sensitivity knorm", "predicted_ttft", "predicted_quality"}));
    QVERIFY(plots_of_runs({}).empty());
    RecordedRun stopped = sample_journal("run-a", "lru", 1);
    stopped.events.clear();
    QVERIFY(plots_of_runs({stopped}).empty() && report_of_runs({stopped}).plots.empty());
  }

  void occupancyIsWhatTheTiersSaid() {
    const auto runs = two_runs();
    const auto plots = plots_of_runs(runs);
    const ReportPlot& plot = *find(plots, "occupancy", "dram");
    QCOMPARE(plot.series.size(), std::size_t{3});  // both runs, the budget that they share
    QCOMPARE(plot.series[2].name, std::string("budget"));
    QCOMPARE(plot.series[2].points.front().y, 4.0);
    const PlotSeries& used = plot.series[0];
    QCOMPARE(used.points.front().x, 0.0);  // what was there before the first request
    QCOMPARE(used.points.front().y, 1.0);
    std::size_t at = 1;
    double begin = -1;
    for (const Event& event : runs[0].events) {
      const double seconds = static_cast<double>(event.monotonic_ns) * 1e-9;
      if (begin < 0 && std::holds_alternative<events::RequestStarted>(event.payload)) begin = seconds;
      const auto* occupancy = std::get_if<events::TierOccupancy>(&event.payload);
      if (occupancy == nullptr || occupancy->tier != "dram" || begin < 0) continue;
      QVERIFY(std::abs(used.points[at].x - (seconds - begin)) < 1e-6);
      QCOMPARE(used.points[at].y, static_cast<double>(occupancy->used_bytes) / mebibyte);
      ++at;
    }
    QCOMPARE(at, std::size_t{61});
    QVERIFY(find(plots, "occupancy", "ssd")->series.size() == 2);  // no budget
  }

  void longRunsKeepTheirPeaks() {
    RecordedRun run = sample_journal("run-a", "lru", 1);
    Event event = run.events.back();
    for (int i = 0; i < 20000; ++i) {
      event.monotonic_ns += 1000000;
      event.payload =
          events::TierOccupancy{"dram", i == 12345 ? 4190000u : 1000000u + static_cast<unsigned>(i % 7), 4194304, {}};
      run.events.push_back(event);
    }
    const auto plots = plots_of_runs({run});
    const auto& points = find(plots, "occupancy", "dram")->series[0].points;
    QVERIFY2(points.size() <= plot_point_limit && points.size() > 100, qPrintable(QString::number(points.size())));
    QVERIFY(std::ranges::is_sorted(points, {}, &PlotPoint::x));
    QCOMPARE(std::ranges::max(points, {}, &PlotPoint::y).y, 4190000 / mebibyte);
    QCOMPARE(points.back().y, (1000000 + 19999 % 7) / mebibyte);
  }

  void hitRatesAreOfTheAnswersSoFar() {
    const auto runs = two_runs();
    const auto plots = plots_of_runs(runs);
    const ReportPlot& plot = *find(plots, "hit_rate", "lru");
    const auto series = [&](const std::string& name) {
      return *std::ranges::find(plot.series, name, &PlotSeries::name);
    };
    const RunReport report = report_of_runs(runs);
    for (const SourceShare& share : report.rows[0].sources)
      if (share.source != "prefill")
        QVERIFY(std::abs(series(share.source + ", since the beginning").points.back().y - share.request_rate * 100) <
                1e-9);
    std::vector<bool> hits;
    for (const Event& event : runs[0].events)
      if (const auto* finished = std::get_if<events::RequestFinished>(&event.payload);
          finished && !finished->record.cancelled)
        hits.push_back(finished->record.source == "ssd");
    QVERIFY(hits.size() > plot_hit_window);
    const PlotSeries recent = series("ssd");
    QCOMPARE(recent.points.size(), hits.size());
    for (std::size_t i = 0; i < hits.size(); ++i) {
      const std::size_t from = i + 1 > plot_hit_window ? i + 1 - plot_hit_window : 0;
      const auto count = std::count(hits.begin() + static_cast<std::ptrdiff_t>(from),
                                    hits.begin() + static_cast<std::ptrdiff_t>(i) + 1, true);
      QVERIFY(std::abs(recent.points[i].y - 100.0 * static_cast<double>(count) / static_cast<double>(i + 1 - from)) <
              1e-9);
      QCOMPARE(recent.points[i].n, i + 1 - from);
    }
  }

  void warmUpIsNoAnswer() {
    RecordedRun run = sample_journal("run-a", "lru", 1);
    run.summary.settings["warmup"] = 10;
    const auto plots = plots_of_runs({run});
    QCOMPARE(find(plots, "hit_rate", "lru")->series[1].points.back().n, report_of_runs({run}).rows[0].requests);
  }

  void sensitivityIsTheMeanOverContexts() {
    const auto plots = plots_of_runs(two_runs());
    const ReportPlot& plot = *find(plots, "sensitivity", "keydiff");
    QCOMPARE(plot.series.size(), std::size_t{3});
    for (std::size_t family = 0; family < 3; ++family) {
      const auto& points = plot.series[family].points;
      QCOMPARE(points.size(), std::size_t{4});
      QCOMPARE(points[0].x, 0.0);
      QVERIFY(std::abs(points[0].y - 0.9) < 1e-12);  // uncompressed
      QCOMPARE(points[3].x, 0.9);
      QVERIFY(std::abs(points[3].y - (0.9 - 0.9 * (0.05 * static_cast<double>(family) + 0.02))) < 1e-12);
      QCOMPARE(points[3].n, std::size_t{3});
      QVERIFY(points[3].interval && points[3].interval->low <= points[3].y && points[3].y <= points[3].interval->high);
    }
    // Another model's contexts are not of the same curve.
    auto runs = two_runs();
    runs[1].summary.settings["environment"]["model_digest"] = "other";
    const auto apart = plots_of_runs(runs);
    QVERIFY(!find(apart, "sensitivity", "keydiff") && find(apart, "sensitivity", "keydiff in lru") &&
            find(apart, "sensitivity", "keydiff in evicpress"));
  }

  void predictionsStandAgainstMeans() {
    const auto plots = plots_of_runs(two_runs());
    const ReportPlot& ttft = *find(plots, "predicted_ttft", "");
    QCOMPARE(ttft.series.size(), std::size_t{2});
    QCOMPARE(ttft.series[0].points.size(), std::size_t{9});
    for (const PlotPoint& point : ttft.series[0].points) QVERIFY(std::abs(point.x - 0.8 * point.y) < 1e-9);
    QVERIFY(ttft.series[0].provenance == Provenance::throttled);  // as its weakest answer
    std::size_t n = 0;
    for (const PlotPoint& point : find(plots, "predicted_quality", "")->series[0].points) {
      QVERIFY(std::abs(point.x - 0.9) < 1e-12);
      n += point.n;
    }
    QCOMPARE(n, report_of_runs({two_runs()[0]}).rows[0].quality.at("token_f1").n);
  }

  // Every point, with every digit.
  void dataIsTheSameInEveryFile() {
    const RunReport report = report_of_runs(two_runs());
    const QTemporaryDir folder;
    QVERIFY(write_report_files(report, folder.path().toStdString(), parse_report_formats("json,csv,latex").value()));
    const QJsonArray charts =
        QJsonDocument::fromJson(bytes_of(folder.filePath("report.json"))).object()["charts"].toArray();
    const std::vector<ReportPlot> plots = content_of(report).charts;
    QCOMPARE(plots.size(), report.plots.size() + 5);  // those of the rows before them
    QCOMPARE(charts.size(), static_cast<qsizetype>(plots.size()));
    QStringList csv;
    for (const QStringList& row : csv_rows(bytes_of(folder.filePath("report_charts.csv"))).mid(1)) {
      QCOMPARE(row.size(), qsizetype{15});
      csv << QStringList{row[0],
                         row[1],
                         row[2],
                         number(row[4].toDouble()),
                         row[5],
                         number(row[6].toDouble()),
                         row[7],
                         row[8].isEmpty() ? "" : number(row[8].toDouble()),
                         row[9].isEmpty() ? "" : number(row[9].toDouble()),
                         row[10].isEmpty() ? "0" : row[10],
                         row[11].isEmpty() ? "" : number(row[11].toDouble()),
                         row[12].isEmpty() ? "" : number(row[12].toDouble()),
                         row[13],
                         row[14]}
                 .join('|');
    }
    QStringList json, drawn;
    for (const QJsonValue item : charts) {
      const QJsonObject chart = item.toObject();
      for (const QJsonValue one : chart["series"].toArray()) {
        const QJsonObject series = one.toObject();
        const QJsonArray x = series["x"].toArray(), y = series["y"].toArray(), n = series["n"].toArray(),
                         ends = series["interval_95"].toArray(), x_ends = series["x_interval_95"].toArray();
        QVERIFY(!x.isEmpty() && x.size() == y.size());
        for (qsizetype i = 0; i < x.size(); ++i) {
          const QJsonArray interval = ends.at(i).toArray(), x_interval = x_ends.at(i).toArray();
          json << QStringList{chart["chart"].toString(),
                              chart["part"].toString(),
                              series["series"].toString(),
                              number(x[i].toDouble()),
                              chart["x"].toObject()["unit"].toString(),
                              number(y[i].toDouble()),
                              chart["y"].toObject()["unit"].toString(),
                              interval.isEmpty() ? "" : number(interval[0].toDouble()),
                              interval.isEmpty() ? "" : number(interval[1].toDouble()),
                              QString::number(n.at(i).toInt()),
                              x_interval.isEmpty() ? "" : number(x_interval[0].toDouble()),
                              x_interval.isEmpty() ? "" : number(x_interval[1].toDouble()),
                              series["x_provenance"].toString(),
                              chart["places"].toArray().at(x[i].toInt()).toObject()["name"].toString()}
                      .join('|');
          drawn << number(x[i].toDouble()) + "|" + number(y[i].toDouble());
        }
      }
    }
    QVERIFY(json.size() > 400);
    QCOMPARE(csv, json);
    QStringList shown;
    for (const ReportPlot& plot : plots)
      for (const PlotSeries& series : plot.series)
        for (const PlotPoint& point : series.points) shown << number(point.x) + "|" + number(point.y);
    QCOMPARE(drawn, shown);
    QStringList latex;
    const QString tex = QString::fromUtf8(bytes_of(folder.filePath("report.tex")));
    for (auto it =
             QRegularExpression("^\\(([^,()]+), ([^,()]+)\\)", QRegularExpression::MultilineOption).globalMatch(tex);
         it.hasNext();) {
      const auto point = it.next();
      latex << number(point.captured(1).toDouble()) + "|" + number(point.captured(2).toDouble());
    }
    QCOMPARE(latex, drawn);
    QCOMPARE(tex.count("\\ifcsname pgfplotsset"), static_cast<qsizetype>(plots.size()));
    QCOMPARE(tex.count("\\end{figure}\n\\fi\n"), static_cast<qsizetype>(plots.size()));
  }

  // The charts of the rows show the metrics of the rows.
  void chartsOfRowsAreTheirFigures() {
    const RunReport report = report_of_runs(two_runs());
    const std::vector<ReportPlot> plots = plots_of_rows(report);
    const ReportPlot &frontier = *find(plots, "ttft_quality", ""), &split = *find(plots, "ttft_split", ""),
                     &sources = *find(plots, "sources", "");
    for (std::size_t r = 0; r < 2; ++r) {
      const PolicyRow& row = report.rows[r];
      const Distribution& quality = row.quality.at("token_f1");
      const PlotSeries& mean = frontier.series[r];
      QCOMPARE(mean.name, row.policy);
      QCOMPARE(mean.points[0].x, row.ttft_service_seconds.mean * 1e3);
      QCOMPARE(mean.points[0].x_interval->high, row.ttft_service_seconds.interval->high * 1e3);
      QCOMPARE(mean.points[0].y, quality.mean);
      QCOMPARE(mean.points[0].interval->low, quality.interval->low);
      QCOMPARE(mean.points[0].n, quality.n);
      QVERIFY(mean.provenance == Provenance::measured && mean.x_provenance == Provenance::throttled);
      QCOMPARE(split.places[r].name, row.policy);
      double whole = 0, shares = 0;
      for (const PlotSeries& part : split.series) {
        QCOMPARE(part.points[r].x, static_cast<double>(r));
        whole += part.points[r].y;
      }
      QVERIFY(std::abs(whole - row.ttft_service_seconds.mean * 1e3) < 1e-9);
      for (const SourceShare& share : row.sources) {
        const PlotPoint& point = std::ranges::find(sources.series, share.source, &PlotSeries::name)->points[r];
        QCOMPARE(point.y, share.request_rate * 100);
        QCOMPARE(point.interval->high, share.request_interval->high * 100);
        shares += point.y;
      }
      QVERIFY(std::abs(shares - 100) < 1e-9);
    }
    QCOMPARE(split.series[1].name, std::string("load"));
    QCOMPARE(split.series[2].name, std::string("decode"));  // in files
    QCOMPARE(split.series[2].shown(), std::string("unpack"));
    QCOMPARE(frontier.x_label, std::string("mean TTFT (service)"));
    for (const ReportPlot& plot : plots)
      for (const std::string& text : {plot.title, plot.note, plot.x_label, plot.y_label})
        QVERIFY2(text.find("ttft_") == std::string::npos, text.c_str());
    QVERIFY(split.series[1].provenance == Provenance::throttled && split.series[0].provenance == Provenance::measured);
    QVERIFY(plots_of_rows(build_report({}, {}, {})).empty());
  }

  // A mark says its metrics in words; every plot has its heading and says how many samples it is of.
  void marksAreSaidInWords() {
    const RunReport report = report_of_runs(two_runs());
    const QByteArray page = QByteArray::fromStdString(to_html(report));
    QStringList marks;
    for (const ReportPlot& plot : report.plots) {
      QVERIFY2(plot.note.find("n = ") != std::string::npos, plot.title.c_str());
      QVERIFY(page.contains(("<h2>" + plot.title + "</h2>").c_str()));
      for (const PlotSeries& series : plot.series)
        for (const PlotPoint& point : series.points) marks << QString::fromStdString(point_text(plot, series, point));
    }
    QVERIFY(
        marks.contains("family c: removed fraction of tokens 0.900000, token_f1 0.792000 [0.774000, 0.810000], n = 3"));
  }
};

KV_TEST_APPLESS_MAIN(ReportPlotsTest)

}  // namespace report_plots_test

#include "report_plots_test.moc"
