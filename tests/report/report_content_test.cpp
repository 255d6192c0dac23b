// links: kv_ui ui_report
// Every part of a report's content is in every format: the parts are gone through one by one, looked for in each file,
// and a format that leaves one out is named.
#include <QtTest>

#include "tests/support/report_parts.h"
#include "tests/support/test_program.h"
#include "ui/report/html_charts.h"

namespace report_content_test {

using namespace kvantage;
using namespace kvantage::test;

class ReportContentTest : public QObject {
  Q_OBJECT

 private slots:
  void everyFormatHoldsEveryPart() {
    const RunReport report = whole_report();
    const ReportContent content = content_of(report);
    QCOMPARE(content.charts.size(), std::size_t{5 + 8});
    QVERIFY(content.commands.size() == 2 && content.faults.size() == 1 && content.settings.size() == 4 &&
            content.environment.size() == 13 && content.notes.size() == 1);
    const std::vector<Part> parts = parts_of(content);
    QVERIFY2(parts.size() > 400, qPrintable(QString::number(parts.size())));
    for (const Part& part : parts)
      QVERIFY2(!bare(part.text).isEmpty() || part.what.startsWith("note of ") || part.what.startsWith("definition of "),
               qPrintable(part.what));
    const QMap<QString, QString> texts = report_texts(report, html_charts(report).value());
    QCOMPARE(texts.size(), qsizetype{4});
    const QStringList lacking = missing(content, texts);
    QVERIFY2(lacking.isEmpty(), qPrintable(lacking.mid(0, 20).join('\n')));
  }

  // A format that left one of them out would be named: each part is taken away, and all four are.
  void aPartThatIsLeftOutIsMissed_data() {
    QTest::addColumn<QString>("part");
    for (const char* part : removable_parts()) QTest::newRow(part) << part;
  }
  void aPartThatIsLeftOutIsMissed() {
    QFETCH(QString, part);
    const RunReport whole = whole_report(), less = without_part(whole, part.toStdString());
    const QStringList lacking = missing(content_of(whole), report_texts(less, html_charts(less).value()));
    QStringList formats;
    for (const QString& name : lacking) formats << name.section(':', 0, 0);
    formats.removeDuplicates();
    formats.sort();
    // JSON and CSV hold the differences as metrics: report_differences_test reads those.
    QCOMPARE(formats,
             part == "differences" ? (QStringList{"html", "latex"}) : (QStringList{"csv", "html", "json", "latex"}));
  }

  // Exact metrics are those of the content, in JSON and CSV with every digit, and none is made up.
  void exactFiguresAreThoseOfTheContent() {
    const RunReport report = whole_report();
    Exact wanted;
    for (const RowMetrics& row : content_of(report).metrics)
      for (const ReportMetric& metric : row.metrics) {
        auto& fields = wanted[key(q(row.policy), q(metric.name), q(metric.part))];
        const auto put = [&](const char* field, const std::optional<double>& value) {
          if (value) fields[field] = *value;
        };
        put("value", metric.value);
        if (metric.sampled)
          fields["n"] = static_cast<double>(metric.n), fields["contexts"] = static_cast<double>(metric.contexts);
        for (const auto& [before, interval] : {std::pair{"", metric.interval}, {"p95_", metric.p95_interval}})
          if (interval)
            fields[QString(before) + "low"] = interval->low, fields[QString(before) + "high"] = interval->high;
        put("p50", metric.p50);
        put("p95", metric.p95);
        put("p99", metric.p99);
      }
    QVERIFY(wanted.size() > 80);
    QCOMPARE(csv_figures(QByteArray::fromStdString(to_csv(report))), wanted);
    const JsonReport json(QByteArray::fromStdString(to_report_json(report).dump()));
    QCOMPARE(json.metrics, wanted);
    QCOMPARE(json.taken, json.numbers);
  }

  // Words of a definition stand together, its unit too, where a reader takes them by name.
  void definitionsAreWholeInJsonAndCsv() {
    const RunReport report = whole_report();
    std::vector<QStringList> wanted, json, csv;
    for (const MetricDefinition& metric : content_of(report).definitions)
      wanted.push_back({q(metric.name), q(metric.unit), q(metric.formula), q(metric.meaning)});
    const Json whole = to_report_json(report);
    for (const Json& one : whole.at("definitions"))
      json.push_back({q(one.at("name").get<std::string>()), q(one.at("unit").get<std::string>()),
                      q(one.at("formula").get<std::string>()), q(one.at("meaning").get<std::string>())});
    for (const QStringList& row : csv_rows(QByteArray::fromStdString(to_facts_csv(report)))) {
      QCOMPARE(row.size(), qsizetype{6});
      if (row[0] == "definition") csv.push_back({row[1], row[4], row[5], row[3]});
    }
    QCOMPARE(json, wanted);
    QCOMPARE(csv, wanted);
  }
};

KV_TEST_MAIN(ReportContentTest)

}  // namespace report_content_test

#include "report_content_test.moc"
