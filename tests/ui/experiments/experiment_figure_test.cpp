// links: kv_ui
// The charts of an experiment: measured points, and lines along what its cells differ in, with the range over seeds as
// a band.
#include "ui/experiments/experiment_figure.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <map>
#include <memory>
#include <string>

#include "core/report/figure_plot.h"
#include "core/report/plots/plotted_points.h"
#include "core/sweep/sweep_results.h"
#include "tests/support/test_program.h"
#include "ui/charts/series_chart.h"
#include "ui/charts/table_plot.h"
#include "ui/experiments/experiment_results.h"
#include "ui/papers/charts/figure_scatter_chart.h"

namespace experiment_figure_test {

using namespace kvantage;

namespace {

/// evicpress at three alphas and lru, each at two budgets: TTFT is 100 ms by alpha (lru: 50 ms) and 10 ms more for each
/// seed; quality is 0.9, and 0.1 less for each seed.
SweepPlan plan_of(int seeds) {
  SweepPlan plan;
  plan.workload = "sensitivity-mix";
  for (const double budget : {0.25, 0.5})
    for (int seed = 0; seed < seeds; ++seed) {
      const BudgetScale scale{.value = budget, .of_uncompressed = true};
      for (const double alpha : {1.0, 2.0, 4.0})
        plan.cells.push_back({.policy = "evicpress",
                              .alpha = alpha,
                              .budget = scale,
                              .requests_per_second = 0,
                              .seed = static_cast<std::uint64_t>(seed)});
      plan.cells.push_back({.policy = "lru",
                            .alpha = 1,
                            .budget = scale,
                            .requests_per_second = 0,
                            .seed = static_cast<std::uint64_t>(seed),
                            .uses_alpha = false});
    }
  return plan;
}

SweepTable table_of(int seeds, std::size_t served = 1000) {
  const SweepPlan plan = plan_of(seeds);
  const CellIds ids(plan);
  std::map<std::string, Json> results;
  for (const SweepCell& cell : plan.cells) {
    if (results.size() == served) break;
    const auto seed = static_cast<double>(cell.seed);
    const double ttft = (cell.uses_alpha ? 0.1 * cell.alpha : 0.05) + 0.01 * seed;
    results[ids.of(cell)] = {{"requests", 20},
                             {"run_id", "run"},
                             {"quality_metric", "token_f1"},
                             {"quality", 0.9 - 0.1 * seed},
                             {"hit_rate", 0.5},
                             {"ttft_service_seconds", ttft},
                             {"ttft_seconds", ttft}};
  }
  return make_sweep_table(plan, results);
}

const FigureTable* find(const FigureResult& figure, const char* title) {
  for (const FigureTable& table : figure.tables)
    if (table.title == title) return &table;
  return nullptr;
}

bool near(double value, double expected) { return std::abs(value - expected) < 1e-9; }

}  // namespace

class ExperimentFigureTest : public QObject {
  Q_OBJECT

 private slots:
  void linesAreAlongWhatCellsDifferIn() {
    const FigureResult figure = experiment_figure("First", table_of(3));
    QStringList titles;
    for (const FigureTable& table : figure.tables) titles << QString::fromStdString(table.title);
    QCOMPARE(titles, (QStringList{"Measured points", QString::fromUtf8("Service TTFT (ms) along α"),
                                  QString::fromUtf8("Quality (token_f1) along α"), "Service TTFT (ms) along the budget",
                                  "Quality (token_f1) along the budget"}));
    const FigureTable& ttft = *find(figure, "Service TTFT (ms) along α");
    const auto lines = plotted_lines(ttft);
    QCOMPARE(lines.size(), std::size_t{2});  // a budget each; lru has no alpha
    QCOMPARE(lines[0].name, std::string("25%"));
    QCOMPARE(lines[1].name, std::string("50%"));
    for (const PlottedLine& line : lines) {
      QCOMPARE(line.points.size(), std::size_t{3});
      for (const PlottedPoint& point : line.points) {
        QVERIFY(near(point.y, 100 * point.x + 10));
        QVERIFY(point.interval && near(point.interval->low, 100 * point.x) &&
                near(point.interval->high, 100 * point.x + 20));
      }
      QVERIFY(has_band(*ttft.plot, line));
    }
    const auto budgets = plotted_lines(*find(figure, "Quality (token_f1) along the budget"));
    QCOMPARE(budgets.size(), std::size_t{4});
    QCOMPARE(budgets.back().name, std::string("lru"));
    QCOMPARE(budgets.back().points.size(), std::size_t{2});
    QVERIFY(near(budgets.back().points[1].x, 50) && near(budgets.back().points[1].y, 0.8));
    QVERIFY(near(budgets.back().points[1].interval->low, 0.7));
  }

  // One seed says nothing of the others.
  void oneSeedHasNoBand() {
    const FigureResult figure = experiment_figure("First", table_of(1));
    const FigureTable* ttft = find(figure, "Service TTFT (ms) along α");
    QVERIFY(ttft);
    for (const PlottedLine& line : plotted_lines(*ttft)) {
      QVERIFY(!has_band(*ttft->plot, line));
      for (const PlottedPoint& point : line.points) QVERIFY(!point.interval);
    }
    QCOMPARE(experiment_figure("First", table_of(1, 0)).tables.size(), std::size_t{1});  // nothing is served yet
  }

  void theBandIsDrawnAndNamed() {
    const FigureResult figure = experiment_figure("First", table_of(3));
    SeriesChart chart;
    chart.resize(640, 400);
    chart.show();
    chart.show_table(figure, 1);
    chart.flush();
    QCoreApplication::processEvents();
    QCOMPARE(chart.lines().size(), std::size_t{2});
    const QAreaSeries* band = chart.band(0);
    QVERIFY(band && band->isVisible());
    const QList<QPointF> upper = band->upperSeries()->points(), lower = band->lowerSeries()->points();
    QCOMPARE(upper.size(), 3);
    QCOMPARE(lower.size(), 3);
    for (int i = 0; i < 3; ++i) QVERIFY(near(upper[i].y() - lower[i].y(), 20));
    QStringList legend;
    for (const LegendItem& item : chart.legend().items()) legend << item.text;
    QVERIFY2(legend.contains("range over seeds") && !legend.contains("95 % interval"), qPrintable(legend.join('|')));
    chart.setFocus();
    QTest::keyClick(&chart, Qt::Key_Right);
    const QString told = chart.accessibleDescription();
    QVERIFY2(told.contains("(range over seeds: 100 to 120)"), qPrintable(told));
    const ChartTable table = chart.table();
    QCOMPARE(table.header[5], QString("y_value_low"));
    QVERIFY2(to_pgfplots(table, "t").contains("error"), qPrintable(to_pgfplots(table, "t")));
  }

  // The chart that was chosen stays while results come, and is the one that is exported.
  void aChartIsChosen() {
    ExperimentResults results;
    results.resize(900, 700);
    results.show();
    const auto show = [&results](std::size_t served) {
      auto made = std::make_shared<ExperimentTable>();
      made->table = table_of(2, served);
      made->figure = experiment_figure("First", made->table);
      results.show_table(made);
    };
    QVERIFY(!results.chart_choice().isVisible());
    show(6);
    QVERIFY(results.chart_choice().isVisible());
    QVERIFY(dynamic_cast<FigureScatterChart*>(&results.charts().shown()));
    const int quality = results.chart_choice().findText(QString::fromUtf8("Quality (token_f1) along α"));
    QVERIFY(quality > 0);
    results.chart_choice().setCurrentIndex(quality);
    auto* chart = dynamic_cast<SeriesChart*>(&results.charts().shown());
    QVERIFY(chart);
    show(1000);
    QCOMPARE(results.chart_choice().currentIndex(), quality);
    QCOMPARE(&results.charts().shown(), static_cast<FigureChart*>(chart));
    chart->flush();
    QCOMPARE(chart->lines().size(), std::size_t{2});
    QTemporaryDir folder;
    const QString file = folder.filePath("chart.svg");
    QCOMPARE(results.save_picture("svg", PaperWidth::one_column, file), QString());
    QFile saved(file);
    QVERIFY(saved.open(QIODevice::ReadOnly));
    QVERIFY(saved.readAll().contains("along"));  // its title
    results.clear();
    QVERIFY(!results.chart_choice().isVisible());
  }
};

KV_TEST_MAIN(ExperimentFigureTest)

}  // namespace experiment_figure_test

#include "experiment_figure_test.moc"
