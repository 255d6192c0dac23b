// links: kv_ui
// What a chart's axes show after zooming, panning and new data; no widget.
#include <QtTest>
#include <cmath>

#include "tests/support/test_program.h"
#include "ui/charts/chart_view.h"

namespace chart_view_test {

using namespace kvantage;

namespace {

/// 0 to 100 by -5 to 5.
AxisRanges plain() { return {{0, 100}, {-5, 5}}; }

bool near(double value, double expected) { return std::abs(value - expected) < 1e-9; }

#define KV_SPAN(span, low, high)                                \
  QVERIFY2(near((span).lower, low) && near((span).upper, high), \
           qPrintable(QStringLiteral("%1 to %2").arg((span).lower, 0, 'g', 17).arg((span).upper, 0, 'g', 17)))

}  // namespace

class ChartViewTest : public QObject {
  Q_OBJECT

 private slots:
  void unzoomedItFollowsTheData() {
    ChartView view(plain());
    QCOMPARE(view.shown(), plain());
    QVERIFY(!view.zoomed());
    const AxisRanges more{{0, 200}, {-5, 50}};
    view.set_data(more);
    QCOMPARE(view.shown(), more);
  }

  void zoomKeepsWhatIsUnderTheMouse() {
    ChartView view(plain());
    QVERIFY(view.zoom_about({0.25, 0.5}, 2));
    KV_SPAN(view.shown().x, 12.5, 62.5);  // 25 is a quarter from the left before and after
    KV_SPAN(view.shown().y, -2.5, 2.5);
    QVERIFY(view.zoomed());
    QVERIFY(view.zoom_about({0.25, 0.5}, 0.5));
    QCOMPARE(view.shown(), plain());
    QVERIFY(!view.zoomed());
  }

  void oneAxisZoomsAlone() {
    ChartView view(plain());
    QVERIFY(view.zoom_about({0, 0.5}, 4, {true, false}));
    KV_SPAN(view.shown().x, 0, 25);
    QCOMPARE(view.shown().y, plain().y);
    view.reset();
    QVERIFY(view.zoom_about({0, 0.5}, 4, {false, true}));
    QCOMPARE(view.shown().x, plain().x);
    KV_SPAN(view.shown().y, -1.25, 1.25);
  }

  void aBoxIsShownWhicheverWayItWasDrawn() {
    for (const QRectF& box :
         {QRectF(QPointF(0.2, 0.5), QPointF(0.6, 0.9)), QRectF(QPointF(0.6, 0.9), QPointF(0.2, 0.5))}) {
      ChartView view(plain());
      QVERIFY(view.zoom_to(box));
      KV_SPAN(view.shown().x, 20, 60);
      KV_SPAN(view.shown().y, 0, 4);
      QVERIFY(view.zoom_to(QRectF(QPointF(0.5, 0), QPointF(1, 1)), {true, false}));  // of what is shown now
      KV_SPAN(view.shown().x, 40, 60);
      KV_SPAN(view.shown().y, 0, 4);
    }
  }

  void panEndsWhereTheDataEnds() {
    ChartView view(plain());
    QVERIFY(!view.pan({0.1, 0.1}));  // all is shown
    view.zoom_to(QRectF(QPointF(0.2, 0), QPointF(0.4, 1)));
    QVERIFY(view.pan({0.5, 0}));
    KV_SPAN(view.shown().x, 30, 50);
    view.pan({100, 0});
    KV_SPAN(view.shown().x, 80, 100);
    QVERIFY(!view.pan({0.1, 0}));
    view.pan({-100, 0});
    KV_SPAN(view.shown().x, 0, 20);
  }

  void zoomHasLimits() {
    ChartView view(plain());
    for (int i = 0; i < 200; ++i) view.zoom_about({0.3, 0.3}, 2);
    KV_SPAN(AxisSpan({0, view.shown().x.upper - view.shown().x.lower}), 0, 100 * ChartView::least_part);
    QVERIFY(view.shown().x.lower <= 30 && view.shown().x.upper >= 30 - 1e-6);
    for (int i = 0; i < 200; ++i) view.zoom_about({0.9, 0.1}, 0.5);
    QCOMPARE(view.shown(), plain());
    for (const double wrong : {0.0, -1.0, std::nan("")}) QVERIFY(!view.zoom_about({0.5, 0.5}, wrong));
    // Numbers that cannot be told apart are no range.
    ChartView far({{1e15, 1e15 + 1}, {0, 1}});
    for (int i = 0; i < 100; ++i) far.zoom_about({0.5, 0.5}, 2);
    QVERIFY(far.shown().x.upper > far.shown().x.lower);
    ChartView point({{3, 3}, {0, 1}});
    point.zoom_about({0.5, 0.5}, 2);
    QCOMPARE(point.shown().x, (AxisSpan{3, 3}));
  }

  void aLogarithmicAxisZoomsByFactors() {
    const AxisRanges data{{0.001, 10, true}, {0, 1}};
    ChartView view(data);
    view.zoom_about({0.5, 0.5}, 2, {true, false});  // four decades, then two about 0.1
    KV_SPAN(view.shown().x, 0.01, 1);
    QVERIFY(view.shown().x.logarithmic);
    view.pan({0.5, 0});  // a decade
    KV_SPAN(view.shown().x, 0.1, 10);
    view.zoom_to(QRectF(QPointF(0, 0), QPointF(0.5, 1)));
    KV_SPAN(view.shown().x, 0.1, 1);
    for (int i = 0; i < 20; ++i) view.zoom_about({0.7, 0.5}, 0.5);
    QCOMPARE(view.shown(), data);  // exactly
  }

  void aZoomedChartHoldsStillWhileDataComesIn() {
    ChartView view(plain());
    view.zoom_to(QRectF(QPointF(0.2, 0.2), QPointF(0.4, 0.8)));
    const AxisRanges zoomed = view.shown();
    view.set_data({{0, 400}, {-5, 9}});
    QCOMPARE(view.shown(), zoomed);
    QVERIFY(view.zoomed());
    view.pan({100, 0});  // what came in can be reached
    KV_SPAN(view.shown().x, 380, 400);
    QVERIFY(view.reset());
    QCOMPARE(view.shown(), (AxisRanges{{0, 400}, {-5, 9}}));
    view.set_data({{0, 500}, {-5, 9}});  // and it follows again
    QCOMPARE(view.shown().x, (AxisSpan{0, 500}));
  }

  void anAxisThatShowsAllFollowsBesideAZoomedOne() {
    ChartView view(plain());
    view.zoom_about({0, 0.5}, 4, {true, false});
    view.set_data({{0, 400}, {-5, 50}});
    KV_SPAN(view.shown().x, 0, 25);
    QCOMPARE(view.shown().y, (AxisSpan{-5, 50}));
    view.hold(true);
    view.set_data({{0, 400}, {-5, 90}});
    QCOMPARE(view.shown().y, (AxisSpan{-5, 50}));
  }

  void xIsSetAlone() {
    ChartView view(plain());
    QVERIFY(view.show_x({20, 40}));
    KV_SPAN(view.shown().x, 20, 40);
    QCOMPARE(view.shown().y, plain().y);
    QVERIFY(view.zoomed() && !view.show_x({20, 40}));
    view.show_x({90, 150});  // as wide, within the data
    KV_SPAN(view.shown().x, 40, 100);
    QVERIFY(view.show_all_x() && !view.zoomed());
    QCOMPARE(view.shown(), plain());
  }

  void dataThatLeftTheViewIsNotLookedFor() {
    ChartView view(plain());
    view.zoom_to(QRectF(QPointF(0.8, 0), QPointF(0.9, 1)));
    view.set_data({{0, 85}, {-5, 5}});  // the view moves as far as it must
    KV_SPAN(view.shown().x, 75, 85);
    view.set_data({{0, 10}, {-5, 5}});  // another session
    QVERIFY(!view.zoomed());
    QCOMPARE(view.shown().x, (AxisSpan{0, 10}));
  }

  void heldAxesStayUntilTheyAreReleased() {
    ChartView view(plain());
    view.hold(true);
    view.set_data({{0, 200}, {-5, 5}});
    QCOMPARE(view.shown(), plain());
    QVERIFY(!view.zoomed() && view.held());
    QVERIFY(view.reset());  // shows all, and holds that
    QCOMPARE(view.shown().x, (AxisSpan{0, 200}));
    view.set_data({{0, 300}, {-5, 5}});
    QCOMPARE(view.shown().x, (AxisSpan{0, 200}));
    view.hold(false);
    QCOMPARE(view.shown().x, (AxisSpan{0, 300}));
  }

  void otherDataIsShownWhole() {
    for (const bool held : {false, true}) {
      ChartView view(plain());
      view.hold(held);
      view.zoom_about({0.5, 0.5}, 3);
      view.forget();
      QVERIFY(!view.zoomed());
      const AxisRanges other{{7, 9}, {0, 1}}, later{{7, 10}, {0, 1}};
      view.set_data(other);
      QCOMPARE(view.shown(), other);
      view.set_data(later);
      QCOMPARE(view.shown(), held ? other : later);
    }
  }

  // Forty rows, of which ten are a page.
  void whatScrollsShowsAPage() {
    ChartView view;
    const AxisRanges rows{{0, 4}, {-40, 0}};
    view.set_data(rows, 10);
    QVERIFY(view.scrolls() && !view.zoomed());
    QCOMPARE(view.shown(), (AxisRanges{{0, 4}, {-10, 0}}));  // the top
    QVERIFY(view.pan({0, -0.55}));
    KV_SPAN(view.shown().y, -15.5, -5.5);
    QVERIFY(!view.zoomed());
    view.set_data({{0, 4}, {-60, 0}}, 20);  // more rows, more room: it begins with the same row
    KV_SPAN(view.shown().y, -25.5, -5.5);
    view.set_data(rows, 10);
    QVERIFY(view.zoom_about({0.5, 0.5}, 0.5, {false, true}));  // out
    KV_SPAN(view.shown().y, -20.5, -0.5);
    QVERIFY(view.zoomed());
    QVERIFY(view.zoom_about({0.5, 0.5}, 0.01));
    QCOMPARE(view.shown(), rows);  // and no further
    QVERIFY(view.zoom_to(QRectF(QPointF(0, 0.25), QPointF(0.5, 0.5))));
    KV_SPAN(view.shown().x, 0, 2);
    KV_SPAN(view.shown().y, -30, -20);
    QVERIFY(view.zoomed());
    QVERIFY(view.reset());
    QCOMPARE(view.shown().x, rows.x);
    KV_SPAN(view.shown().y, -30, -20);  // where it was
    QVERIFY(!view.zoomed());
    QVERIFY(view.pan({0, -9}));
    KV_SPAN(view.shown().y, -40, -30);
    for (const double factor : {1.25, 1.25, 1 / 1.25, 1 / 1.25}) view.zoom_about({0.5, 0.5}, factor);
    QVERIFY(!view.zoomed());  // a page again, whatever was rounded
    view.set_data(rows, 50);  // all of it fits
    QVERIFY(!view.scrolls() && !view.zoomed());
    QCOMPARE(view.shown(), rows);
  }
};

KV_TEST_APPLESS_MAIN(ChartViewTest)

}  // namespace chart_view_test

#include "chart_view_test.moc"
