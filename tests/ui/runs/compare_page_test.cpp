// links: kv_ui
// The page of compared runs: what fits a window of 1280 x 800, the keyboard, contexts and their selection.
#include <QApplication>
#include <QClipboard>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <set>

#include "tests/support/test_program.h"
#include "tests/ui/charts/chart_hands.h"
#include "tests/ui/runs/compare_samples.h"
#include "tests/ui/window/cut_texts.h"
#include "ui/runs/compare_page.h"
#include "ui/session/selection.h"
#include "ui/text/words.h"

namespace compare_page_test {

using namespace kvantage;

class ComparePageTest : public QObject {
  Q_OBJECT

  struct Bench {
    std::shared_ptr<MemoryLibrary> library = test::planted_library();
    RunComparisonModel model{library};
    ComparePage page{model};

    explicit Bench(const QStringList& ids = {"run-a", "run-b"}) {
      // A window of 1280 x 800 without its bars: modes at the left, menus, status, the strip of Runs.
      page.resize(1280 - 84, 800 - 150);
      page.show();
      QSignalSpy compared(&model, &RunComparisonModel::compared);
      model.compare(ids);
      if (!QTest::qWaitFor([&] { return compared.count() == 1; }, 60000)) QTest::qFail("no runs", __FILE__, __LINE__);
      test::settle(60);
    }
    ForestTable& table() { return *page.findChild<ForestTable*>(); }
    ContextScatter& scatter() { return *page.findChild<ContextScatter*>(); }
    QTabWidget& tabs() { return *page.findChild<QTabWidget*>(); }
  };

 private slots:
  void eightMetricsWithTheirPlotAreSeenAtOnce() {
    Bench b;
    ForestTable& table = b.table();
    const QRect seen = table.viewport()->rect();
    int metrics = 0;
    for (int row = 0; row < b.page.forest().rowCount(); ++row) {
      const QModelIndex plot = b.page.forest().index(row, ForestModel::plot_column);
      if (b.page.forest().metric(row) != nullptr && seen.contains(table.visualRect(plot))) ++metrics;
    }
    QVERIFY2(metrics >= 8, qPrintable(QString::number(metrics)));
    QVERIFY2(table.columnWidth(ForestModel::plot_column) >= 120,
             qPrintable(QString::number(table.columnWidth(ForestModel::plot_column))));
    QVERIFY2(table.horizontalScrollBar()->maximum() == 0,
             qPrintable(QString::number(table.horizontalScrollBar()->maximum())));
  }

  void noTextIsCut() {
    Bench b;
    ForestTable& table = b.table();
    QStringList cut;
    for (int row = 0; row < b.page.forest().rowCount(); ++row)
      for (int column = 0; column < ForestModel::column_count; ++column) {
        const QString text = b.page.forest().index(row, column).data().toString();
        if (table.fontMetrics().horizontalAdvance(text) + 6 > table.columnWidth(column) && !text.isEmpty()) cut << text;
      }
    CutTexts texts;
    for (int tab = 0; tab < b.tabs().count(); ++tab) {
      b.tabs().setCurrentIndex(tab);
      test::settle(30);
      for (QTableView* each : b.page.findChildren<QTableView*>())
        if (each->isVisible()) add_cut_titles(each->accessibleName(), *each, texts);
    }
    int buttons = 0;
    for (const QAbstractButton* button : b.page.findChildren<QAbstractButton*>()) {
      if (!button->isVisible() || button->text().isEmpty()) continue;
      ++buttons;
      if (button->width() < button->fontMetrics().horizontalAdvance(QString(button->text()).remove('&')))
        cut << button->text();
    }
    QVERIFY2(cut.isEmpty() && texts.cut.isEmpty(), qPrintable((cut + texts.cut).join('\n')));
    QVERIFY(buttons >= 4 && texts.titles >= ForestModel::column_count);
  }

  void arrowKeysMoveThroughMetricsAndEnterOpensOne() {
    Bench b;
    ForestTable& table = b.table();
    QStringList wanted;
    for (int row = 0; row < b.page.forest().rowCount(); ++row)
      if (const ComparedMetric* metric = b.page.forest().metric(row)) wanted << to_q(metric->name);
    QStringList walked{table.current_metric()};
    for (qsizetype i = 1; i < wanted.size(); ++i) {
      QTest::keyClick(&table, Qt::Key_Down);
      walked << table.current_metric();
    }
    QCOMPARE(walked, wanted);  // headings are no stops
    QCOMPARE(wanted.front(), QString("TTFT, service"));
    for (const char* metric : {"quality, token_f1", "end to end"}) {
      table.setCurrentIndex(b.page.forest().index(b.page.forest().row_of(metric), 0));
      b.tabs().setCurrentIndex(0);
      QTest::keyClick(&table, Qt::Key_Return);
      QVERIFY(b.tabs().currentWidget()->isAncestorOf(&b.scatter()));
      QCOMPARE(b.scatter().metric(), QString(metric));
    }
    // One value per run: there is nothing to open.
    table.setCurrentIndex(b.page.forest().index(b.page.forest().row_of("requests"), 0));
    b.tabs().setCurrentIndex(0);
    QTest::keyClick(&table, Qt::Key_Return);
    QCOMPARE(b.tabs().currentIndex(), 0);
    QCOMPARE(b.scatter().metric(), QString("end to end"));
  }

  void pointsAreTheMeansOfTheContexts() {
    Bench b;
    b.page.open_metric("TTFT, service");
    const test::PlantedRun planted;
    const std::vector<ContextScatter::Point> points = b.scatter().points();
    QCOMPARE(points.size(), static_cast<std::size_t>(test::planted_contexts));
    for (int context = 0; context < test::planted_contexts; ++context) {
      double sum = 0;
      for (int asked = 0; asked < test::planted_requests; ++asked) sum += planted.ttft_ms(context, asked);
      const double mean = sum / test::planted_requests;
      const ContextScatter::Point& point = points[static_cast<std::size_t>(context)];
      QCOMPARE(point.context, QStringLiteral("c%1").arg(context));
      QVERIFY(std::abs(point.baseline.value - mean) < 1e-9 && std::abs(point.other.value - mean / 2) < 1e-9);
      QCOMPARE(point.baseline.n, static_cast<std::size_t>(test::planted_requests));
    }
    b.page.open_metric("TTFT, service, p95");  // 10 values one apart: the 8.55th from the lowest
    QVERIFY(std::abs(b.scatter().points()[2].baseline.value - 38.55) < 1e-9);
    QCOMPARE(b.scatter().table().rows.size(), test::planted_contexts);
    // The mean over contexts of equal size is that of the run.
    b.page.open_metric("TTFT, service");
    double sum = 0;
    for (const auto& point : b.scatter().points()) sum += point.other.value;
    QVERIFY(std::abs(sum / test::planted_contexts - b.model.comparison().metrics.front().values[1]->value) < 1e-9);
  }

  void aContextIsSelectedEverywhere() {
    Bench b;
    Selection selection;
    b.page.follow(selection);
    b.page.open_metric("TTFT, service");
    ContextScatter& scatter = b.scatter();
    scatter.flush();
    test::settle(60);
    QTest::keyClick(&scatter, Qt::Key_Right);
    QTest::keyClick(&scatter, Qt::Key_Right);
    QVERIFY2(scatter.accessibleDescription().startsWith("c1\nA: "), qPrintable(scatter.accessibleDescription()));
    QTest::keyClick(&scatter, Qt::Key_Return);
    QCOMPARE(selection.context(), QString("c1"));
    selection.choose_context("c4");
    QCOMPARE(scatter.context(), QString("c4"));
  }

  void aBoxSelectsItsContextsEverywhere() {
    Bench b;
    Selection selection;
    b.page.follow(selection);
    b.page.open_metric("TTFT, service");
    ContextScatter& scatter = b.scatter();
    scatter.flush();
    test::settle(60);
    QWidget& canvas = chart_hands::canvas(scatter);
    // From the first context to the second along x, at any height.
    const auto x_of = [&scatter](std::size_t context) {
      const QRectF plot = scatter.chart().plotArea();
      const QValueAxis& x = chart_hands::axis(scatter, Qt::Horizontal);
      return plot.left() + plot.width() * (scatter.points()[context].baseline.value - x.min()) / (x.max() - x.min());
    };
    chart_hands::drag(canvas, QPointF(x_of(0) - 3, 1), QPointF(x_of(1) + 3, canvas.height() - 1), Qt::LeftButton,
                      Qt::ControlModifier | Qt::ShiftModifier);
    QCOMPARE(selection.chosen_contexts(), (std::set<QString>{"c0", "c1"}));
    QVERIFY(selection.context().isEmpty() && !scatter.zoom().zoomed());
    selection.choose_contexts({"c4"});  // in another view
    QCOMPARE(scatter.brush().shown(), std::set<QString>{"c4"});
  }

  void theOtherRunIsChosen() {
    Bench b({"run-a", "run-b", "run-c"});
    QCOMPARE(b.page.other().count(), 2);
    QVERIFY(b.page.other().currentText().startsWith("B  evicpress"));
    b.page.other().setCurrentIndex(1);
    emit b.page.other().activated(1);
    QCOMPARE(b.page.forest().other(), 2);
    QVERIFY(b.page.other().currentText().startsWith("C  evicpress"));
    QVERIFY(QString::fromStdString(b.page.exported("booktabs")).contains("% C: run-c, evicpress"));
    QSignalSpy compared(&b.model, &RunComparisonModel::compared);
    b.page.baseline().setCurrentIndex(2);
    emit b.page.baseline().activated(2);
    QTRY_COMPARE(compared.count(), 1);
    QCOMPARE(b.page.forest().other(), 0);
    QVERIFY(b.page.other().currentText().startsWith("A  lru"));
    // What is compared by then is what is exported.
    QCOMPARE(b.page.exported("csv"), to_csv(b.model.comparison()));
    QVERIFY(QString::fromStdString(b.page.exported("forest")).contains("xlabel={A $-$ C"));
  }

  void theSummaryIsCopied() {
    Bench b;
    const QString text = b.page.findChild<SummaryPage*>()->text().toPlainText();
    QVERIFY(text.contains("B is faster by 50 %"));
    for (QPushButton* button : b.page.findChildren<QPushButton*>())
      if (button->text() == "Copy summary") button->click();
    QCOMPARE(QApplication::clipboard()->text(), text);
    bool warned = false;  // the seeds of the two differ
    for (int tab = 0; tab < b.tabs().count(); ++tab) warned = warned || b.tabs().tabText(tab) == "Summary (1)";
    QVERIFY(warned);
  }

  void theTableHasEveryDigit() {
    Bench b;
    const ChartTable table = b.table().as_table();
    const RunComparison& comparison = b.model.comparison();
    QCOMPARE(table.rows.size(), static_cast<qsizetype>(comparison.metrics.size()));
    for (const QStringList& row : table.rows) {
      QCOMPARE(row.size(), table.header.size());
      const auto metric = std::ranges::find(comparison.metrics, from_q(row[0]), &ComparedMetric::name);
      QVERIFY(metric != comparison.metrics.end());
      QCOMPARE(row[table.header.indexOf("difference")].toDouble(),
               QString::number(*metric->values[1]->delta, 'g', 9).toDouble());
    }
    b.model.clear();
    QVERIFY(b.table().as_table().rows.isEmpty() && b.scatter().points().empty());
    QCOMPARE(b.page.other().count(), 0);
  }
};

KV_TEST_MAIN(ComparePageTest)

}  // namespace compare_page_test

#include "compare_page_test.moc"
