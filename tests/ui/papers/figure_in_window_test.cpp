// links: kv_ui
// The page of figures in a window of 1280 x 800: whatever the plot is, most of the page's height is its chart, all of
// it is seen, and none of its texts is cut.
#include <QChartView>
#include <QGraphicsScene>
#include <QGraphicsTextItem>
#include <QTest>
#include <memory>

#include "tests/support/own_time.h"
#include "tests/support/test_program.h"
#include "tests/ui/papers/plotted_figure.h"
#include "tests/ui/papers/scripted_figures.h"
#include "tests/ui/window/cut_texts.h"
#include "tests/ui/window/scripted_window.h"

namespace figure_in_window_test {

using namespace kvantage;

namespace {

constexpr double least_share = 0.6;  // of the page's height
constexpr QSize small_screen(1280, 800);

/// What is seen in place of a widget at one of its corners or in its middle; empty: nothing is.
QString cover_of(const QWidget& widget) {
  constexpr int grip = 6;  // so far a splitter's thin handle is taken hold of in what is beside it
  const QRect inside = widget.rect().adjusted(grip, grip, -grip, -grip);
  for (const QPoint& at :
       {inside.topLeft(), inside.topRight(), inside.bottomLeft(), inside.bottomRight(), inside.center()}) {
    const QWidget* hit = widget.window()->childAt(widget.mapTo(widget.window(), at));
    if (hit == &widget || widget.isAncestorOf(hit)) continue;
    return QStringLiteral("%1 '%2' at %3, %4 of %5 x %6")
        .arg(hit ? hit->metaObject()->className() : "nothing", hit ? hit->objectName() : QString())
        .arg(at.x())
        .arg(at.y())
        .arg(widget.width())
        .arg(widget.height());
  }
  return {};
}

/// Texts that Qt Charts shortened or drew past the edge of its canvas.
QStringList cut_chart_texts(const FigureChart& chart) {
  constexpr double margin = 4;  // that a text item has around its letters
  const QRectF canvas = chart.findChild<QChartView*>()->viewport()->rect();
  QStringList cut;
  for (const QGraphicsItem* item : chart.chart().scene()->items()) {
    const auto* text = dynamic_cast<const QGraphicsTextItem*>(item);
    if (text == nullptr || !text->isVisible() || text->toPlainText().isEmpty()) continue;
    const QRectF letters = text->sceneBoundingRect().adjusted(margin, margin, -margin, -margin);
    if (text->toPlainText().endsWith("...") || !canvas.contains(letters)) cut << text->toPlainText();
  }
  return cut;
}

/// What is wrong with how a page shows a chart; empty: nothing.
QStringList troubles_of(const FigureChart& chart, const QWidget& page) {
  QStringList troubles;
  if (chart.height() < least_share * page.height())
    troubles << QStringLiteral("%1 of %2 pixels in height").arg(chart.height()).arg(page.height());
  if (is_beyond(chart, *page.window())) troubles << QStringLiteral("is beyond what is around it");
  if (const QString cover = cover_of(chart); !cover.isEmpty()) troubles << QStringLiteral("is covered by ") + cover;
  for (const QWidget* part : chart.findChildren<QWidget*>())
    if (part->isVisible() && is_beyond(*part, chart))
      troubles << QStringLiteral("its %1 is beyond it").arg(part->metaObject()->className());
  const QRectF canvas = chart.findChild<QChartView*>()->viewport()->rect();
  if (chart.chart().plotArea().height() < canvas.height() / 2 || !canvas.contains(chart.chart().plotArea()))
    troubles << QStringLiteral("the area of its plot is not whole");
  for (const QString& text : cut_chart_texts(chart)) troubles << QStringLiteral("'%1' is cut").arg(text);
  return troubles;
}

}  // namespace

class FigureInWindowTest : public QObject {
  Q_OBJECT
  ScriptedWindow scripted_;

  /// A window of that size whose page shows the result.
  std::unique_ptr<MainWindow> shown(ScriptedSession& session, QSize size) {
    WindowOptions options = scripted_.options();
    options.figures = std::make_shared<ScriptedFigures>();
    auto window = scripted_.loaded(session, options);
    window->resize(size);
    window->show_view("papers");
    FiguresPage& page = figures_of(*window);
    page.results().keep(kept_figure());
    page.choose("evicpress/fig8");
    if (page.tabs().indexOf(&page.result()) >= 0) page.tabs().setCurrentWidget(&page.result());
    return window;
  }

 private slots:
  void theWholeFigureIsSeen_data() {
    QTest::addColumn<int>("table");
    const KeptFigure kept = kept_figure();
    for (std::size_t table = 0; table < kept.result.tables.size(); ++table)
      if (kept.result.tables[table].plot)
        QTest::newRow(kept.result.tables[table].title.c_str()) << static_cast<int>(table);
    QVERIFY(kept.result.tables.size() > 5);
  }
  void theWholeFigureIsSeen() {
    QFETCH(int, table);
    ScriptedSession session;
    const auto window = shown(session, small_screen);
    FiguresPage& page = figures_of(*window);
    FigureResultView& view = page.result();
    view.tabs().setCurrentIndex(table);
    FigureChart& chart = view.charts().shown();
    QTRY_VERIFY(chart.isVisible());
    test::settle(200);
    chart.flush();
    test::settle(50);
    QCOMPARE(window->size(), small_screen);
    const QStringList troubles = troubles_of(chart, page);
    QVERIFY2(troubles.isEmpty(), qPrintable(troubles.join("; ")));
    CutTexts texts;
    add_cut_page_texts("papers", page, texts);
    QVERIFY2(texts.cut.isEmpty(), qPrintable(texts.cut.join("; ")));
    QVERIFY(texts.buttons > 3);
  }

  // A chart that is low, or partly outside of what is around it, is noticed.
  void whatIsWrongIsSaid() {
    ScriptedSession session;
    const auto window = shown(session, small_screen);
    FiguresPage& page = figures_of(*window);
    FigureChart& chart = page.result().charts().shown();
    QTRY_VERIFY(chart.isVisible());
    test::settle(200);
    const QRect before = chart.geometry();
    chart.setGeometry(before.adjusted(0, before.height() / 2, 0, 0));
    QVERIFY(troubles_of(chart, page).join("; ").contains("pixels in height"));
    chart.setGeometry(before.translated(0, 40));
    QVERIFY(troubles_of(chart, page).contains("is beyond what is around it"));
  }

  // The table is a press away, in place of the chart.
  void theTableIsBehindItsButton() {
    ScriptedSession session;
    const auto window = shown(session, small_screen);
    FigureResultView& view = figures_of(*window).result();
    const FigureChart& chart = view.charts().shown();
    QTRY_VERIFY(chart.isVisible() && !view.table().isVisible() && view.table_button().isVisible());
    QTest::mouseClick(&view.table_button(), Qt::LeftButton);
    QTRY_VERIFY(!chart.isVisible() && view.table().isVisible());
    QTest::mouseClick(&view.table_button(), Qt::LeftButton);
    QTRY_VERIFY(chart.isVisible());
  }
};

KV_TEST_MAIN(FigureInWindowTest)

}  // namespace figure_in_window_test

#include "figure_in_window_test.moc"
