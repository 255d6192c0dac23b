// links: kv_ui
// Pictures of the command line: every plot of a figure as a file, numbered where there are several, and fonts that are
// in the PDF.
#include "ui/papers/charts/figure_pictures.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include "core/experiments/paper_figures.h"
#include "tests/support/test_program.h"

namespace figure_pictures_test {

using namespace kvantage;

namespace {

FigureResult result_of(std::size_t plots) {
  FigureResult result = begin_figure("evicpress/fig8");
  result.tables.push_back({"Numbers", {"a"}, {{1}}});  // without a plot
  for (std::size_t p = 0; p < plots; ++p) {
    FigureTable table{
        "TTFT " + std::to_string(p), {"policy", "rate 1/s", "TTFT s"}, {{"lru", 4, 0.25}, {"lru", 8, 0.5}}};
    table.plot = FigurePlot{.kind = FigurePlot::Kind::lines, .x = "rate 1/s", .y = {"TTFT s"}, .by = {"policy"}};
    result.tables.push_back(std::move(table));
  }
  return result;
}

}  // namespace

class FigurePicturesTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;

  std::filesystem::path at(const char* name) const { return folder_.filePath(name).toStdString(); }
  static std::vector<std::filesystem::path> files_of(const std::vector<WrittenPicture>& written) {
    std::vector<std::filesystem::path> files;
    files.reserve(written.size());
    for (const WrittenPicture& one : written) files.push_back(one.file);
    return files;
  }
  static QByteArray bytes(const std::filesystem::path& path) {
    QFile file(QString::fromStdString(path.string()));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
  }

 private slots:
  void onePlotHasTheNameGiven() {
    for (const bool wide : {false, true}) {
      const auto written = write_figure_pictures({result_of(1)}, {.file = at("one.v2.svg"), .page_wide = wide});
      QVERIFY2(written, written ? "" : written.error().message.c_str());
      QCOMPARE(files_of(*written), std::vector<std::filesystem::path>{at("one.v2.svg")});
      QCOMPARE(written->front().table, std::string("TTFT 0"));
      QVERIFY(written->front().model.empty());
      const QByteArray svg = bytes(written->front().file);
      QVERIFY2(svg.contains(wide ? "width=\"178mm\"" : "width=\"85mm\""), svg.left(300).constData());
      QVERIFY(svg.contains("<text") && svg.contains("rate (1/s)"));  // text stays text
    }
  }

  void severalPlotsAreNumbered() {
    FigureResult last = result_of(1);
    last.settings["model name"] = "reference-mha";
    const auto written = write_figure_pictures({result_of(2), result_of(0), last}, {.file = at("all.png")});
    QVERIFY2(written, written ? "" : written.error().message.c_str());
    QCOMPARE(files_of(*written),
             (std::vector<std::filesystem::path>{at("all-1.png"), at("all-2.png"), at("all-3.png")}));
    for (const WrittenPicture& one : *written) QVERIFY(bytes(one.file).startsWith("\x89PNG"));
    QCOMPARE((*written)[1].table, std::string("TTFT 1"));
    QVERIFY((*written)[1].model.empty());
    QCOMPARE((*written)[2].table, std::string("TTFT 0"));
    QCOMPARE((*written)[2].model, std::string("reference-mha"));
    QVERIFY(!std::filesystem::exists(at("all.png")));
  }

  void fontsAreEmbedded() {
    const auto written = write_figure_pictures({result_of(1)}, {.file = at("fonts.pdf")});
    QVERIFY2(written, written ? "" : written.error().message.c_str());
    const QByteArray pdf = bytes(at("fonts.pdf"));
    QVERIFY(pdf.startsWith("%PDF-1.") && pdf.contains("/FontFile2") && !pdf.contains("/Type3"));
    if (QStandardPaths::findExecutable("pdffonts").isEmpty())
      QSKIP("poppler-utils is not installed (./run test installs it)");
    QProcess process;
    process.start("pdffonts", {QString::fromStdString(at("fonts.pdf").string())});
    QVERIFY(process.waitForFinished(60000) && process.exitCode() == 0);
    const QStringList fonts = QString::fromUtf8(process.readAllStandardOutput()).split('\n', Qt::SkipEmptyParts).mid(2);
    QVERIFY(!fonts.isEmpty());
    static const QRegularExpression embedded("\\byes +\\w+ +yes\\b");  // embedded, subset, with Unicode
    for (const QString& font : fonts) QVERIFY2(embedded.match(font).hasMatch(), qPrintable(font));
  }

  void whatCannotBeWrittenIsSaid_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<int>("plots");
    QTest::addColumn<int>("code");
    QTest::addColumn<QString>("part");
    QTest::newRow("another ending") << "plot.gif" << 1 << static_cast<int>(ErrorCode::usage)
                                    << "plot.gif: unsupported picture format; use .svg, .pdf or .png";
    QTest::newRow("no ending") << "plot" << 1 << static_cast<int>(ErrorCode::usage) << ".svg, .pdf or .png";
    QTest::newRow("no plot") << "plot.svg" << 0 << static_cast<int>(ErrorCode::usage) << "the figure has no plot";
    QTest::newRow("no folder") << "none/plot.svg" << 1 << static_cast<int>(ErrorCode::io) << "cannot be written";
  }
  void whatCannotBeWrittenIsSaid() {
    QFETCH(QString, file);
    QFETCH(int, plots);
    QFETCH(int, code);
    QFETCH(QString, part);
    QTemporaryDir empty;
    const auto written = write_figure_pictures({result_of(static_cast<std::size_t>(plots))},
                                               {.file = empty.filePath(file).toStdString()});
    QVERIFY(!written);
    QCOMPARE(static_cast<int>(written.error().code), code);
    QVERIFY2(written.error().message.find(part.toStdString()) != std::string::npos, written.error().message.c_str());
    QVERIFY(QDir(empty.path()).isEmpty());
    // Of these, the ending is known before there is a figure.
    const auto checked = check_figure_pictures({.file = empty.filePath(file).toStdString()});
    QCOMPARE(checked.has_value(), file.endsWith(".svg"));
    if (!checked) QCOMPARE(checked.error().message, written.error().message);
    QVERIFY(QDir(empty.path()).isEmpty());
  }
};

KV_TEST_MAIN(FigurePicturesTest)

}  // namespace figure_pictures_test

#include "figure_pictures_test.moc"
