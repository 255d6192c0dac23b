// links: kv_reports
// Drawings of a figure's plots: no text overlaps another or leaves the drawing, whatever the table holds; what the
// paper reports has marks of its own.
#include "core/report/plots/figure_drawing.h"

#include <QtTest>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "core/report/chart_shapes.h"
#include "core/report/formats/drawing_formats.h"
#include "core/report/plots/figure_frame.h"
#include "tests/support/test_program.h"

namespace figure_drawing_test {

using namespace kvantage;

namespace {

using Kind = FigurePlot::Kind;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// A letter is at most 7.2 wide, in 12 units of height.
QRectF box_of(const Shape& text) {
  const double wide = 7.2 * static_cast<double>(QString::fromStdString(text.text).size());
  const double back = text.anchor == Shape::Anchor::end ? wide : text.anchor == Shape::Anchor::middle ? wide / 2 : 0;
  const Place at = text.places.front();
  return text.upwards ? QRectF(at.x - 9, at.y + back - wide, 11, wide) : QRectF(at.x - back, at.y - 9, wide, 11);
}

/// An empty text where all is well.
QString trouble_of(const Drawing& drawing) {
  const QRectF whole = QRectF(0, 0, drawing.width, drawing.height).adjusted(-0.01, -0.01, 0.01, 0.01);
  QList<std::pair<QRectF, QString>> texts;
  for (const Shape& shape : drawing.shapes) {
    for (const Place& place : shape.places)
      if (!std::isfinite(place.x) || !std::isfinite(place.y) || !whole.contains(place.x, place.y))
        return QString("outside: %1 at %2, %3").arg(QString::fromStdString(shape.text)).arg(place.x).arg(place.y);
    if (shape.kind != Shape::Kind::text) continue;
    const QRectF box = box_of(shape);
    const QString text = QString::fromStdString(shape.text);
    if (!whole.contains(box)) return QString("clipped: %1").arg(text);
    for (const auto& [other, name] : texts)
      if (box.intersects(other)) return QString("%1 overlaps %2").arg(text, name);
    texts.append({box, text});
  }
  return {};
}

QStringList texts_of(const Drawing& drawing) {
  QStringList texts;
  for (const Shape& shape : drawing.shapes)
    if (shape.kind == Shape::Kind::text) texts << QString::fromStdString(shape.text);
  return texts;
}

int count_of(const Drawing& drawing, const std::function<bool(const Shape&)>& match) {
  return static_cast<int>(std::ranges::count_if(drawing.shapes, match));
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

class FigureDrawingTest : public QObject {
  Q_OBJECT
 private slots:
  void noTextOverlapsOrIsClipped_data() {
    QTest::addColumn<QString>("input");
    for (const char* input :
         {"one row", "60 categories", "300 categories", "long names", "negative numbers", "equal values",
          "missing cells", "huge numbers", "small numbers", "far from zero", "other letters"})
      QTest::newRow(input) << QString(input);
  }
  void noTextOverlapsOrIsClipped() {
    QFETCH(QString, input);
    for (const Kind kind : kinds) {
      FigureTable table = table_of(kind, input.toStdString());
      QVERIFY(!table.rows.empty());
      for (const bool published : {false, true}) {
        if (published)
          table.plot->published = {{"paper: a point with a long label that says where it is from", 1, 2, 2},
                                   {"paper: a bar", "n3", 1, 5},
                                   {"paper: a span", nullptr, -1, 2}};
        const Drawing drawing = figure_drawing(table);
        const QString where = QString("%1, kind %2: ").arg(input).arg(static_cast<int>(kind));
        QVERIFY2(!drawing.shapes.empty() && drawing.width > 0 && drawing.height > 0, qPrintable(where));
        const QString trouble = trouble_of(drawing);
        QVERIFY2(trouble.isEmpty(), qPrintable(where + trouble));
        QVERIFY2(texts_of(drawing).contains(QString::fromStdString(table.plot->x)), qPrintable(where));
        QVERIFY(formats::to_svg_file(drawing).find("nan") == std::string::npos);
      }
    }
  }

  void nothingToDrawGivesNoShapes() {
    for (const Kind kind : kinds) {
      QVERIFY(figure_drawing(table_of(kind, "no such")).shapes.empty());
      FigureTable table = table_of(kind, "one row");
      table.plot->x.clear();
      table.plot->y.clear();
      QVERIFY(figure_drawing(table).shapes.empty());
    }
    FigureTable table = table_of(Kind::lines, "one row");
    table.plot.reset();
    QVERIFY(figure_drawing(table).shapes.empty());
  }

  void marksOfThePaperAreTheirOwn() {
    FigureTable table = table_of(Kind::scatter, "negative numbers");
    table.plot->published = {
        {"paper: point", -50, 1, 1}, {"paper: point", -20, 2, 2}, {"paper: bar", -30, 0, 4}, {"paper: span", {}, 3, 5}};
    const Drawing drawing = figure_drawing(table);
    const auto at = [](const Shape& shape, const char* text) { return shape.text == text; };
    QCOMPARE(count_of(drawing, [&](const Shape& s) { return s.hollow && at(s, "paper: point: 1"); }), 1);
    QCOMPARE(count_of(drawing, [&](const Shape& s) { return s.hollow && at(s, "paper: point: 2"); }), 1);
    QCOMPARE(count_of(drawing, [&](const Shape& s) { return s.thin && at(s, "paper: bar: 0 to 4"); }), 1);
    QCOMPARE(count_of(drawing, [&](const Shape& s) { return s.pale && at(s, "paper: span: 3 to 5"); }), 1);
    for (const char* label : {"paper: point", "paper: bar", "paper: span"})  // a legend row for each label
      QCOMPARE(texts_of(drawing).count(label), 1);
    const std::string svg = formats::to_svg_file(drawing);
    QVERIFY(svg.find("fill:none;stroke-width:1.6") != std::string::npos &&
            svg.find("fill-opacity:0.18") != std::string::npos);
  }

  void aMarkOfAGroupHasItsColorAndItsBar() {
    FigureTable table{"bars",
                      {"model", "policy", "TTFT s"},
                      {{"qwen", "lru", 2}, {"qwen", "evicpress", 1}, {"gemma", "lru", 4}, {"gemma", "evicpress", 3}},
                      FigurePlot{.kind = Kind::bars, .x = "model", .y = {"TTFT s"}, .by = {"policy"}}};
    table.plot->published = {{"paper: evicpress", "gemma", 2, 2}, {"paper", "qwen", 1.5, 1.5}};
    const Drawing drawing = figure_drawing(table);
    const auto find = [&](const std::string& text) { return *std::ranges::find(drawing.shapes, text, &Shape::text); };
    const Shape bar = find("evicpress: model gemma, TTFT s 3"), mark = find("paper: evicpress: 2"),
                other = find("paper: 1.5");
    QCOMPARE(mark.series, bar.series);
    QCOMPARE(other.series, published_series);
    QVERIFY(std::abs(mark.places[0].x - (bar.places[0].x + bar.places[1].x) / 2) < 1e-9);
    // Heights in proportion: a third of 3 is 1.
    const Shape low = find("evicpress: model qwen, TTFT s 1");
    const double high = bar.places[1].y - bar.places[0].y;
    QVERIFY(std::abs((low.places[1].y - low.places[0].y) * 3 - high) < 1e-9);
    QVERIFY(find("lru: model qwen, TTFT s 2").series != bar.series);
    QVERIFY(bar.places[0].x > find("lru: model gemma, TTFT s 4").places[0].x);
  }

  void linesHaveBandsOnlyWithManyPoints() {
    FigureTable table = table_of(Kind::lines, "negative numbers");
    for (auto& row : table.rows) row[2] = -row[2].get<double>();
    QCOMPARE(count_of(figure_drawing(table), [](const Shape& s) { return s.pale; }), 1);  // 9 points
    table.rows.resize(8);
    const Drawing few = figure_drawing(table);
    QCOMPARE(count_of(few, [](const Shape& s) { return s.pale; }), 0);
    const auto vertical = [](const Shape& s) {
      return s.kind == Shape::Kind::line && s.series == 0 && s.places[0].x == s.places[1].x;
    };
    QCOMPARE(count_of(few, vertical), 8);
    QCOMPARE(count_of(few, [](const Shape& s) { return s.kind == Shape::Kind::circle && !s.text.empty(); }), 8);
  }

  void stepsAreLevelOrUpright() {
    const FigureTable table = table_of(Kind::cdf, "60 categories");
    const Drawing drawing = figure_drawing(table);
    int curves = 0;
    for (const Shape& shape : drawing.shapes) {
      if (shape.kind != Shape::Kind::polyline) continue;
      ++curves;
      QCOMPARE(shape.places.size(), std::size_t{61});  // 30 steps, from 0 to the end of the axis
      for (std::size_t i = 1; i < shape.places.size(); ++i)
        QVERIFY((shape.places[i].x == shape.places[i - 1].x) != (shape.places[i].y == shape.places[i - 1].y));
    }
    QCOMPARE(curves, 2);
    QVERIFY(texts_of(drawing).contains("cumulative share"));
  }

  void cellsAreOrderedByBrightness() {
    FigureTable table{"cells",
                      {"removed", "context", "drop"},
                      {{0.1, "a", 0.0}, {0.5, "a", 0.5}, {0.9, "a", 1.0}, {0.1, "b", nullptr}},
                      FigurePlot{.kind = Kind::heat_map, .x = "removed", .y = {"context", "drop"}}};
    const Drawing drawing = figure_drawing(table);
    const auto find = [&](const std::string& text) { return *std::ranges::find(drawing.shapes, text, &Shape::text); };
    QCOMPARE(find("a, 0.1: 0").level, 0.0);
    QCOMPARE(find("a, 0.5: 0.5").level, 0.5);
    QCOMPARE(find("a, 0.9: 1").level, 1.0);
    QVERIFY(find("b, 0.1: no value").hollow && find("b, 0.1: no value").level < 0);
    QVERIFY(find("a, 0.1: 0").places[0].y < find("b, 0.1: no value").places[0].y);  // rows from the top
    const auto sum = [](std::uint32_t color) { return (color >> 16) + (color >> 8 & 0xff) + (color & 0xff); };
    for (int i = 1; i <= 10; ++i) QVERIFY(sum(level_color(0.1 * i)) < sum(level_color(0.1 * (i - 1))));
    QCOMPARE(texts_of(drawing).count("0.5"), 2);  // the column and its number
    QVERIFY(texts_of(drawing).contains("drop: 0 to 1"));
    QVERIFY(formats::to_svg_file(drawing).find("fill:#4f9bd0") != std::string::npos);
  }

  void longNamesAreShortened() {
    QCOMPARE(chart_text_within("short", 100), std::string("short"));
    QCOMPARE(chart_text_within("a name", 7.2 * 6), std::string("a name"));
    QCOMPARE(chart_text_within("a name", 7.2 * 5), std::string("a na\u2026"));
    QCOMPARE(chart_text_within("gr\u00f6\u00dfer", 7.2 * 5), std::string("gr\u00f6\u00df\u2026"));  // whole letters
    QCOMPARE(chart_text_within("\u4e0a\u4e0b\u6587", 7.2 * 5), std::string("\u4e0a\u4e0b\u2026"));  // wide ones
    QCOMPARE(chart_text_width("\u4e0a\u4e0b"), 4 * 7.2);
    const FigureTable table = table_of(Kind::bars, "long names");
    const Drawing drawing = figure_drawing(table);
    int upright = 0, shortened = 0;
    for (const Shape& shape : drawing.shapes) {
      if (shape.kind != Shape::Kind::text) continue;
      upright += shape.upwards ? 1 : 0;
      shortened += shape.text.ends_with("\u2026") ? 1 : 0;
    }
    QCOMPARE(upright, 12 + 1);    // every category and the title of the axis
    QCOMPARE(shortened, 12 + 3);  // and the groups in the legend
  }

  void grayIsLeftToThePaper() {
    for (std::size_t group = 0; group < 40; ++group) {
      QVERIFY(group_series(group) % static_cast<int>(series_colors.size()) != published_series);
      if (group > 0) QVERIFY(group_series(group) > group_series(group - 1));
    }
    QCOMPARE(group_series(5), 5);
    QCOMPARE(group_series(6), 7);
  }

  // One that all points share would only hide them.
  void aLabelOfAllPointsIsNotDrawn() {
    const auto texts_with = [](double other) {
      const FigureTable table{
          "t",
          {"policy", "budget %", "x", "y"},
          {{"lru", 8, 1, 2}, {"gdsf", other, 3, 4}},
          FigurePlot{.kind = FigurePlot::Kind::scatter, .x = "x", .y = {"y"}, .by = {"policy", "budget %"}}};
      return texts_of(figure_drawing(table));
    };
    QCOMPARE(texts_with(8).count("8 %"), 0);
    QCOMPARE(texts_with(20).count("8 %"), 1);
    QCOMPARE(texts_with(20).count("20 %"), 1);
  }
  void labelsOfPointsAreBesideThem() {
    FigureTable table{"points",
                      {"method", "bits", "x", "y"},
                      {{"kivi", "8 bits", 1, 1}, {"kivi", "4 bits", 2, 3}, {"h2o", "20 %", 4, 2}},
                      FigurePlot{.kind = Kind::scatter, .x = "x", .y = {"y"}, .by = {"method", "bits"}}};
    const QStringList texts = texts_of(figure_drawing(table));
    for (const char* label : {"8 bits", "4 bits", "20 %", "kivi", "h2o"}) QCOMPARE(texts.count(label), 1);
    for (int i = 0; i < 50; ++i) table.rows.push_back({"kivi", "at the same place", 3, 3});
    const Drawing crowded = figure_drawing(table);
    QVERIFY2(trouble_of(crowded).isEmpty(), qPrintable(trouble_of(crowded)));
    const auto kept = texts_of(crowded).count("at the same place");
    QVERIFY(kept >= 1 && kept < 10);  // the others are in the marks' descriptions
  }
};

KV_TEST_APPLESS_MAIN(FigureDrawingTest)

}  // namespace figure_drawing_test

#include "figure_drawing_test.moc"
