// links: kv_ui
// Charts zoomed and panned by wheel, mouse and keys, as events come from the system, and what stays as it was: clicks,
// point keys, and the page that scrolls.
#include <QApplication>
#include <QChartView>
#include <QRubberBand>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <cmath>

#include "tests/support/test_program.h"
#include "tests/ui/charts/chart_hands.h"
#include "ui/charts/chart_table.h"
#include "ui/charts/series_chart.h"
#include "ui/live/tiers/hit_rate_chart.h"

namespace chart_zoom_test {

using namespace kvantage;
using namespace kvantage::chart_hands;

class ChartZoomTest : public QObject {
  Q_OBJECT

 private slots:
  void theWheelZoomsAboutTheMouse() {
    SeriesChart chart;
    show(chart, ramp());
    const AxisRanges all = ranges(chart);
    const QRectF area = chart.chart().plotArea();
    const QPointF at = place(area, 0.25, 0.5);
    QVERIFY(turn(canvas(chart), at, 1));
    const AxisRanges zoomed = ranges(chart);
    const double x = x_share(area, at), y = y_share(area, at);
    const auto [left, right] = part(all.x, x - x / 1.25, x + (1 - x) / 1.25);
    const auto [low, high] = part(all.y, y - y / 1.25, y + (1 - y) / 1.25);
    QVERIFY(near(zoomed.x, left, right) && near(zoomed.y, low, high));
    QVERIFY(chart.zoom().zoomed());
    QVERIFY(turn(canvas(chart), at, -5));
    QCOMPARE(ranges(chart), all);
    QVERIFY(!chart.zoom().zoomed());
  }

  void modifiersAndAxesZoomOneAxis() {
    SeriesChart chart;
    show(chart, ramp());
    const AxisRanges all = ranges(chart);
    const QRectF area = chart.chart().plotArea();
    const struct {
      QPointF at;
      Qt::KeyboardModifiers modifiers;
      bool x;
    } gestures[] = {{area.center(), Qt::ShiftModifier, true},
                    {area.center(), Qt::ControlModifier, false},
                    {{area.center().x(), area.bottom() + 12}, {}, true},
                    {{area.left() - 12, area.center().y()}, {}, false}};
    for (const auto& [at, modifiers, x] : gestures) {
      QVERIFY(turn(canvas(chart), at, 3, modifiers));
      QVERIFY(chart.zoom().zoomed());
      QCOMPARE(ranges(chart).x == all.x, !x);
      QCOMPARE(ranges(chart).y == all.y, x);
      chart.zoom().reset();
      QCOMPARE(ranges(chart), all);
    }
  }

  void shiftAndDragShowsABox() {
    SeriesChart chart;
    show(chart, ramp());
    const AxisRanges all = ranges(chart);
    const QRectF area = chart.chart().plotArea();
    const QPointF from = place(area, 0.6, 0.8), to = place(area, 0.2, 0.4);
    mouse(canvas(chart), QEvent::MouseButtonPress, from, Qt::LeftButton, Qt::ShiftModifier);
    mouse(canvas(chart), QEvent::MouseMove, to, Qt::LeftButton, Qt::ShiftModifier);
    auto* band = canvas(chart).findChild<QRubberBand*>();
    QVERIFY(band && band->isVisible());
    mouse(canvas(chart), QEvent::MouseButtonRelease, to, Qt::LeftButton, Qt::ShiftModifier);
    QVERIFY(!canvas(chart).findChild<QRubberBand*>());
    const auto [left, right] = part(all.x, x_share(area, to), x_share(area, from));
    const auto [low, high] = part(all.y, y_share(area, to), y_share(area, from));
    QVERIFY(near(ranges(chart).x, left, right) && near(ranges(chart).y, low, high));
    chart.zoom().reset();
    // A stroke along one axis zooms that one; a click zooms nothing, and ends outside are those of the plot.
    const QRectF again = chart.chart().plotArea();  // other labels beside it, another area
    const QPointF stroke = place(again, 0.2, 0.5), stroke_end = place(again, 0.6, 0.5) + QPointF(0, 2);
    drag(canvas(chart), stroke, stroke_end, Qt::LeftButton, Qt::ShiftModifier);
    const auto [stroke_low, stroke_high] = part(all.x, x_share(again, stroke), x_share(again, stroke_end));
    QVERIFY(near(ranges(chart).x, stroke_low, stroke_high));
    QCOMPARE(ranges(chart).y, all.y);
    chart.zoom().reset();
    drag(canvas(chart), area.center(), area.center() + QPointF(2, 2), Qt::LeftButton, Qt::ShiftModifier);
    QVERIFY(!chart.zoom().zoomed());
    const QRectF at_last = chart.chart().plotArea();
    drag(canvas(chart), place(at_last, 0.5, 0.5), place(at_last, 1.2, 1.2), Qt::LeftButton, Qt::ShiftModifier);
    const auto [middle, end] = part(all.x, x_share(at_last, place(at_last, 0.5, 0.5)), 1);
    QVERIFY(near(ranges(chart).x, middle, end));
  }

  void theMiddleButtonAndCtrlPan() {
    const std::pair<Qt::MouseButton, Qt::KeyboardModifiers> hands[] = {{Qt::MiddleButton, {}},
                                                                       {Qt::LeftButton, Qt::ControlModifier}};
    for (const auto& [pressed, modifiers] : hands) {
      SeriesChart chart;
      show(chart, ramp());
      const AxisRanges all = ranges(chart);
      const QRectF area = chart.chart().plotArea();
      drag(canvas(chart), place(area, 0.5, 0.5), place(area, 0.4, 0.4), pressed, modifiers);
      QCOMPARE(ranges(chart), all);  // nothing is beside it
      chart.zoom().zoom_to(QRectF(exact_place(area, 0.4, 0.6), exact_place(area, 0.6, 0.4)));
      const AxisRanges zoomed = ranges(chart);
      const QRectF now = chart.chart().plotArea();
      const QPointF from = place(now, 0.5, 0.5), to = place(now, 0.25, 0.5);
      drag(canvas(chart), from, to, pressed, modifiers);
      const double quarter = (zoomed.x.upper - zoomed.x.lower) * (x_share(now, from) - x_share(now, to));
      QVERIFY(near(ranges(chart).x, zoomed.x.lower + quarter, zoomed.x.upper + quarter));
      QVERIFY(near(ranges(chart).y, zoomed.y.lower, zoomed.y.upper));
      drag(canvas(chart), place(now, 0.1, 0.5), place(now, 0.9, 0.5), pressed, modifiers);
      drag(canvas(chart), place(now, 0.1, 0.5), place(now, 0.9, 0.5), pressed, modifiers);
      drag(canvas(chart), place(now, 0.1, 0.5), place(now, 0.9, 0.5), pressed, modifiers);
      QVERIFY(near(ranges(chart).x.lower, all.x.lower, 1e-9));  // and no further
    }
  }

  void keysZoomAndPanAndArrowsStillMoveBetweenPoints() {
    SeriesChart chart;
    show(chart, ramp());
    const AxisRanges all = ranges(chart);
    chart.setFocus();
    const QString before = chart.accessibleDescription();
    QVERIFY(!before.contains("zoomed"));
    for (int i = 0; i < 3; ++i) QTest::keyClick(&chart, Qt::Key_Plus, i == 0 ? Qt::ShiftModifier : Qt::NoModifier);
    const double share = 1 / std::pow(ChartZoom::key_factor, 3);
    const auto [left, right] = part(all.x, (1 - share) / 2, (1 + share) / 2);
    QVERIFY(near(ranges(chart).x, left, right));
    const QString told = chart.accessibleDescription();
    QVERIFY2(told.startsWith(before) && told.contains("zoomed") &&
                 told.contains(QString::number(ranges(chart).x.lower, 'g', 4)),
             qPrintable(told));
    QTest::keyClick(&chart, Qt::Key_Right, Qt::ControlModifier);
    const double moved = ChartZoom::key_pan * (right - left);
    QVERIFY(near(ranges(chart).x, left + moved, right + moved));
    QVERIFY(!chart.keys().stop());
    QTest::keyClick(&chart, Qt::Key_Up, Qt::ControlModifier);
    QVERIFY(ranges(chart).y.lower > part(all.y, (1 - share) / 2, 1).first);
    QTest::keyClick(&chart, Qt::Key_Minus);
    QVERIFY(ranges(chart).x.upper - ranges(chart).x.lower > right - left);
    QTest::keyClick(&chart, Qt::Key_Right);
    QVERIFY(chart.keys().stop());
    QTest::keyClick(&chart, Qt::Key_End);
    QCOMPARE(chart.keys().stop()->along, 10.0);
    QVERIFY(chart.zoom().zoomed());
    QTest::keyClick(&chart, Qt::Key_0);
    QCOMPARE(ranges(chart), all);
    QCOMPARE(chart.keys().stop()->along, 10.0);
    QTest::keyClick(&chart, Qt::Key_Escape);
    QCOMPARE(chart.accessibleDescription(), before);
  }

  void aPointThatIsSteppedToComesIntoView() {
    SeriesChart chart;
    show(chart, ramp());
    const QRectF area = chart.chart().plotArea();
    chart.zoom().zoom_to(QRectF(place(area, 0, 0.2), place(area, 0.2, 0)));
    QVERIFY(ranges(chart).x.upper < 5);
    chart.setFocus();
    for (const Qt::Key key : {Qt::Key_Right, Qt::Key_End, Qt::Key_Home, Qt::Key_PageDown}) {
      QTest::keyClick(&chart, key);
      const auto stop = chart.keys().stop();
      QVERIFY(stop);
      const AxisRanges shown = ranges(chart);
      QVERIFY2(stop->along >= shown.x.lower && stop->along <= shown.x.upper,
               qPrintable(QStringLiteral("%1 of %2 to %3").arg(stop->along).arg(shown.x.lower).arg(shown.x.upper)));
      QVERIFY(chart.chart().plotArea().adjusted(-1, -1, 1, 1).contains(stop->mark.center()));
    }
    QVERIFY(chart.zoom().zoomed());
  }

  void aButtonAndADoubleClickReset() {
    SeriesChart chart;
    show(chart, ramp());
    const AxisRanges all = ranges(chart);
    QVERIFY(!button(chart).isVisible());
    QCOMPARE(button(chart).focusPolicy(), Qt::NoFocus);
    QVERIFY(!button(chart).accessibleName().isEmpty() && !button(chart).toolTip().isEmpty());
    chart.zoom().zoom(4);
    QVERIFY(button(chart).isVisible());
    QVERIFY(canvas(chart).rect().contains(button(chart).geometry()));
    QTest::mouseClick(&button(chart), Qt::LeftButton);
    QCOMPARE(ranges(chart), all);
    QVERIFY(!button(chart).isVisible());
    chart.zoom().zoom(4);
    mouse(canvas(chart), QEvent::MouseButtonDblClick, chart.chart().plotArea().center(), Qt::LeftButton);
    QCOMPARE(ranges(chart), all);
  }

  // The menu has them, too.
  void theMenuHoldsAxesAndResets() {
    SeriesChart chart;
    show(chart, ramp());
    QAction* reset = nullptr;
    for (QAction* action : chart.actions())
      if (action->text().remove('&') == "Reset zoom") reset = action;
    QVERIFY(reset && !reset->isEnabled());
    QVERIFY(chart.actions().contains(&chart.zoom().hold_action()) && chart.zoom().hold_action().isCheckable());
    chart.zoom().zoom(2);
    QVERIFY(reset->isEnabled());
    reset->trigger();
    QVERIFY(!chart.zoom().zoomed() && !reset->isEnabled());
  }

  void picturesAreWithoutTheButton() {
    SeriesChart chart;
    show(chart, ramp());
    chart.zoom().zoom(2);
    button(chart).setStyleSheet("background: #ff0000; color: #ff0000; border: none");
    const auto reds = [](const QImage& image) {
      int count = 0;
      for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x) count += image.pixelColor(x, y) == QColor(255, 0, 0) ? 1 : 0;
      return count;
    };
    QVERIFY(reds(chart.grab().toImage()) > 50);
    QCOMPARE(reds(picture_image(chart, 1)), 0);
    QVERIFY(button(chart).isVisible());
  }

  // Where the page around a chart scrolls, the wheel scrolls it.
  void thePageScrollsOverAChart() {
    QScrollArea page;
    auto* chart = new SeriesChart;
    page.setWidget(chart);
    page.resize(400, 200);
    page.show();
    show(*chart, ramp());
    QTRY_VERIFY(page.verticalScrollBar()->maximum() > 0);
    const AxisRanges all = ranges(*chart);
    const QPointF middle = chart->chart().plotArea().center();
    turn(canvas(*chart), middle, 1);
    QCOMPARE(ranges(*chart), all);
    QVERIFY(turn(canvas(*chart), middle, 1, Qt::ControlModifier));
    QVERIFY(ranges(*chart).y != all.y);
  }
};

KV_TEST_MAIN(ChartZoomTest)

}  // namespace chart_zoom_test

#include "chart_zoom_test.moc"
