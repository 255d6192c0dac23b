// links: kv_reports
// The kinds of plots of a figure's table: what is read from a file, what is refused and why, and what a table turns
// into before it is drawn.
#include "core/report/figure_plot.h"

#include <QtTest>
#include <limits>

#include "core/report/plots/plotted_bars.h"
#include "core/report/plots/plotted_marks.h"
#include "core/report/plots/plotted_points.h"
#include "tests/support/test_program.h"

namespace figure_plot_test {

using namespace kvantage;

namespace {

using Kind = FigurePlot::Kind;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

FigureTable points_table() {
  FigureTable table{"points",
                    {"method", "bits", "TTFT s", "low", "high", "quality", "low", "high"},
                    {{"kivi", 8, 0.5, 0.4, 0.6, 0.9, 0.8, 1.0},
                     {"kivi", 4, 0.25, nullptr, nullptr, 0.7, 0.6, 0.8},
                     {"h2o", 8, 0.125, 0.1, 0.2, nullptr, nullptr, nullptr},
                     {"h2o", 4, 0.125, 0.1, 0.2, 0.5, nan, 0.6},
                     {"h2o", 2, "none", 0.1, 0.2, 0.5, 0.4, 0.6}}};
  table.plot = FigurePlot{.kind = Kind::scatter, .x = "TTFT s", .y = {"quality"}, .by = {"method", "bits"}};
  return table;
}

FigureTable numbers_table(const std::vector<double>& numbers) {
  FigureTable table{"numbers", {"family", "drop"}, {}, FigurePlot{.kind = Kind::histogram, .x = "drop", .y = {}}};
  table.rows.reserve(numbers.size());
  for (const double number : numbers) table.rows.push_back({"news", number});
  return table;
}

}  // namespace

class FigurePlotTest : public QObject {
  Q_OBJECT
 private slots:
  void everyKindIsReadBackAsItWasWritten_data() {
    QTest::addColumn<int>("kind");
    QTest::addColumn<int>("columns");
    QTest::newRow("lines") << static_cast<int>(Kind::lines) << 2;
    QTest::newRow("scatter") << static_cast<int>(Kind::scatter) << 1;
    QTest::newRow("cdf") << static_cast<int>(Kind::cdf) << 0;
    QTest::newRow("bars") << static_cast<int>(Kind::bars) << 2;
    QTest::newRow("histogram") << static_cast<int>(Kind::histogram) << 0;
    QTest::newRow("heat_map") << static_cast<int>(Kind::heat_map) << 2;
    QTest::newRow("spans") << static_cast<int>(Kind::spans) << 3;
  }
  void everyKindIsReadBackAsItWasWritten() {
    QFETCH(int, kind);
    QFETCH(int, columns);
    const FigureTable table{"t", {"a", "b", "c"}, {}};
    FigurePlot plot{.kind = static_cast<Kind>(kind), .x = "a", .y = {}, .y_title = "title", .by = {"c"}};
    for (int y = 0; y < columns; ++y) plot.y.push_back(table.columns[static_cast<std::size_t>(y)]);
    plot.published = {
        {"paper: number", 4.5, 0.25, 0.25}, {"paper: text", "kivi", -1, 2}, {"paper: axis", nullptr, 1, 3}};
    plot.band = "range over seeds";
    const Json json = to_json(plot);
    QCOMPARE(QString::fromStdString(json["kind"].get<std::string>()), QString(QTest::currentDataTag()));
    const auto back = figure_plot_from_json(json, table, "x");
    QVERIFY2(back, back ? "" : back.error().message.c_str());
    QVERIFY(to_json(*back) == json);
    QCOMPARE(back->band, plot.band);
    QVERIFY(back->published[0].at == Json(4.5) && back->published[1].at == Json("kivi") &&
            back->published[2].at.is_null());
    QCOMPARE(back->published[1].low, -1.0);
    QCOMPARE(back->published[1].high, 2.0);
  }

  // Files hold neither `published` nor the fields that came before it.
  void oldFilesStillLoad() {
    const FigureTable table{"t", {"a", "b"}, {}};
    const auto plot = figure_plot_from_json({{"kind", "lines"}, {"x", "a"}, {"y", {"b"}}}, table, "x");
    QVERIFY(plot && plot->published.empty() && plot->by.empty() && plot->y_title.empty() && plot->band.empty());
    QVERIFY(!to_json(*plot).contains("published") && !to_json(*plot).contains("band"));
  }

  // Of two points or more, each with both ends; intervals are bars there.
  void aNamedBandNeedsNoManyPoints() {
    const FigurePlot intervals{}, band{.x = "x", .band = "range over seeds"};
    PlottedLine line{.name = "lru", .column = 0, .values = {}, .points = {{1, 2, Interval{1, 3}}}};
    QVERIFY(!has_band(band, line));
    line.points.push_back({2, 3, Interval{2, 4}});
    QVERIFY(has_band(band, line) && !has_band(intervals, line));
    line.points.push_back({3, 4, std::nullopt});
    QVERIFY(!has_band(band, line));
    line.points.back().interval = Interval{4, 4};
    QVERIFY(has_band(band, line));
    for (int i = 4; i <= 9; ++i) line.points.push_back({static_cast<double>(i), 1, Interval{0, 1}});
    QVERIFY(has_band(intervals, line));
  }

  void whatCannotBeDrawnIsRefused_data() {
    QTest::addColumn<QByteArray>("json");
    QTest::addColumn<QByteArray>("part");
    const auto row = [](const char* name, const char* json, const char* part) {
      QTest::newRow(name) << QByteArray(json) << QByteArray(part);
    };
    row("kind", R"({"kind":"pie","x":"a","y":["b"]})", "x: kind");
    row("cdf with y", R"({"kind":"cdf","x":"a","y":["b"]})", "y: has 1 columns, cdf needs none");
    row("histogram with y", R"({"kind":"histogram","x":"a","y":["b"]})", "histogram needs none");
    row("heat map with one y", R"({"kind":"heat_map","x":"a","y":["b"]})", "heat_map needs 2");
    row("bars without y", R"({"kind":"bars","x":"a","y":[]})", "bars need 1 or more");
    row("scatter without y", R"({"kind":"scatter","x":"a","y":[]})", "scatter needs 1 or more");
    row("x", R"({"kind":"cdf","x":"z","y":[]})", "x: the table has no column 'z'");
    row("by", R"({"kind":"bars","x":"a","y":["b"],"by":["z"]})", "by: the table has no column 'z'");
    row("low", R"({"kind":"cdf","x":"a","y":[],"published":[{"label":"p","at":1,"low":null,"high":1}]})",
        "published/0: low: is not a finite number");
    row("high", R"({"kind":"cdf","x":"a","y":[],"published":[{"label":"p","at":1,"low":1,"high":null}]})",
        "published/0: high: is not a finite number");
    row("order", R"({"kind":"cdf","x":"a","y":[],"published":[{"label":"p","low":2,"high":1}]})",
        "published/0: low: is above high");
    row("at", R"({"kind":"cdf","x":"a","y":[],"published":[{"label":"p","at":[1],"low":1,"high":1}]})",
        "published/0: at: is array, not a number, a text or null");
    row("a mark without a label", R"({"kind":"cdf","x":"a","y":[],"published":[{"at":1,"low":1,"high":1}]})", "label");
  }
  void whatCannotBeDrawnIsRefused() {
    QFETCH(QByteArray, json);
    QFETCH(QByteArray, part);
    const auto plot = figure_plot_from_json(Json::parse(json.toStdString()), {"t", {"a", "b"}, {}}, "x");
    QVERIFY(!plot);
    QVERIFY2(
        plot.error().message.starts_with("x") && plot.error().message.find(part.toStdString()) != std::string::npos,
        plot.error().message.c_str());
    QVERIFY2(plot.error().message.find(';') != std::string::npos, plot.error().message.c_str());  // how to fix it
  }

  void pointsAreGroupedAndLabeled() {
    FigureTable table = points_table();
    auto clouds = plotted_clouds(table);
    QCOMPARE(clouds.size(), std::size_t{2});
    QCOMPARE(clouds[0].name, std::string("kivi"));
    QCOMPARE(clouds[0].values, std::vector<std::string>{"kivi"});
    QCOMPARE(clouds[0].points.size(), std::size_t{2});
    QCOMPARE(clouds[0].points[0].label, std::string("8"));
    QCOMPARE(clouds[0].points[0].x_interval->low, 0.4);
    QCOMPARE(clouds[0].points[0].y_interval->high, 1.0);
    QVERIFY(!clouds[0].points[1].x_interval && clouds[0].points[1].y_interval);
    QCOMPARE(clouds[1].points.size(), std::size_t{1});  // the others have no number in x or y
    QVERIFY(!clouds[1].points[0].y_interval);           // half of an interval is none
    const auto bits = std::ranges::find(table.columns, table.plot->by.back());
    QVERIFY(bits != table.columns.end());
    *bits = table.plot->by.back() = "removed %";
    QCOMPARE(plotted_clouds(table)[0].points[0].label, std::string("8 %"));  // with the unit of its column
    table.plot->by = {"method"};
    clouds = plotted_clouds(table);
    QCOMPARE(clouds[1].name, std::string("h2o"));
    QCOMPARE(clouds[1].points[0].label, std::string("h2o"));
    table.plot->by = {};
    QCOMPARE(plotted_clouds(table).size(), std::size_t{1});
    QCOMPARE(plotted_clouds(table)[0].name, std::string("quality"));
    table.plot->y = {"quality", "TTFT s"};
    QCOMPARE(plotted_clouds(table)[1].column, std::size_t{1});
    table.plot->kind = Kind::lines;
    QVERIFY(plotted_clouds(table).empty());
  }

  void sharesRiseToOne() {
    FigureTable table{"drops",
                      {"family", "drop"},
                      {{"news", 0.5},
                       {"story", 2},
                       {"news", 0.25},
                       {"news", 0.5},
                       {"news", nullptr},
                       {"news", 4},
                       {"news", nan},
                       {"story", -1}}};
    QVERIFY(plotted_curves(table).empty());
    table.plot = FigurePlot{.kind = Kind::cdf, .x = "drop", .y = {}, .by = {"family"}};
    const auto curves = plotted_curves(table);
    QCOMPARE(curves.size(), std::size_t{2});
    QCOMPARE(curves[0].name, std::string("news"));
    QCOMPARE(curves[0].values, std::vector<std::string>{"news"});
    const std::vector<std::pair<double, double>> steps{{0.25, 0.25}, {0.5, 0.75}, {4, 1}};
    QCOMPARE(curves[0].points.size(), steps.size());
    for (std::size_t i = 0; i < steps.size(); ++i)
      QVERIFY(curves[0].points[i].x == steps[i].first && curves[0].points[i].y == steps[i].second);
    QCOMPARE(curves[1].points[0].x, -1.0);
    QCOMPARE(curves[1].points[0].y, 0.5);
    QCOMPARE(curves[1].points[1].y, 1.0);
    table.plot->by = {};
    QCOMPARE(plotted_curves(table)[0].name, std::string("drop"));
    QCOMPARE(plotted_curves(table)[0].points.back().y, 1.0);
  }

  void barsAreSideBySideInOrderOfAppearance() {
    FigureTable table{"bars",
                      {"model", "policy", "TTFT s", "low", "high", "quality"},
                      {{"qwen", "lru", 2, 1.5, 2.5, 0.5},
                       {"gemma", "lru", 3, nullptr, nullptr, 0.25},
                       {"qwen", "evicpress", 1, 0.5, 1.5, 0.75},
                       {"llama", "evicpress", nan, 0, 1, 1},
                       {nullptr, "lru", 9, 8, 10, 1},
                       {"qwen", "lru", 4, 3, 5, 0.125}}};
    QVERIFY(plotted_bars(table).categories.empty());
    table.plot = FigurePlot{.kind = Kind::bars, .x = "model", .y = {"TTFT s"}, .by = {"policy"}};
    auto bars = plotted_bars(table);
    QCOMPARE(bars.categories, (std::vector<std::string>{"qwen", "gemma"}));
    QCOMPARE(bars.groups.size(), std::size_t{2});
    QCOMPARE(bars.groups[0].name, std::string("lru"));
    QCOMPARE(bars.groups[0].bars[0]->value, 4.0);  // the last row of this bar
    QCOMPARE(bars.groups[0].bars[0]->interval->low, 3.0);
    QVERIFY(bars.groups[0].bars[1] && !bars.groups[0].bars[1]->interval);
    QCOMPARE(bars.groups[1].bars.size(), std::size_t{2});
    QVERIFY(bars.groups[1].bars[0] && !bars.groups[1].bars[1]);
    table.plot->y = {"TTFT s", "quality"};
    bars = plotted_bars(table);
    QCOMPARE(bars.groups.size(), std::size_t{4});
    QCOMPARE(bars.groups[2].name, std::string("quality, lru"));
    QCOMPARE(bars.groups[2].column, std::size_t{1});
    QCOMPARE(bars.categories, (std::vector<std::string>{"qwen", "gemma", "llama"}));
    QCOMPARE(bars.groups[0].bars.size(), std::size_t{3});
  }

  // Edges and counts computed apart, percentiles of type 7: IQR 1.75, width 2 * 1.75 / 10^(1/3) = 1.6246.
  void binsAreThoseOfFreedmanAndDiaconis() {
    FigureTable table = numbers_table({1, 2, 2, 3, 3, 3, 4, 4, 5, 9});
    auto bins = plotted_bins(table);
    QCOMPARE(bins.edges, (std::vector<double>{1, 2.6, 4.2, 5.8, 7.4, 9}));
    QCOMPARE(bins.groups[0].counts, (std::vector<std::size_t>{3, 5, 1, 0, 1}));
    table.rows[0][0] = "story";  // groups share their bins
    table.plot->by = {"family"};
    bins = plotted_bins(table);
    QCOMPARE(bins.edges.size(), std::size_t{6});
    QCOMPARE(bins.groups[0].name, std::string("story"));
    QCOMPARE(bins.groups[0].counts, (std::vector<std::size_t>{1, 0, 0, 0, 0}));
    QCOMPARE(bins.groups[1].counts, (std::vector<std::size_t>{2, 5, 1, 0, 1}));
  }

  void binsAreNeitherTooFewNorTooMany() {
    std::vector<double> far;  // one outlier: more bins than can be drawn
    far.reserve(72);
    for (int i = 0; i < 72; ++i) far.push_back(i % 9 == 8 ? 1000 : i % 9);
    QCOMPARE(plotted_bins(numbers_table(far)).edges.size(), std::size_t{41});
    QCOMPARE(plotted_bins(numbers_table(far)).groups[0].counts.front(), std::size_t{64});
    QCOMPARE(plotted_bins(numbers_table(far)).groups[0].counts.back(), std::size_t{8});
    QCOMPARE(plotted_bins(numbers_table({0, 1})).edges, (std::vector<double>{0, 0.25, 0.5, 0.75, 1}));
    const auto most_alike = plotted_bins(numbers_table({5, 5, 5, 5, 5, 5, 9}));  // an IQR of 0
    QCOMPARE(most_alike.edges, (std::vector<double>{5, 6, 7, 8, 9}));
    QCOMPARE(most_alike.groups[0].counts, (std::vector<std::size_t>{6, 0, 0, 1}));
    for (const double one : {0.0, -3.0, 1e12}) {
      const auto bins = plotted_bins(numbers_table({one, one, one}));
      QCOMPARE(bins.edges.size(), std::size_t{5});
      QVERIFY(bins.edges.front() < one && bins.edges.back() > one);
      QCOMPARE(
          bins.groups[0].counts[0] + bins.groups[0].counts[1] + bins.groups[0].counts[2] + bins.groups[0].counts[3],
          std::size_t{3});
    }
    QVERIFY(plotted_bins(numbers_table({})).edges.empty());
    QVERIFY(plotted_bins(numbers_table({nan})).groups.empty());
  }

  void cellsAreInRowsAndColumns() {
    FigureTable table{"cells",
                      {"removed", "context", "drop"},
                      {{0.9, "b", 4.0}, {0.1, "a", -1.0}, {0.1, "b", 2.0}, {0.5, "b", nullptr}, {0.9, "b", 3.0}}};
    QVERIFY(plotted_cells(table).values.empty());
    table.plot = FigurePlot{.kind = Kind::heat_map, .x = "removed", .y = {"context", "drop"}};
    const auto cells = plotted_cells(table);
    QCOMPARE(cells.columns, (std::vector<std::string>{"0.1", "0.5", "0.9"}));  // numbers ascending
    QCOMPARE(cells.rows, (std::vector<std::string>{"b", "a"}));                // texts as they come
    QCOMPARE(cells.values.size(), std::size_t{6});
    QVERIFY(cells.values[0] == 2.0 && !cells.values[1] && cells.values[2] == 3.0);
    QVERIFY(cells.values[3] == -1.0 && !cells.values[4] && !cells.values[5]);
    QCOMPARE(cells.low, -1.0);
    QCOMPARE(cells.high, 3.0);
    table.rows.resize(4);
    for (auto& row : table.rows) row[2] = nullptr;
    QVERIFY(plotted_cells(table).values.empty());
  }

  void publishedMarksArePlacedOnTheAxis() {
    FigureTable table = points_table();
    table.plot->published = {{"paper: kivi", 0.5, 0.8, 0.8},
                             {"paper: kivi 2", 0.25, 0.5, 0.75},
                             {"paper", nullptr, 0.25, 0.5},
                             {"paper: nowhere", "kivi", 1, 1}};
    auto marks = plotted_marks(table, {"kivi", "kivi 2"});
    QCOMPARE(marks.size(), std::size_t{3});
    QVERIFY(marks[0].is_point() && marks[0].at == 0.5 && marks[0].group == std::size_t{0});
    QVERIFY(!marks[1].is_point() && !marks[1].is_span() && marks[1].group == std::size_t{1});
    QVERIFY(marks[2].is_span() && !marks[2].group);
    table.plot->kind = Kind::bars;
    table.plot->published = {{"paper", "kivi", 1, 2}, {"paper", 8, 1, 2}, {"paper", "h2o", 1, 2}};
    marks = plotted_marks(table, {}, {"8", "kivi"});
    QCOMPARE(marks.size(), std::size_t{2});  // nothing is at h2o
    QVERIFY(marks[0].at == 1.0 && marks[1].at == 0.0);
    table.plot->kind = Kind::heat_map;
    QVERIFY(plotted_marks(table, {}).empty());
  }

  void axesAreNamed() {
    FigurePlot plot{.x = "rate 1/s", .y = {"TTFT s"}};
    QCOMPARE(plotted_y_title(plot), std::string("TTFT s"));
    plot.y_title = "seconds";
    QCOMPARE(plotted_y_title(plot), std::string("seconds"));
    QCOMPARE(plotted_y_title({.kind = Kind::cdf, .x = "drop", .y = {}}), std::string("cumulative share"));
    QCOMPARE(plotted_y_title({.kind = Kind::histogram, .x = "drop", .y = {}}), std::string("count"));
    QCOMPARE(plotted_y_title({.kind = Kind::heat_map, .x = "removed", .y = {"context", "drop"}}),
             std::string("context"));
    QVERIFY(plotted_y_title({.x = "rate", .y = {"a", "b"}}).empty());
  }
};

KV_TEST_APPLESS_MAIN(FigurePlotTest)

}  // namespace figure_plot_test

#include "figure_plot_test.moc"
