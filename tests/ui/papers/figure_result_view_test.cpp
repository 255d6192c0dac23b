// links: kv_ui
// A kept result on pages of every size: the chart of its kind is large on a large page, its table behind a button, and
// its plot is saved as a picture for a paper.
#include "ui/papers/figure_result_view.h"

#include <QMenu>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "core/base/files.h"
#include "tests/support/test_program.h"
#include "tests/ui/papers/plotted_figure.h"
#include "ui/papers/charts/figure_bars_chart.h"
#include "ui/papers/charts/figure_heat_map.h"
#include "ui/papers/charts/figure_scatter_chart.h"

namespace figure_result_view_test {

using namespace kvantage;

namespace {

struct Bench {
  FigureResults results{QString()};
  FigureResultView view{results};
  explicit Bench(QSize size) {
    results.keep(kept_figure());
    view.resize(size);
    view.show();
    view.show_figure("evicpress/fig8");
  }
};

}  // namespace

class FigureResultViewTest : public QObject {
  Q_OBJECT

 private slots:
  void eachTableIsDrawnInItsKind() {
    Bench bench({700, 900});
    FigureResultView& view = bench.view;
    const auto shown = [&view](int tab) {
      view.tabs().setCurrentIndex(tab);
      return &view.charts().shown();
    };
    QVERIFY(qobject_cast<FigureBarsChart*>(shown(0)));
    QCOMPARE(shown(0)->table().rows.size(), 3);
    QVERIFY(qobject_cast<FigureScatterChart*>(shown(1)));
    QVERIFY(qobject_cast<FigureHeatMap*>(shown(2)));
    QVERIFY(shown(3) == &view.series_chart());
    QCOMPARE(view.series_chart().lines()[0].points.back().y, 1.0);
    QVERIFY(view.charts().isVisible());
    shown(4);
    QVERIFY(!view.charts().isVisible() && view.table().isVisible());
    for (const ChartPanel* chart : view.charts().findChildren<ChartPanel*>()) QVERIFY(chart->table().rows.isEmpty());
  }

  void aLargePageIsForTheChart() {
    for (const QSize size : {QSize(2500, 1300), QSize(1280, 800)}) {
      Bench bench(size);
      FigureResultView& view = bench.view;
      FigureChart& chart = view.charts().shown();
      QTRY_VERIFY(chart.isVisible() && !view.table().isVisible() && view.table_button().isVisible());
      QTRY_VERIFY2(chart.width() > size.width() * 6 / 10 && chart.height() > size.height() * 8 / 10,
                   qPrintable(QString("%1 x %2").arg(chart.width()).arg(chart.height())));
      view.table_button().click();
      QTRY_VERIFY(!chart.isVisible() && view.table().isVisible());
      QCOMPARE(view.table_model().rowCount(), 3);
      view.table_button().click();
      QTRY_VERIFY(chart.isVisible());
      QVERIFY(view.text().contains("evicpress sustains 2 times"));
    }
  }

  void aSmallPageShowsOneAndATallOneBoth() {
    Bench bench({700, 300});
    QTRY_VERIFY(bench.view.charts().isVisible() && !bench.view.table().isVisible());
    bench.view.resize(700, 900);
    QTRY_VERIFY(bench.view.charts().isVisible() && bench.view.table().isVisible());
    QVERIFY(!bench.view.table_button().isVisible());
  }

  void thePlotIsSavedForAPaper() {
    Bench bench({900, 700});
    QTemporaryDir folder;
    const QString svg = folder.filePath("plot.svg");
    QCOMPARE(bench.view.save_picture("svg", PaperWidth::two_columns, svg), QString());
    QVERIFY(read_text_file(svg.toStdString()).value().find("width=\"178mm\"") != std::string::npos);
    QCOMPARE(bench.view.save_picture("pdf", PaperWidth::one_column, folder.filePath("plot.pdf")), QString());
    QVERIFY(QFileInfo(folder.filePath("plot.pdf")).size() > 1000);
    QVERIFY(bench.view.save_picture("pdf", PaperWidth::one_column, "/nowhere/at/all.pdf").contains("/nowhere"));
    bench.view.tabs().setCurrentIndex(4);
    QVERIFY(bench.view.save_picture("svg", PaperWidth::two_columns, svg).contains("no plot"));
    bench.results.remove(bench.view.shown()->file);
    QVERIFY(bench.view.save_picture("svg", PaperWidth::two_columns, svg).contains("no result"));
  }

  // Three formats in two widths, where there is a plot.
  void theMenuOffersEveryPicture() {
    Bench bench({900, 700});
    QMenu* pictures = nullptr;
    QMenu* whole = nullptr;
    for (QMenu* menu : bench.view.findChildren<QMenu*>())
      if (menu->title().remove('&') == "Plot for a paper") {
        pictures = menu;
        whole = qobject_cast<QMenu*>(menu->parent());
      }
    QVERIFY(pictures != nullptr && whole != nullptr);
    QStringList texts;
    for (const QAction* action : pictures->actions()) texts << action->text();
    QStringList expected;
    for (const char* width : {"one column (85 mm)…", "two columns (178 mm)…"})
      for (const char* kind : {"SVG", "PDF", "PNG"})
        expected << QStringLiteral("%1, %2").arg(kind, QString::fromUtf8(width));
    expected << QString() << QString::fromUtf8("Choose &font…");  // apart from the others by a line
    QCOMPARE(texts, expected);
    QVERIFY(pictures->actions().at(6)->isSeparator());
    emit whole->aboutToShow();
    QVERIFY(pictures->isEnabled());
    bench.view.tabs().setCurrentIndex(4);
    emit whole->aboutToShow();
    QVERIFY(!pictures->isEnabled());
  }
};

KV_TEST_MAIN(FigureResultViewTest)

}  // namespace figure_result_view_test

#include "figure_result_view_test.moc"
