// links: kv_ui
// Plots as pictures for a paper: their size on paper, their text, their fonts, and that they are light on white
// whatever the window shows.
#include "ui/papers/charts/paper_picture.h"

#include <QFile>
#include <QImage>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>
#include <QXmlStreamReader>
#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "core/experiments/paper_figures.h"
#include "tests/support/test_program.h"
#include "ui/look/font_scale.h"
#include "ui/look/theme.h"

namespace paper_picture_test {

using namespace kvantage;

namespace {

FigureResult result_with(FigurePlot::Kind kind) {
  FigureResult result = begin_figure("evicpress/fig8");
  FigurePlot plot{.kind = kind, .x = "rate 1/s", .y = {"TTFT s"}, .by = {"policy"}};
  if (kind == FigurePlot::Kind::cdf || kind == FigurePlot::Kind::histogram) plot.y.clear();
  if (kind == FigurePlot::Kind::heat_map) plot.y = {"policy", "TTFT s"};
  plot.published = {{"paper: about 0.2", nullptr, 0.15, 0.25}};
  result.tables = {{"TTFT by rate",
                    {"policy", "rate 1/s", "TTFT s", "low", "high"},
                    {{"lru", 4, 0.25, 0.2, 0.3}, {"lru", 8, 0.5, 0.4, 0.6}, {"evicpress", 4, 0.125, 0.1, 0.2}},
                    plot},
                   {"Numbers", {"a"}, {{1}}}};
  return result;
}

QByteArray bytes(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

}  // namespace

class PaperPictureTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;

 private slots:
  void cleanup() { set_font_percent(100); }
  void initTestCase() { apply_theme(*qobject_cast<QApplication*>(qApp), ThemeKind::dark); }

  void everyKindIsDrawnAtItsSize_data() {
    QTest::addColumn<int>("kind");
    QTest::addColumn<bool>("wide");
    using Kind = FigurePlot::Kind;
    for (const auto& [name, kind] : {std::pair{"lines", Kind::lines},
                                     {"scatter", Kind::scatter},
                                     {"cdf", Kind::cdf},
                                     {"bars", Kind::bars},
                                     {"histogram", Kind::histogram},
                                     {"heat map", Kind::heat_map}})
      for (const bool wide : {false, true})
        QTest::addRow("%s, %s", name, wide ? "two columns" : "one column") << static_cast<int>(kind) << wide;
  }
  void everyKindIsDrawnAtItsSize() {
    QFETCH(int, kind);
    QFETCH(bool, wide);
    const FigureResult result = result_with(static_cast<FigurePlot::Kind>(kind));
    const PaperWidth width = wide ? PaperWidth::two_columns : PaperWidth::one_column;
    const double mm = wide ? 178 : 85;
    QCOMPARE(paper_width_mm(width), mm);
    for (const char* ending : {"svg", "pdf", "png"})
      QVERIFY(save_paper_picture(result, 0, width, ending, folder_.filePath(QString("plot.") + ending)));

    const QString svg = QString::fromUtf8(bytes(folder_.filePath("plot.svg")));
    const auto size = QRegularExpression("<svg width=\"([0-9.]+)mm\" height=\"([0-9.]+)mm\"").match(svg);
    QVERIFY2(size.hasMatch(), qPrintable(svg.left(300)));
    QCOMPARE(size.captured(1).toDouble(), mm);
    const double high = size.captured(2).toDouble();
    QVERIFY2(high > 0.3 * mm && high < 1.5 * mm, qPrintable(size.captured(2)));
    QXmlStreamReader reader(svg);
    QString texts;
    while (!reader.atEnd())
      if (reader.readNext() == QXmlStreamReader::Characters) texts += reader.text();
    QVERIFY2(!reader.hasError(), qPrintable(reader.errorString()));
    QVERIFY2(texts.contains("rate (1/s)"), qPrintable(texts));  // text, not curves
    if (static_cast<FigurePlot::Kind>(kind) != FigurePlot::Kind::heat_map)
      QVERIFY2(texts.contains("paper: about 0.2"), qPrintable(texts));

    const QByteArray pdf = bytes(folder_.filePath("plot.pdf"));
    QVERIFY(pdf.startsWith("%PDF-") && pdf.contains("/FontFile"));
    const auto page = QRegularExpression("/MediaBox \\[ *0 +0 +([0-9.]+) +([0-9.]+)").match(QString::fromLatin1(pdf));
    QVERIFY(page.hasMatch());
    QVERIFY2(std::abs(page.captured(1).toDouble() - mm / 25.4 * 72) < 1, qPrintable(page.captured(1)));
    QVERIFY2(std::abs(page.captured(2).toDouble() - high / 25.4 * 72) < 1, qPrintable(page.captured(2)));

    const QImage png(folder_.filePath("plot.png"));
    QCOMPARE(png.width(), wide ? 2102 : 1004);  // 300 dots per inch
    QVERIFY(std::abs(png.height() - high / 25.4 * 300) <= 1);
    QVERIFY(std::abs(png.dotsPerMeterX() - 11811) <= 1);
  }

  // Though the window is dark here.
  void thePictureIsLightOnWhite() {
    const FigureResult result = result_with(FigurePlot::Kind::lines);
    QVERIFY(save_paper_picture(result, 0, PaperWidth::one_column, "png", folder_.filePath("light.png")));
    const QImage png(folder_.filePath("light.png"));
    int white = 0, all = 0, other = 0;
    for (int y = 0; y < png.height(); y += 5)
      for (int x = 0; x < png.width(); x += 5) {
        ++all;
        white += png.pixelColor(x, y) == QColor(Qt::white);
        other += png.pixelColor(x, y).lightness() < 200;
      }
    QVERIFY2(white > all * 0.75, qPrintable(QString("%1 of %2").arg(white).arg(all)));
    QVERIFY(other > 20);  // and something is drawn
    for (const QPoint corner : {QPoint(1, 1), QPoint(png.width() - 2, 1), QPoint(1, png.height() - 2)})
      QCOMPARE(png.pixelColor(corner), QColor(Qt::white));
  }

  void theTextIsAsLargeInAnyTextSizeOfTheWindow() {
    const FigureResult result = result_with(FigurePlot::Kind::lines);
    QStringList heights;
    std::vector<std::set<QString>> sizes;
    for (const int percent : {100, 200}) {
      set_font_percent(percent);
      QVERIFY(save_paper_picture(result, 0, PaperWidth::one_column, "svg", folder_.filePath("text.svg")));
      const QString svg = QString::fromUtf8(bytes(folder_.filePath("text.svg")));
      heights << QRegularExpression("<svg width=\"[0-9.]+mm\" height=\"([0-9.]+)mm\"").match(svg).captured(1);
      auto found = QRegularExpression("<text[^>]* font-size=\"([0-9.]+)\"").globalMatch(svg);
      sizes.emplace_back();
      while (found.hasNext()) sizes.back().insert(found.next().captured(1));
    }
    QVERIFY(sizes[0].size() >= 1 && !heights[0].isEmpty());
    QCOMPARE(sizes[1], sizes[0]);
    QCOMPARE(heights[1], heights[0]);
  }

  // Axis labels have the size that was asked for, whatever the window's, and all text has the family.
  void fontAndSizeAreThoseOfTheFormat() {
    const QString family = paper_font_families().value(0);
    QVERIFY2(!family.isEmpty(), "this machine has no font that scales");
    const FigureResult result = result_with(FigurePlot::Kind::bars);
    std::vector<std::set<double>> sizes;
    for (const int percent : {100, 160})
      for (const double points : {7.0, 11.0}) {
        set_font_percent(percent);
        const QString path = folder_.filePath("font.svg");
        QVERIFY(save_paper_picture(result, 0, PaperFormat{PaperWidth::one_column, {family, points}}, "svg", path));
        const QString svg = QString::fromUtf8(bytes(path));
        QVERIFY2(svg.contains("width=\"85mm\""), qPrintable(svg.left(300)));
        auto texts = QRegularExpression("<text[^>]* font-family=\"([^\"]*)\" font-size=\"([0-9.]+)\"").globalMatch(svg);
        std::set<double>& found = sizes.emplace_back();
        while (texts.hasNext()) {
          const QRegularExpressionMatch text = texts.next();
          QCOMPARE(text.captured(1), family);
          found.insert(text.captured(2).toDouble());
        }
        QVERIFY(!found.empty());
        // In pixels of 1/96 inch.
        QVERIFY2(std::ranges::any_of(found, [&](double pixels) { return std::abs(pixels - points * 96 / 72) < 0.05; }),
                 qPrintable(QStringLiteral("%1 pt: %2 px").arg(points).arg(*found.begin())));
      }
    QCOMPARE(sizes[2], sizes[0]);
    QCOMPARE(sizes[3], sizes[1]);
    QVERIFY(*std::ranges::max_element(sizes[0]) < *std::ranges::min_element(sizes[1]));
  }

  void aLongLegendIsShownInFull() {
    FigureResult result = result_with(FigurePlot::Kind::lines);
    for (int i = 0; i < 12; ++i)
      for (const int x : {1, 2})
        result.tables[0].rows.push_back({"policy number " + std::to_string(i), x, i + x, nullptr, nullptr});
    QVERIFY(save_paper_picture(result, 0, PaperWidth::one_column, "svg", folder_.filePath("legend.svg")));
    const QByteArray svg = bytes(folder_.filePath("legend.svg"));
    for (int i = 0; i < 12; ++i) QVERIFY2(svg.contains("policy number " + QByteArray::number(i)), qPrintable(svg));
  }

  void whatCannotBeWrittenIsRefused() {
    const FigureResult result = result_with(FigurePlot::Kind::lines);
    QVERIFY(!save_paper_picture(result, 0, PaperWidth::one_column, "svg", "/nowhere/at/all.svg"));
    QVERIFY(!save_paper_picture(result, 1, PaperWidth::one_column, "svg", folder_.filePath("none.svg")));
    QVERIFY(!save_paper_picture(result, 7, PaperWidth::one_column, "svg", folder_.filePath("none.svg")));
    QVERIFY(!QFile::exists(folder_.filePath("none.svg")));
  }
};

KV_TEST_MAIN(PaperPictureTest)

}  // namespace paper_picture_test

#include "paper_picture_test.moc"
