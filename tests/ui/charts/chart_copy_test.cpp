// links: kv_ui
// A chart on the clipboard: as an image, as SVG, as CSV, and as source for pgfplots and matplotlib that others can run.
#include <QApplication>
#include <QClipboard>
#include <QFile>
#include <QImage>
#include <QMimeData>
#include <QProcess>
#include <QStandardPaths>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QTest>

#include "core/base/json.h"
#include "core/report/formats/latex.h"
#include "core/report/formats/matplotlib.h"
#include "tests/support/test_program.h"
#include "ui/charts/chart_table.h"
#include "ui/charts/table_plot.h"
#include "ui/live/tiers/hit_rate_chart.h"
#include "ui/papers/charts/paper_picture.h"
#include "ui/text/words.h"

namespace chart_copy_test {

using namespace kvantage;

namespace {

/// Names that would break either language if they were not escaped.
const QString awkward = QStringLiteral("50 % of $x_1$ & \"quotes\" \\ #{} 中文");

ChartTable rates() {
  return {{"source", "requests_served", "rate_window", "rate_since_start"},
          {{"dram", "1", "0.5", "0.25"},
           {"dram", "2", "0.75", "0.5"},
           {awkward, "1", "0.125", ""},
           {awkward, "2", "1e-7", "0.0625"}}};
}

ChartTable means() {
  ChartTable table{
      {"method", "context", "n", "removed", "quality", "quality_low", "quality_high"},
      {{"knorm", "c0", "8", "0.25", "0.9", "0.8", "0.95"}, {"knorm", "c0", "8", "0.5", "0.5", "0.4", "0.6"}}};
  table.plot = {"removed", {"quality"}};
  return table;
}

const PlotSeries* find(const ReportPlot& plot, const std::string& name) {
  const auto found = std::ranges::find(plot.series, name, &PlotSeries::name);
  return found == plot.series.end() ? nullptr : &*found;
}

QStringList texts_of(const QList<QAction*>& actions) {
  QStringList texts;
  for (const QAction* action : actions)
    if (!action->isSeparator()) texts << action->text().remove('&').remove(QStringLiteral("…"));
  return texts;
}

}  // namespace

class ChartCopyTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;

  QString write(const QString& name, const QString& text) {
    const QString path = folder_.filePath(name);
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(text.toUtf8()) < 0) qFatal("%s", qPrintable(path));
    return path;
  }

  /// What `python3 ARGUMENTS` prints; nothing where it fails.
  static std::optional<QByteArray> python(const QStringList& arguments) {
    QProcess process;
    process.start(QStringLiteral("python3"), arguments);
    if (!process.waitForFinished(60'000) || process.exitStatus() != QProcess::NormalExit || process.exitCode() != 0) {
      qWarning("%s", process.readAllStandardError().constData());
      return std::nullopt;
    }
    return process.readAllStandardOutput();
  }

 private slots:
  void rowsBecomeALineForEachNameAndColumn() {
    const ReportPlot plot = plot_of(rates(), "Hit rates");
    QCOMPARE(plot.title, std::string("Hit rates"));
    QCOMPARE(plot.x_label, std::string("requests_served"));
    QCOMPARE(plot.y_label, std::string("rate_window, rate_since_start"));
    QCOMPARE(plot.series.size(), std::size_t{4});
    const PlotSeries* window = find(plot, "dram, rate_window");
    QVERIFY(window && window->points.size() == 2);
    QCOMPARE(window->points[0].x, 1.0);
    QCOMPARE(window->points[1].y, 0.75);
    const PlotSeries* total = find(plot, from_q(awkward) + ", rate_since_start");
    QVERIFY(total && total->points.size() == 1);  // an empty cell is no point
    QCOMPARE(total->points[0].y, 0.0625);
  }

  void aTableSaysWhatIsDrawnAndIntervalsAreFound() {
    const ReportPlot plot = plot_of(means(), "Quality");
    QCOMPARE(plot.series.size(), std::size_t{1});
    QCOMPARE(plot.series[0].name, std::string("quality"));  // one method, one context: neither distinguishes rows
    QCOMPARE(plot.series[0].points[1].x, 0.5);
    QVERIFY(plot.series[0].points[1].interval);
    QCOMPARE(plot.series[0].points[1].interval->low, 0.4);
    QCOMPARE(plot.series[0].points[1].interval->high, 0.6);
    const ChartTable texts{{"name", "value"}, {{"policy", "lru"}, {"alpha", "0.1"}}};
    QVERIFY(plot_of(texts, "Controls").series.empty());
    QVERIFY(to_pgfplots(texts, "Controls").startsWith("% ") && to_matplotlib(texts, "Controls").startsWith("# "));
    QVERIFY(plot_of({}, "Nothing").series.empty());
  }

  void pgfplotsHasEveryPointAndEscapedNames() {
    const QString text = to_pgfplots(rates(), "Hit\nrates");
    QVERIFY(text.startsWith("% Hit rates\n"));
    QCOMPARE(text.count("\\begin{tikzpicture}"), 1);
    QCOMPARE(text.count("\\end{tikzpicture}"), 1);
    QCOMPARE(text.count("\\addplot"), 4);
    QVERIFY(text.contains("(2.0, 0.75)\n") && text.contains("(2.0, 1e-07)\n"));
    QVERIFY(text.contains(to_q(latex_escaped(from_q(awkward) + ", rate_window"))));
    QVERIFY(text.contains("xlabel={requests\\_served}"));
    QVERIFY(to_pgfplots(means(), "Quality").contains("(0.5, 0.5) += (0.0, "));
    // The report's figure is this picture in a float.
    const ReportPlot plot = plot_of(rates(), "Hit rates");
    QVERIFY(to_q(latex_plot(plot)).contains(to_q(latex_picture(plot))));
  }

  void theScriptCompilesAndHoldsTheData() {
    if (QStandardPaths::findExecutable(QStringLiteral("python3")).isEmpty()) QSKIP("python3 is not installed");
    const QString script = write("chart.py", to_matplotlib(rates(), "Hit\nrates"));
    QVERIFY(python({"-m", "py_compile", script}));
    const QString reader = write("read.py", QStringLiteral(R"(import ast, json, sys
tree = ast.parse(open(sys.argv[1], encoding="utf-8").read())
for node in tree.body:
    if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "series":
        print(json.dumps(ast.literal_eval(node.value)))
)"));
    const auto read = python({reader, script});
    QVERIFY(read);
    const auto series = parse_json(read->toStdString(), "the script");
    QVERIFY(series);
    const Json expected = {
        {{"name", "dram, rate_window"}, {"x", {1.0, 2.0}}, {"y", {0.5, 0.75}}},
        {{"name", from_q(awkward) + ", rate_window"}, {"x", {1.0, 2.0}}, {"y", {0.125, 1e-7}}},
        {{"name", "dram, rate_since_start"}, {"x", {1.0, 2.0}}, {"y", {0.25, 0.5}}},
        {{"name", from_q(awkward) + ", rate_since_start"}, {"x", Json::array({2.0})}, {"y", Json::array({0.0625})}}};
    QCOMPARE(dump_json(*series), dump_json(expected));
  }

  void theScriptHasIntervalsAndLeavesOutWhatIsNotFinite() {
    const std::string with = from_q(to_matplotlib(means(), "Quality"));
    QVERIFY(with.find("\"low\": [0.8,0.4]") != std::string::npos &&
            with.find("\"high\": [0.95,0.6]") != std::string::npos);
    ReportPlot plot;
    plot.title = "a\nimport os";
    plot.x_label = plot.y_label = "seconds";
    plot.x_unit = plot.y_unit = "1";
    plot.series = {{.name = "s", .points = {{1, 2}, {NAN, 3}, {2, INFINITY}}}};
    const std::string text = matplotlib_script(plot, {178, 89, 8});
    QVERIFY(text.find("\"x\": [1.0],") != std::string::npos && text.find("\"y\": [2.0]") != std::string::npos);
    QVERIFY(text.find("nan") == std::string::npos && text.find("\nimport os") == std::string::npos);
    QVERIFY(text.find("figsize=(7.01, 3.5)") != std::string::npos);
  }

  void theClipboardHasEachForm() {
    HitRateModel rates;
    rates.set_tiers({{"dram", 1, {}, false}});
    HitRateChart chart(rates);
    chart.resize(500, 300);
    RequestRecord record;
    record.source = "dram";
    record.context_tokens = 100;
    for (int i = 0; i < 20; ++i) rates.request_finished(record, 1);
    chart.flush();
    const auto copied = [&chart](const QString& text) -> const QMimeData& {
      for (QAction* action : chart.actions())
        if (action->text().remove('&') == text) action->trigger();
      return *QApplication::clipboard()->mimeData();
    };
    QVERIFY(copied("Copy image").hasImage());
    QCOMPARE(QApplication::clipboard()->image().size(), QSize(1000, 600));
    const QMimeData& svg = copied("Copy SVG");
    QVERIFY(svg.data("image/svg+xml").contains("<svg") && svg.data("image/svg+xml").contains("</svg>"));
    QCOMPARE(svg.text().toUtf8(), svg.data("image/svg+xml"));
    QCOMPARE(copied("Copy CSV").text(), chart.table().to_csv());
    QCOMPARE(copied("Copy pgfplots").text(), to_pgfplots(chart.table(), "Hit rates"));
    QVERIFY(copied("Copy pgfplots").text().contains("\\addplot"));
    QCOMPARE(copied("Copy matplotlib").text(), to_matplotlib(chart.table(), "Hit rates"));
  }

  // As wide as a column of a paper, on white, whatever the window shows; the chart itself stays as it was.
  void aChartIsAPictureForAPaper() {
    HitRateModel rates;
    rates.set_tiers({{"dram", 1, {}, false}});
    HitRateChart chart(rates);
    chart.set_theme(theme_of(ThemeKind::dark));
    chart.resize(640, 360);
    chart.show();
    RequestRecord record;
    record.source = "dram";
    record.context_tokens = 100;
    for (int i = 0; i < 20; ++i) rates.request_finished(record, 1);
    chart.flush();
    QCoreApplication::processEvents();
    const QRectF plot = chart.chart().plotArea();
    for (const auto& [width, pixels] : {std::pair{PaperWidth::one_column, 1004}, {PaperWidth::two_columns, 2102}}) {
      const QString path = folder_.filePath(QString::number(pixels) + ".png");
      QVERIFY(save_paper_picture(chart, width, "png", path));
      const QImage image(path);
      QCOMPARE(image.width(), pixels);  // 85 and 178 mm at 300 dots per inch
      QCOMPARE(image.pixelColor(2, 2), QColor(Qt::white));
    }
    QCoreApplication::processEvents();
    QCOMPARE(chart.size(), QSize(640, 360));
    QCOMPARE(chart.theme().kind, ThemeKind::dark);
    QCOMPARE(chart.chart().plotArea(), plot);
    QVERIFY(!save_paper_picture(chart, PaperWidth::one_column, "png", "/nowhere/at/all.png"));
    // A family of the same size is given back, too.
    const QString own = chart.legend().font().family();
    QStringList others = paper_font_families();
    others.removeAll(own);
    for (const QString& other : others.mid(0, 1))
      QVERIFY(save_paper_picture(chart, PaperFormat{PaperWidth::one_column, {other, 0}}, "png",
                                 folder_.filePath("font.png")));
    QCOMPARE(chart.legend().font().family(), own);
    const QStringList offered = texts_of(paper_actions(chart, {&chart, "Hit rates", {}}));
    QCOMPARE(offered.size(), 3);
    QVERIFY2(offered.back().startsWith("Export picture, choose font"), qPrintable(offered.back()));
  }

  void aTableCopiesItsData() {
    QTableWidget table(1, 1);
    const ChartExport shown{&table, "Numbers", [] { return ChartTable{{"a"}, {{"1"}}}; }};
    QObject owner;
    QCOMPARE(texts_of(copy_actions(owner, shown)), QStringList{"Copy CSV"});
    copy_chart(shown, "csv");
    QCOMPARE(QApplication::clipboard()->text(), QString("a\r\n1\r\n"));
    QWidget chart;
    const ChartExport drawn{&chart, "Chart", [] { return ChartTable{}; }};
    QCOMPARE(texts_of(copy_actions(owner, drawn)),
             (QStringList{"Copy image", "Copy SVG", "Copy CSV", "Copy pgfplots", "Copy matplotlib"}));
  }
};

KV_TEST_MAIN(ChartCopyTest)

}  // namespace chart_copy_test

#include "chart_copy_test.moc"
