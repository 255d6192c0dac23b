// links: kv_ui ui_report
// A report's PDF as other programs read it: text that can be searched, embedded fonts, charts without pictures, and the
// same bytes whatever the locale.
#include "ui/report/pdf_file.h"

#include <QFileInfo>
#include <QProcess>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <clocale>

#include "core/base/files.h"
#include "core/report/formats/report_formats.h"
#include "tests/support/test_program.h"
#include "tests/ui/report/sample_pages.h"

namespace pdf_file_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

QString output_of(const QString& program, const QStringList& arguments) {
  QProcess process;
  process.start(program, arguments);
  return process.waitForFinished(60000) && process.exitCode() == 0 ? QString::fromUtf8(process.readAllStandardOutput())
                                                                   : QString();
}

struct Word {
  QRectF box;
  QString text;
};

/// By page, in points, as poppler finds them.
std::vector<std::pair<QSizeF, std::vector<Word>>> words_of(const QString& path) {
  static const QRegularExpression sheet("<page width=\"([0-9.]+)\" height=\"([0-9.]+)\""),
      word("<word xMin=\"(-?[0-9.]+)\" yMin=\"(-?[0-9.]+)\" xMax=\"(-?[0-9.]+)\" yMax=\"(-?[0-9.]+)\">(.*)</word>");
  std::vector<std::pair<QSizeF, std::vector<Word>>> pages;
  for (const QString& line : output_of("pdftotext", {"-bbox", path, "-"}).split('\n')) {
    if (const auto page = sheet.match(line); page.hasMatch())
      pages.push_back({{page.captured(1).toDouble(), page.captured(2).toDouble()}, {}});
    const auto found = word.match(line);
    if (!found.hasMatch() || pages.empty()) continue;
    const auto at = [&](int group) { return found.captured(group).toDouble(); };
    pages.back().second.push_back({QRectF(QPointF(at(1), at(2)), QPointF(at(3), at(4))), found.captured(5)});
  }
  return pages;
}

}  // namespace

class PdfFileTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;

  QString path(const char* name) const { return folder_.filePath(name); }
  std::string written(const RunReport& report, const char* name) const {
    const Status status = write_report_pdf(report, path(name).toStdString());
    if (!status) QTest::qFail(status.error().message.c_str(), __FILE__, __LINE__);
    return read_text_file(path(name).toStdString()).value_or("");
  }
  static bool has_poppler() { return !QStandardPaths::findExecutable("pdffonts").isEmpty(); }

 private slots:
  void fontsAreEmbedded() {
    const std::string pdf = written(whole_report(), "fonts.pdf");
    QVERIFY(pdf.starts_with("%PDF-1."));
    QVERIFY(pdf.find("/FontFile2") != std::string::npos);
    QVERIFY(pdf.find("Courier") == std::string::npos && pdf.find("/Type3") == std::string::npos);
    QCOMPARE(QFileInfo(path("fonts.pdf")).permissions() & (QFile::ReadGroup | QFile::ReadOther), QFile::Permissions());
    if (!has_poppler()) QSKIP("poppler-utils is not installed (./run test installs it)");
    const QStringList fonts = output_of("pdffonts", {path("fonts.pdf")}).split('\n', Qt::SkipEmptyParts).mid(2);
    QVERIFY(!fonts.isEmpty());
    static const QRegularExpression embedded("\\byes +\\w+ +yes\\b");  // embedded, subset, with Unicode
    for (const QString& font : fonts) QVERIFY2(embedded.match(font).hasMatch(), qPrintable(font));
  }

  void thePagesAreA4() {
    if (!has_poppler()) QSKIP("poppler-utils is not installed (./run test installs it)");
    const RunReport report = whole_report();
    written(report, "sizes.pdf");
    const PageLayout layout = layout_of(report);
    const auto pages = words_of(path("sizes.pdf"));
    QCOMPARE(pages.size(), layout.pages.size());
    for (std::size_t i = 0; i < pages.size(); ++i) {
      const QSizeF wanted = page_size(layout.pages[i].landscape) / units_per_point;
      QVERIFY(std::abs(pages[i].first.width() - wanted.width()) < 1 &&
              std::abs(pages[i].first.height() - wanted.height()) < 1);
    }
    QVERIFY(output_of("pdfinfo", {path("sizes.pdf")}).contains("Title:           KVantage run: quickstart on default"));
  }

  // Read back by poppler, which knows nothing of our layout: no two words cover each other, none is cut off.
  void noTwoWordsOverlap() {
    if (!has_poppler()) QSKIP("poppler-utils is not installed (./run test installs it)");
    for (const RunReport& report : {whole_report(), report_of_many(24)}) {
      written(report, "words.pdf");
      const auto pages = words_of(path("words.pdf"));
      QVERIFY(pages.size() > 4);
      std::size_t words = 0;
      for (const auto& [size, found] : pages) {
        words += found.size();
        for (std::size_t i = 0; i < found.size(); ++i) {
          QVERIFY2(QRectF(QPointF(), size).adjusted(20, 20, -20, -20).contains(found[i].box),
                   qPrintable(found[i].text));
          QVERIFY2(found[i].text != "..." && found[i].text != QString::fromUtf8("…"), qPrintable(found[i].text));
          for (std::size_t j = i + 1; j < found.size(); ++j) {
            const QRectF both = found[i].box & found[j].box;  // lines of text touch: a box has the font's whole height
            QVERIFY2(both.width() < 0.5 || both.height() < 1.5, qPrintable(found[i].text + " | " + found[j].text));
          }
        }
      }
      QVERIFY(words > 1000);
    }
  }

  void everyPartCanBeFound() {
    if (!has_poppler()) QSKIP("poppler-utils is not installed (./run test installs it)");
    const RunReport report = whole_report();
    written(report, "parts.pdf");
    QStringList lines = pdf_lines(path("parts.pdf")).value_or(QStringList());
    static const QRegularExpression footer("page \\d+ of \\d+$");
    lines.removeIf([](const QString& line) { return footer.match(line).hasMatch(); });
    const QStringList lacking = missing(content_of(report), {{"pdf", bare(lines.join(' '))}});
    QVERIFY2(lacking.isEmpty(), qPrintable(lacking.mid(0, 20).join('\n')));
    // Rows of tables are lines.
    QStringList simple;
    for (const QString& line : lines) simple << line.simplified();
    for (const Table& table : tables_of(report)) {
      QVERIFY2(simple.contains(QString::fromStdString(table.title)), table.title.c_str());
      for (const auto& row : table.rows) {
        QStringList cells;
        for (const Cell& cell : row) cells << QString::fromStdString(cell.text);
        QVERIFY2(simple.contains(cells.join(' ').simplified()), qPrintable(cells.join(' ')));
      }
    }
  }

  // Metric by metric, as the page for a browser has them.
  void everyMetricIsReadBack() {
    if (!has_poppler()) QSKIP("poppler-utils is not installed (./run test installs it)");
    const RunReport report = whole_report();
    written(report, "metrics.pdf");
    const Shown page = shown_of(html_tables(QByteArray::fromStdString(to_html(report)))),
                pdf = shown_of(pdf_lines(path("metrics.pdf")).value_or(QStringList()));
    QVERIFY(page.size() > 80);
    QCOMPARE(pdf.keys(), page.keys());
    QCOMPARE(pdf, page);
  }

  void chartsAreLinesAndAreas() {
    if (!has_poppler()) QSKIP("poppler-utils is not installed (./run test installs it)");
    written(whole_report(), "pictures.pdf");
    const QString images = output_of("pdfimages", {"-list", path("pictures.pdf")});
    QCOMPARE(images.split('\n', Qt::SkipEmptyParts).size(), qsizetype{2});  // its header alone
  }

  void theSameReportGivesTheSameBytes() {
    const RunReport report = whole_report();
    const std::string first = written(report, "first.pdf");
    QVERIFY(!first.empty() && first.find("/CreationDate") == std::string::npos);
    const char* german = std::setlocale(LC_ALL, "de_DE.UTF-8");
    if (german == nullptr) qInfo("de_DE.UTF-8 is not installed: the same locale is used twice");
    QLocale::setDefault(QLocale(QLocale::German));  // Qt has one of its own
    QTest::qWait(1100);                             // another second
    const std::string second = written(report, "second.pdf");
    std::setlocale(LC_ALL, "C");
    QLocale::setDefault(QLocale::c());
    QVERIFY(first == second);
    QVERIFY(written(without_part(report, "seed"), "third.pdf") != first);
  }

  void pagesArePaintedOneByOne() {
    const RunReport report = whole_report();
    auto pdf = ReportPdf::begin(report);
    QVERIFY(pdf);
    std::size_t painted = 1;
    while (pdf->paint_next()) ++painted;
    QCOMPARE(painted, pdf->pages());
    QCOMPARE(painted, layout_of(report).pages.size());
    QVERIFY(!pdf->paint_next());
    QVERIFY(pdf->take() == written(report, "whole.pdf"));
  }

  void whatCannotBeWrittenIsSaid() {
    const Status status = write_report_pdf(sample_report(), "/nowhere/at/all.pdf");
    QVERIFY(!status);
    QVERIFY2(status.error().message.find("/nowhere") != std::string::npos, status.error().message.c_str());
  }
};

KV_TEST_MAIN(PdfFileTest)

}  // namespace pdf_file_test

#include "pdf_file_test.moc"
