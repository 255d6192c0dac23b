// links: kv_ui
// Texts of a plot's picture: none overlaps another or leaves the picture, whatever the table holds.
#include <QFontMetricsF>
#include <QTemporaryDir>
#include <QTest>
#include <QTransform>
#include <QXmlStreamReader>
#include <cmath>
#include <limits>

#include "core/base/files.h"
#include "core/experiments/paper_figures.h"
#include "core/experiments/worked_example.h"
#include "tests/support/test_program.h"
#include "ui/papers/charts/paper_picture.h"

namespace paper_picture_texts_test {

using namespace kvantage;

namespace {

using Kind = FigurePlot::Kind;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct PlacedText {
  QRectF box;
  QString text;
};

struct ReadPicture {
  QSizeF size;
  QList<PlacedText> texts;
  QString error;
};

QTransform transform_of(const QString& text) {
  const QStringList numbers = text.mid(text.indexOf('(') + 1).chopped(1).split(',');
  if (!text.startsWith("matrix(") || numbers.size() != 6) return {};
  const auto at = [&](int i) { return numbers[i].toDouble(); };
  return {at(0), at(1), at(2), at(3), at(4), at(5)};
}

/// Letters are as high as capitals with what is below the line; where each begins and ends is by the font.
ReadPicture read(const QString& path) {
  ReadPicture picture;
  QXmlStreamReader reader(QByteArray::fromStdString(read_text_file(path.toStdString()).value_or("")));
  QList<QTransform> transforms{QTransform()};
  QString family;
  double size = 0;
  QPointF at;
  bool in_text = false;
  while (!reader.atEnd()) {
    reader.readNext();
    if (reader.isStartElement()) {
      const auto attributes = reader.attributes();
      if (reader.name() == u"svg") {
        const QStringList box = attributes.value("viewBox").toString().split(' ');
        picture.size = QSizeF(box.value(2).toDouble(), box.value(3).toDouble());
      }
      transforms << transform_of(attributes.value("transform").toString()) * transforms.back();
      in_text = reader.name() == u"text";
      if (in_text) {
        at = {attributes.value("x").toDouble(), attributes.value("y").toDouble()};
        family = attributes.value("font-family").toString();
        size = attributes.value("font-size").toDouble();
      }
    } else if (reader.isEndElement()) {
      transforms.removeLast();
      in_text = false;
    } else if (reader.isCharacters() && in_text && !reader.isWhitespace()) {
      QFont font(family);
      font.setPixelSize(100);
      const QString text = reader.text().toString();
      const double wide = QFontMetricsF(font).horizontalAdvance(text) * size / 100;
      picture.texts.append({transforms.back().mapRect(QRectF(at.x(), at.y() - 0.73 * size, wide, 0.92 * size)), text});
    }
  }
  if (reader.hasError()) picture.error = reader.errorString();
  return picture;
}

/// An empty text where all is well.
QString trouble_of(const ReadPicture& picture) {
  if (!picture.error.isEmpty()) return picture.error;
  const QRectF whole = QRectF(QPointF(), picture.size).adjusted(-1, -1, 1, 1);
  for (qsizetype i = 0; i < picture.texts.size(); ++i) {
    const PlacedText& one = picture.texts[i];
    if (!whole.contains(one.box)) return "clipped: " + one.text;
    for (qsizetype j = 0; j < i; ++j)
      if (one.box.adjusted(1, 1, -1, -1).intersects(picture.texts[j].box))
        return one.text + " overlaps " + picture.texts[j].text;
  }
  return {};
}

/// A plot of any kind over a table of names, two numbers with intervals, and their ends.
FigurePlot plot_of(Kind kind) {
  switch (kind) {
    case Kind::cdf:
    case Kind::histogram:
      return {.kind = kind, .x = "a", .y = {}, .by = {"group"}};
    case Kind::bars:
      return {.kind = kind, .x = "name", .y = {"b"}, .by = {"group"}};
    case Kind::heat_map:
      return {.kind = kind, .x = "name", .y = {"group", "b"}};
    case Kind::spans:
      return {.kind = kind, .x = "a title of the time axis", .y = {"name", "a", "b"}, .by = {"group", "group"}};
    case Kind::scatter:
      return {.kind = kind, .x = "a", .y = {"b"}, .by = {"group", "name"}};
    case Kind::lines:
      break;
  }
  return {.kind = kind, .x = "a", .y = {"b"}, .by = {"group"}};
}

std::vector<std::vector<Json>> rows_of(const std::string& input) {
  std::vector<std::vector<Json>> rows;
  const auto add = [&rows](const std::string& name, const std::string& group, Json a, Json b, Json low, Json high) {
    rows.push_back({name, group, std::move(a), std::move(b), std::move(low), std::move(high)});
  };
  const std::string name = "a name of a category that is far longer than any room that an axis could have for it";
  if (input == "one row") add("only", "g", 3, 4, 3.5, 4.5);
  for (int i = 0; input == "60 categories" && i < 60; ++i)
    add("category " + std::to_string(i), i % 2 == 0 ? "even" : "odd", i, i * 0.5, i * 0.4, i * 0.6);
  for (int i = 0; input == "300 categories" && i < 300; ++i)
    add("category " + std::to_string(i), "g " + std::to_string(i % 7), i, i % 11, nullptr, nullptr);
  for (int i = 0; input == "long names" && i < 12; ++i)
    add(std::to_string(i) + name, name + std::to_string(i % 3) + name, i, 2 * i, nullptr, nullptr);
  for (int i = 0; input == "negative numbers" && i < 9; ++i)
    add("n" + std::to_string(i), "g", -10.5 * i, -3 + i, -4 + i, -2 + i);
  for (int i = 0; input == "equal values" && i < 9; ++i) add("n" + std::to_string(i), "g", 7, 7, 7, 7);
  for (int i = 0; input == "missing cells" && i < 9; ++i)
    add("n" + std::to_string(i), "g", i % 2 == 0 ? Json(i) : Json(nullptr), i % 3 == 0 ? Json(i) : Json(nan), nan, 1);
  for (int i = 0; input == "huge numbers" && i < 9; ++i)
    add("n" + std::to_string(i), "g", 1e12 * i, -3e15 * i * i, -4e15 * i * i, 1e9);
  for (int i = 0; input == "small numbers" && i < 9; ++i)
    add("n" + std::to_string(i), "g", 1e-12 * i, 3e-15 * i, 0, 4e-15 * i);
  for (int i = 0; input == "far from zero" && i < 9; ++i)
    add("n" + std::to_string(i), "g", 1e9 + i, 1e9 + 2 * i, 1e9, 1e9 + 20);
  for (int i = 0; input == "other letters" && i < 9; ++i)
    add("上下文" + std::to_string(i), "größe µs", i, i * i, nullptr, nullptr);
  return rows;
}

FigureTable table_of(Kind kind, const std::string& input) {
  return {"A table", {"name", "group", "a", "b", "low", "high"}, rows_of(input), plot_of(kind)};
}

const std::vector<Kind> kinds{Kind::lines,     Kind::scatter,  Kind::cdf,  Kind::bars,
                              Kind::histogram, Kind::heat_map, Kind::spans};

}  // namespace

class PaperPictureTextsTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;

 private slots:
  // A name is what its bar is read by: of up to 16 letters all of it is there, whatever the width of the picture.
  void namesOfSixteenLettersAreWhole_data() {
    QTest::addColumn<int>("kind");
    QTest::addColumn<int>("count");
    QTest::addColumn<bool>("wide");
    for (const Kind kind : {Kind::bars, Kind::heat_map})
      for (const int count : {2, 3, 4, 8})
        for (const bool wide : {false, true})
          QTest::addRow("%d, %d names, %s", static_cast<int>(kind), count, wide ? "two columns" : "one column")
              << static_cast<int>(kind) << count << wide;
  }
  void namesOfSixteenLettersAreWhole() {
    QFETCH(int, kind);
    QFETCH(int, count);
    QFETCH(bool, wide);
    const QStringList names{
        "compression only", "eviction only", "abcdefghijklmnop", "both together", "prefill, 3 % off",
        "streaming_llm(8)", "knorm",         "one two three"};
    FigureResult result = begin_figure("evicpress/fig8");
    FigureTable table{"Names", {"name", "group", "a", "b", "low", "high"}, {}, plot_of(static_cast<Kind>(kind))};
    for (int i = 0; i < count; ++i) table.rows.push_back({names[i].toStdString(), "g", i, i + 1, nullptr, nullptr});
    result.tables = {std::move(table)};
    const QString path = folder_.filePath("names.svg");
    QVERIFY(save_paper_picture(result, 0, wide ? PaperWidth::two_columns : PaperWidth::one_column, "svg", path));
    const ReadPicture picture = read(path);
    const QString trouble = trouble_of(picture);
    QVERIFY2(trouble.isEmpty(), qPrintable(trouble));
    QStringList texts;
    for (const PlacedText& one : picture.texts) texts << one.text;
    for (const QString& text : texts)
      QVERIFY2(!text.contains(QChar(0x2026)) && !text.contains("..."), qPrintable(texts.join(" | ")));
    for (int i = 0; i < count; ++i)  // in one line or in two
      QVERIFY2(texts.join(' ').contains(names[i]), qPrintable(names[i] + " is not in: " + texts.join(" | ")));
  }
  void theWorkedExampleHasItsNames() {
    const FigureResult result = figure_worked_example(*find_paper_figure("evicpress/fig2"));
    const QString path = folder_.filePath("fig2.svg");
    QVERIFY(save_paper_picture(result, 0, PaperWidth::one_column, "svg", path));
    QStringList texts;
    for (const PlacedText& one : read(path).texts) texts << one.text;
    for (const char* name : {"compression only", "eviction only", "both together"})
      QVERIFY2(texts.join(' ').contains(name), qPrintable(texts.join(" | ")));
  }

  void noTextOverlapsOrIsClipped_data() {
    QTest::addColumn<QString>("input");
    QTest::addColumn<int>("kind");
    QTest::addColumn<bool>("wide");
    for (const char* input :
         {"one row", "60 categories", "300 categories", "long names", "negative numbers", "equal values",
          "missing cells", "huge numbers", "small numbers", "far from zero", "other letters"})
      for (const Kind kind : kinds)
        for (const bool wide : {false, true})
          if (wide || kind != Kind::heat_map || std::string(input) != "300 categories")  // below a pixel each
            QTest::addRow("%s, %d, %s", input, static_cast<int>(kind), wide ? "two columns" : "one column")
                << QString(input) << static_cast<int>(kind) << wide;
  }
  void noTextOverlapsOrIsClipped() {
    QFETCH(QString, input);
    QFETCH(int, kind);
    QFETCH(bool, wide);
    FigureResult result = begin_figure("evicpress/fig8");
    result.tables = {table_of(static_cast<Kind>(kind), input.toStdString())};
    FigureTable& table = result.tables.front();
    QVERIFY(!table.rows.empty());
    for (const bool published : {false, true}) {
      if (published)
        table.plot->published = {{"paper: a point with a long label that says where it is from", 1, 2, 2},
                                 {"paper: a bar", "n3", 1, 5},
                                 {"paper: a span", nullptr, -1, 2}};
      const QString path = folder_.filePath("plot.svg");
      QVERIFY(save_paper_picture(result, 0, wide ? PaperWidth::two_columns : PaperWidth::one_column, "svg", path));
      const ReadPicture picture = read(path);
      const QString trouble = trouble_of(picture);
      QVERIFY2(trouble.isEmpty(), qPrintable(trouble));
      QVERIFY(!picture.texts.isEmpty() && picture.size.width() > 0);
    }
  }
};

KV_TEST_MAIN(PaperPictureTextsTest)

}  // namespace paper_picture_texts_test

#include "paper_picture_texts_test.moc"
