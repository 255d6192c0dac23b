// links: kv_ui ui_report
// A report as others open it: the page in a headless Chromium without a network. The browser draws the page without a
// word in its console and asks for nothing. The PDF: tests/ui/report/pdf_file_test.cpp.
#include <QProcess>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QtTest>

#include "core/base/files.h"
#include "core/report/formats/report_formats.h"
#include "core/report/run_plots.h"
#include "core/report/table.h"
#include "tests/report/sample_journal.h"
#include "tests/support/headless_browser.h"
#include "tests/support/test_program.h"
#include "ui/report/html_charts.h"

namespace report_browser_test {

using namespace kvantage;

namespace {

QByteArray output_of(const QString& program, const QStringList& arguments) {
  QProcess process;
  process.start(program, arguments);
  return process.waitForFinished(60000) && process.exitCode() == 0 ? process.readAllStandardOutput() : QByteArray();
}

}  // namespace

class ReportBrowserTest : public QObject {
  Q_OBJECT

 private slots:
  void thePageLoadsAloneAndSilently() {
    if (test::headless_browser().isEmpty()) QSKIP(test::no_browser);
    const QTemporaryDir folder;
    RunReport report = sample_report();
    report.plots = plots_of_runs({sample_journal("run-a", "lru", 1), sample_journal("run-b", "evicpress", 2)});
    const auto charts = html_charts(report);
    QVERIFY(charts.has_value());
    QCOMPARE(charts->size(), std::size_t{5 + 8});
    const test::PageVisit seen = test::visit_page(folder, to_html(report, *charts));
    QVERIFY2(seen.console.isEmpty(), qPrintable(seen.console.join('\n')));
    QVERIFY2(seen.requests.isEmpty(), qPrintable(seen.requests.join('\n')));
    QCOMPARE(seen.page.count("<svg "), static_cast<qsizetype>(charts->size()));
    QCOMPARE(seen.page.count("<table>"), qsizetype{7 + 3 + 3});
    for (const Table& table : tables_of(report))
      for (const auto& row : table.rows)
        for (const Cell& cell : row)
          QVERIFY2(seen.page.contains(">" + QString::fromStdString(cell.text) + "<"), cell.text.c_str());
  }

  // On paper nothing can be scrolled to: every cell of every table is on a page.
  void thePageIsPrintedWhole() {
    if (test::headless_browser().isEmpty()) QSKIP(test::no_browser);
    if (QStandardPaths::findExecutable("pdftotext").isEmpty())
      QSKIP("poppler-utils is not installed (./run test installs it)");
    const QTemporaryDir folder;
    const RunReport report = sample_report();
    const QString page = folder.filePath("page.html"), print = folder.filePath("print.pdf");
    QVERIFY(write_text_file(page.toStdString(), to_html(report, html_charts(report).value())));
    QProcess process;
    process.start(test::headless_browser(),
                  {"--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir=" + folder.filePath("profile"),
                   "--print-to-pdf=" + print, "file://" + page});
    QVERIFY(process.waitForFinished(120000));
    const QString boxes = QString::fromUtf8(output_of("pdftotext", {"-bbox", print, "-"}));
    QVERIFY(boxes.contains("<word "));
    double width = 0;
    for (const QString& line : boxes.split('\n')) {
      static const QRegularExpression sheet("<page width=\"([0-9.]+)\""),
          word("xMin=\"(-?[0-9.]+)\".*xMax=\"([0-9.]+)\"");
      if (const auto found = sheet.match(line); found.hasMatch())
        width = found.captured(1).toDouble();
      else if (const auto at = word.match(line); at.hasMatch())
        QVERIFY2(at.captured(1).toDouble() > 20 && at.captured(2).toDouble() < width - 20, qPrintable(line));
    }
    QVERIFY(width > 800);  // across
    const QString text =
        QString::fromUtf8(output_of("pdftotext", {"-raw", print, "-"})).remove(QRegularExpression("\\s"));
    for (const Table& table : tables_of(report))
      for (const auto& row : table.rows)
        for (const Cell& cell : row)
          QVERIFY2(text.contains(QString::fromStdString(cell.text).remove(QRegularExpression("\\s"))),
                   cell.text.c_str());
  }

  // What the first test would notice.
  void aPageThatAsksOrFailsIsSeen() {
    if (test::headless_browser().isEmpty()) QSKIP(test::no_browser);
    const QTemporaryDir folder;
    std::string html = to_html(sample_report());
    // The page's own policy would keep the browser from asking.
    const std::string policy = "Content-Security-Policy";
    QVERIFY(html.find(policy) != std::string::npos);
    html.replace(html.find(policy), policy.size(), "X-No-Policy");
    html.insert(html.find("</head>"),
                "<script>console.error('x')</script><link rel=\"stylesheet\" href=\"http://example.com/a.css\"/>");
    const test::PageVisit seen = test::visit_page(folder, html);
    QVERIFY(!seen.console.isEmpty());
    QVERIFY(seen.requests.contains("http://example.com/a.css"));
  }
};

KV_TEST_MAIN(ReportBrowserTest)

}  // namespace report_browser_test

#include "report_browser_test.moc"
