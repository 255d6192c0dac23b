// links: kv_reports
// Console, page and JSON show the same metrics; the page is well-formed whatever the run is called.
#include <QFile>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>
#include <QXmlStreamReader>
#include <clocale>
#include <functional>

#include "core/base/files.h"
#include "core/base/units.h"
#include "core/report/formats/report_files.h"
#include "core/report/mark_texts.h"
#include "core/report/plot_axes.h"
#include "core/report/report_content.h"
#include "core/report/table.h"
#include "tests/report/sample_runs.h"
#include "tests/support/plain_drawing.h"
#include "tests/support/test_program.h"

namespace report_pages_test {

using namespace kvantage;

namespace {

// All text of the page; empty when it is not well-formed.
QString page_text(const std::string& html, QStringList* elements = nullptr, QString* error = nullptr) {
  QXmlStreamReader reader(QByteArray::fromStdString(html));
  QString text;
  while (!reader.atEnd()) {
    reader.readNext();
    if (reader.isCharacters()) text += reader.text();
    if (reader.isStartElement()) {
      text += ' ';
      if (elements) elements->append(reader.name().toString());
    }
  }
  if (reader.hasError()) {
    if (error) *error = reader.errorString() + " in line " + QString::number(reader.lineNumber());
    return {};
  }
  return text;
}

}  // namespace

class ReportPagesTest : public QObject {
  Q_OBJECT

 private slots:
  void theTableHasOneRowPerPolicyAndEveryFigure() {
    const RunReport report = sample_report();
    const QString text = QString::fromStdString(to_text(report));
    qInfo("\n%s", qPrintable(text));
    for (const PolicyRow& row : report.rows) {
      const QStringList lines = text.split('\n').filter(
          QRegularExpression("^  " + QRegularExpression::escape(QString::fromStdString(row.policy)) + " "));
      QCOMPARE(lines.size(), 7);
      const QString ttft = lines[0];
      QVERIFY(ttft.contains(QString::fromStdString(format_fixed(row.ttft_service_seconds.mean * 1e3, 1)) + "^"));
      QVERIFY(ttft.contains(QString::fromStdString(format_fixed(row.ttft_seconds.p95 * 1e3, 1)) + "^"));
    }
    for (const char* word : {"95 % interval", "dram requests", "ssd bytes", "prefill tokens", "4.0 MiB", "unlimited",
                             "context prefill", "question prefill", "token_f1", "exact_match", "absent", "corrupt",
                             "Quality: token_f1", "uncompressed", "chance", "^: throttled"})
      QVERIFY2(text.contains(word), word);
    for (const QString& line : text.split('\n'))
      QVERIFY2(line == line.trimmed() || line.startsWith("  "), qPrintable(line));
  }

  void thePageIsWellFormedAndComplete() {
    QStringList elements;
    QString error;
    const RunReport report = sample_report();
    const QString text = page_text(to_html(report, test::plain_charts(report).value()), &elements, &error);
    QVERIFY2(!text.isEmpty(), qPrintable(error));
    QCOMPARE(elements.count("svg"), 5);
    QCOMPARE(elements.count("figure"), 5);
    QCOMPARE(elements.count("table"),
             7 + 3 + 3);  // metrics, settings with environment and definitions, every metric of each row
    QVERIFY(!elements.contains("script") && !elements.contains("link") && !elements.contains("img"));
    QVERIFY(text.contains("kvantage-cli run 'quick <start>' --policy 'lru,evicpress'"));
    QVERIFY(text.contains("2 cores & 24 GiB") && text.contains("0123abc"));
    for (const MetricDefinition& metric : metric_definitions())
      QVERIFY(text.contains(QString::fromStdString(metric.name)));
    const std::string html = to_html(report);
    QVERIFY(html.find("prefers-color-scheme: dark") != std::string::npos);
    QVERIFY(html.find("http://") == html.find("http://www.w3.org"));  // namespaces only, nothing is fetched
  }

  void consolePageAndJsonShowTheSameFigures() {
    const RunReport report = sample_report();
    const QString text = QString::fromStdString(to_text(report));
    const QString page = page_text(to_html(report));
    const Json json = to_report_json(report);
    for (const Table& table : tables_of(report))
      for (const auto& row : table.rows)
        for (const Cell& cell : row) {
          QVERIFY(text.contains(QString::fromStdString(cell.text)));
          QVERIFY(page.contains(QString::fromStdString(cell.text)));
        }
    for (std::size_t i = 0; i < report.rows.size(); ++i) {
      const Json& row = json.at("rows")[i];
      const auto milliseconds = [](const Json& seconds) {
        return QString::fromStdString(format_fixed(seconds.get<double>() * 1e3, 1));
      };
      QVERIFY(text.contains(milliseconds(row.at("ttft_service_seconds").at("mean"))));
      QVERIFY(text.contains(milliseconds(row.at("ttft_service_seconds").at("p95"))));
      QVERIFY(text.contains(milliseconds(row.at("ttft_split").at("context_prefill_seconds").at("value"))));
      QVERIFY(text.contains(
          QString::fromStdString(format_fixed(row.at("quality").at("token_f1").at("mean").get<double>(), 3))));
      QCOMPARE(row.at("ttft_seconds").at("provenance").get<std::string>(), std::string("shaped"));
      QCOMPARE(row.at("quality").at("token_f1").at("provenance").get<std::string>(), std::string("measured"));
    }
    // Metrics in JSON keep all their digits.
    QCOMPARE(json.at("rows")[0].at("ttft_seconds").at("mean").get<double>(), report.rows[0].ttft_seconds.mean);
    QCOMPARE(Json::parse(json.dump()).at("rows")[0].at("ttft_seconds").at("mean").get<double>(),
             report.rows[0].ttft_seconds.mean);
  }

  // Pages and charts name a provenance as the window does, whatever files call it.
  void pagesNameProvenancesInWords() {
    PolicyRun simulated = sample_run(3, "fixed", 60);
    for (RequestRecord& record : simulated.records) record.provenance = Provenance::simulated;
    const RunReport report = build_report({}, {}, {sample_run(1, "lru", 100), simulated});
    const std::string html = to_html(report);
    for (const char* text : {"title=\"throttled\"", "title=\"simulated\""})
      QVERIFY2(html.find(text) != std::string::npos, text);
    std::string marks;
    for (const ReportPlot& plot : content_of(report).charts)
      for (const PlotSeries& series : plot.series)
        for (const PlotPoint& point : series.points)
          if (plot.kind == ReportPlot::Kind::means) marks += point_text(plot, series, point) + "\n";
    for (const char* text : {" ms (throttled), ", " ms (simulated), "})
      QVERIFY2(marks.find(text) != std::string::npos, text);
    for (const char* of_files : {"shaped", "modelled"}) {
      for (const std::string& page : {html, marks, to_latex(report), to_text(report)})
        QVERIFY2(page.find(of_files) == std::string::npos, of_files);
      QVERIFY2(to_report_json(report).dump().find(of_files) != std::string::npos, of_files);
      QVERIFY2(to_csv(report).find(of_files) != std::string::npos, of_files);
    }
  }

  // Every object of the JSON that has a value or a mean says its unit and where it comes from.
  void everyFigureSaysWhereItComesFrom() {
    int metrics = 0;
    const std::function<void(const Json&)> walk = [&](const Json& json) {
      if (json.is_object() && (json.contains("mean") || json.contains("value"))) {
        ++metrics;
        QVERIFY(json.contains("unit") && json.contains("provenance"));
      }
      if (json.is_structured())
        for (const Json& item : json) walk(item);
    };
    walk(to_report_json(sample_report()).at("rows"));
    QVERIFY(metrics > 3 * 12);
  }

  void theSameRunGivesTheSameBytesInAnyLocale() {
    const RunReport report = sample_report();
    const std::string text = to_text(report), html = to_html(report), json = to_report_json(report).dump(2);
    const char* german = std::setlocale(LC_ALL, "de_DE.UTF-8");
    if (german == nullptr) qInfo("de_DE.UTF-8 is not installed: the same locale is used twice");
    const RunReport again = sample_report();
    QVERIFY(to_text(again) == text && to_html(again) == html && to_report_json(again).dump(2) == json);
    std::setlocale(LC_ALL, "C");
  }

  void aPageLoadsAndRunsNothing() {
    const std::string html = to_html(sample_report(), test::plain_charts(sample_report()).value());
    const std::size_t policy = html.find(
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src "
        "data:\"/>");
    QVERIFY(policy != std::string::npos && policy < html.find("<style>"));
    QVERIFY(html.find("<svg") != std::string::npos);  // inline drawings need no source
    for (const char* absent : {"<script", "<link", "<img", "<iframe", "url(", "@import", "onclick="})
      QVERIFY2(html.find(absent) == std::string::npos, absent);
  }

  void hostileNamesStayText() {
    const std::string evil =
        "<script>alert(\"x\")</script> & 'quotes' \x01\x1b[31m \xff\xef\xbf\xbf ]]> \xe2\x82\xac"
        "\"onload=alert(1) <img src=file:///etc/passwd> \x1b]0;title\x07 \x1b[2J \xc2\x9b"
        "2J \xe2\x80\xae \xe2\x81\xa6";
    PolicyRun run = sample_run(5, evil, 30);
    run.tiers[0].name = evil;
    for (RequestRecord& record : run.records) {
      if (record.source == "dram") record.source = evil;
      if (!record.miss_reason.empty()) record.miss_reason = evil;
      record.quality[evil] = record.quality_uncompressed[evil] = record.quality_chance[evil] = 0.5;
    }
    const RunReport report = build_report({{evil, evil}, {"quality_metric", evil}},
                                          {{"command", evil}, {"workload", evil}, {"list", {evil, 1}}}, {run});
    QString error;
    QStringList elements;
    QVERIFY2(!page_text(to_html(report), &elements, &error).isEmpty(), qPrintable(error));
    QVERIFY(!elements.contains("script"));
    const std::string html = to_html(report);
    for (const char* leak : {"<script", "<img", "\"onload", "\x1b", "\xe2\x80\xae", "\xe2\x81\xa6", "\xc2\x9b"})
      QVERIFY2(html.find(leak) == std::string::npos, leak);
    const std::string text = to_text(report);
    QVERIFY(std::ranges::none_of(text,
                                 [](char letter) { return letter == '\x1b' || letter == '\x01' || letter == '\x07'; }));
    for (const char* leak : {"\xe2\x80\xae", "\xe2\x81\xa6", "\xc2\x9b"})
      QVERIFY2(text.find(leak) == std::string::npos, leak);
    QVERIFY(!to_report_json(report).dump().empty());
  }

  void aPageOfManyPoliciesOrNoneIsWellFormed() {
    std::vector<PolicyRun> runs;
    for (std::uint64_t i = 0; i < 12; ++i) {
      runs.push_back(sample_run(i, QString("fixed(streaming_llm(sinks=4),0.%1)").arg(i).toStdString(), 10));
      if (i % 3 == 0) runs.back().records.clear();
      if (i % 4 == 1)
        for (RequestRecord& record : runs.back().records) record.timing = {};
    }
    QString error;
    QVERIFY2(!page_text(to_html(build_report({}, {}, runs)), nullptr, &error).isEmpty(), qPrintable(error));
    QVERIFY2(!page_text(to_html(build_report({}, {}, {})), nullptr, &error).isEmpty(), qPrintable(error));
  }

  void axesCoverTheirValues_data() {
    QTest::addColumn<double>("low");
    QTest::addColumn<double>("high");
    QTest::newRow("unit") << 0.0 << 1.0;
    QTest::newRow("one value") << 0.5 << 0.5;
    QTest::newRow("zero") << 0.0 << 0.0;
    QTest::newRow("milliseconds") << 12.3 << 1987.0;
    QTest::newRow("tiny") << 1e-6 << 3e-6;
    QTest::newRow("below zero") << -3.5 << 2.0;
  }
  void axesCoverTheirValues() {
    QFETCH(double, low);
    QFETCH(double, high);
    std::vector<std::vector<double>> axes{axis_ticks(low, high, 6)};
    if (low > 0) axes.push_back(log_axis_ticks(low, high));
    for (const auto& ticks : axes) {
      QVERIFY(ticks.size() >= 2 && ticks.size() < 40);
      QVERIFY(ticks.front() <= low && ticks.back() >= high * (1 - 1e-9));
      QVERIFY(std::is_sorted(ticks.begin(), ticks.end()) && ticks[0] < ticks[1]);
    }
  }

  void formatsAreNamedWhenOneIsNotKnown() {
    QCOMPARE(parse_report_formats("html,json,html")->size(), std::size_t{2});
    for (const char* wrong : {"docx", "html,text", "tex", "", "html,"}) {
      const auto parsed = parse_report_formats(wrong);
      QVERIFY(!parsed);
      QCOMPARE(parsed.error().code, ErrorCode::usage);
      const char* names = std::string(wrong) == "tex" ? "did you mean 'latex'?" : "html, json";
      QVERIFY2(parsed.error().message.find(names) != std::string::npos, parsed.error().message.c_str());
    }
  }

  void filesHoldWhatTheFunctionsGive() {
    const QTemporaryDir folder;
    const RunReport report = sample_report();
    const std::filesystem::path target = folder.filePath("new/folder").toStdString();
    const auto written = write_report_files(report, target, {"html", "json"}, test::plain_drawing());
    QVERIFY2(written, written ? "" : written.error().message.c_str());
    QVERIFY(*read_text_file(target / "report.html") == to_html(report, test::plain_charts(report).value()));
    QVERIFY(Json::parse(*read_text_file(target / "report.json")) == to_report_json(report));
    QVERIFY(!write_report_files(report, target / "report.html" / "below", {"html"}, test::plain_drawing()));
  }

  void definitionsStandInTheDocumentation() {
    QFile file(QStringLiteral(KVANTAGE_SOURCE_DIR "/docs/metrics.md"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QString text = QString::fromUtf8(file.readAll());
    for (const MetricDefinition& metric : metric_definitions()) {
      for (const QString& name : QString::fromStdString(metric.name).split(", "))
        QVERIFY2(text.contains("`" + name + "`"), qPrintable(name));
      QVERIFY2(text.contains(QString::fromStdString(metric.formula)), metric.formula.c_str());
    }
  }
};

KV_TEST_GUILESS_MAIN(ReportPagesTest)

}  // namespace report_pages_test

#include "report_pages_test.moc"
