// links: kv_reports
// The summary of a report fits a terminal, whatever its policies are called, and its cells are those of the report.
#include <QtTest>

#include "core/report/formats/report_formats.h"
#include "core/report/summary_table.h"
#include "tests/report/sample_runs.h"
#include "tests/support/test_program.h"

namespace summary_table_test {

using namespace kvantage;

class SummaryTableTest : public QObject {
  Q_OBJECT

  static QStringList lines_of(const std::string& text) {
    return QString::fromStdString(text).split('\n', Qt::SkipEmptyParts);
  }
  static RunReport report_with(const std::string& policy) {
    RunReport report = sample_report();
    report.rows.front().policy = policy;
    return report;
  }

 private slots:
  void aLongPolicyIsWrappedWhereItsPartsEnd() {
    const std::string policy = "fixed(pyramid(adakv(snapkv(window=32),safeguard=30))+kivi4+zstd,0.75,eviction=s3fifo)";
    const QStringList lines = lines_of(table_text(summary_table(report_with(policy)), 100));
    QString joined;
    for (const QString& line : lines) {
      QVERIFY2(line.size() <= 100, qPrintable(line));
      if (line != lines.front()) joined += line.trimmed().section("  ", 0, 0);
    }
    QVERIFY2(joined.startsWith(QString::fromStdString(policy)), qPrintable(joined));
    // A piece ends after a mark of the text form, not within a word.
    QVERIFY2(QRegularExpression("[,+(]$").match(lines[1].trimmed().section("  ", 0, 0)).hasMatch(),
             qPrintable(lines[1]));
    QVERIFY(lines[2].trimmed().section("  ", 1).isEmpty());  // the other cells are in the first line
  }

  void aNameWithoutMarksIsCutAtTheWidth() {
    const std::string policy(150, 'x');
    for (const QString& line : lines_of(table_text(summary_table(report_with(policy)), 100)))
      QVERIFY2(line.size() <= 100, qPrintable(line));
    QVERIFY(table_text(summary_table(report_with(policy))).find(policy) != std::string::npos);  // as wide as it is
  }

  void lettersAreCountedNotBytes() {
    std::string policy;
    for (int i = 0; i < 60; ++i) policy += "\xc3\xa4";
    for (const QString& line : lines_of(table_text(summary_table(report_with(policy)), 100))) {
      QVERIFY2(line.size() <= 100, qPrintable(line));
      QVERIFY(!line.contains(QChar::ReplacementCharacter));
    }
  }

  void aColumnThatNoRowHasIsLeftOut() {
    RunReport report = sample_report();
    const auto columns = [&] { return summary_table(report).columns.size(); };
    QCOMPARE(columns(), std::size_t{7});
    for (PolicyRow& row : report.rows) row.quality.clear();
    QCOMPARE(columns(), std::size_t{6});
    report.rows.front().requests = 0;  // one of several: the column stays
    QCOMPARE(columns(), std::size_t{6});
    QCOMPARE(summary_table(report).rows.front().back().text, std::string("-"));
  }

  void marksAreExplainedWhereTheyAre() {
    const Table table = summary_table(sample_report());
    const auto marked = [&](Provenance provenance) {
      return std::ranges::any_of(table.rows, [&](const std::vector<Cell>& row) {
        return std::ranges::any_of(row, [&](const Cell& cell) { return cell.provenance == provenance; });
      });
    };
    QVERIFY(marked(Provenance::throttled) && !marked(Provenance::simulated));
    QCOMPARE(marks_of(table), std::string("^: throttled (tier limited in bandwidth and latency)"));
    RunReport measured = sample_report();
    for (PolicyRow& row : measured.rows) {
      row.provenance = row.ttft_service_seconds.provenance = Provenance::measured;
      for (auto& [metric, quality] : row.quality) quality.provenance = Provenance::simulated;
    }
    QCOMPARE(marks_of(summary_table(measured)), std::string("~: simulated"));
    Table others = summary_table(measured);
    others.rows = {{Cell{"0.700", Provenance::imported, true, true}}};
    QCOMPARE(marks_of(others), std::string(mark_of(Provenance::imported)) + ": imported (measured by others)");
  }
};

KV_TEST_GUILESS_MAIN(SummaryTableTest)

}  // namespace summary_table_test

#include "summary_table_test.moc"
