// links: kv_ui
// Charts zoomed and panned by wheel, mouse and keys, as events come from the system, and what stays as it was: clicks,
// point keys, and axes that follow a run.
#include <QApplication>
#include <QChartView>
#include <QRubberBand>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <QWheelEvent>
#include <cmath>

#include "core/experiments/paper_figures.h"
#include "tests/support/test_program.h"
#include "tests/ui/window/scripted_session.h"
#include "ui/charts/chart_table.h"
#include "ui/charts/series_chart.h"
#include "ui/charts/time_line_chart.h"
#include "ui/live/frontier/frontier_chart.h"
#include "ui/live/tiers/hit_rate_chart.h"
#include "ui/live/tiers/occupancy_plot.h"
#include "ui/session/run_model.h"

namespace chart_zoom_test {

using namespace kvantage;

namespace {

FigureResult ramp(double top = 10) {
  FigureResult result = begin_figure("evicpress/fig8");
  result.tables = {{"Ramp", {"load", "TTFT s"}, {}, FigurePlot{.x = "load", .y = {"TTFT s"}}}};
  for (int i = 0; i <= 10; ++i) result.tables[0].rows.push_back({i, top * i / 10});
  return result;
}

template <class Chart>
void show(Chart& chart, const FigureResult& result) {
  chart.resize(640, 360);
  chart.show();
  chart.show_table(result, 0);
  chart.flush();
  QCoreApplication::processEvents();
}

QValueAxis& axis(const ChartPanel& chart, Qt::Orientation orientation) {
  return *qobject_cast<QValueAxis*>(chart.chart().axes(orientation).value(0));
}

AxisRanges ranges(const ChartPanel& chart) {
  const QValueAxis &x = axis(chart, Qt::Horizontal), &y = axis(chart, Qt::Vertical);
  return {{x.min(), x.max()}, {y.min(), y.max()}};
}

QWidget& canvas(const ChartPanel& chart) { return *chart.findChild<QChartView*>()->viewport(); }

/// A place of the plot: (0, 0) is its lower left corner.
QPointF exact_place(const QRectF& area, double x, double y) {
  return {area.left() + x * area.width(), area.bottom() - y * area.height()};
}
/// The pixel there: events are at whole ones.
QPointF place(const QRectF& area, double x, double y) { return exact_place(area, x, y).toPoint(); }
double x_share(const QRectF& area, const QPointF& at) { return (at.x() - area.left()) / area.width(); }
double y_share(const QRectF& area, const QPointF& at) { return (area.bottom() - at.y()) / area.height(); }

/// Whether somebody took it.
bool turn(QWidget& widget, const QPointF& at, int steps, Qt::KeyboardModifiers modifiers = {}) {
  QWheelEvent event(at, widget.mapToGlobal(at), {}, QPoint(0, 120 * steps), Qt::NoButton, modifiers, Qt::NoScrollPhase,
                    false);
  event.ignore();
  QApplication::sendEvent(&widget, &event);
  return event.isAccepted();
}

void mouse(QWidget& widget, QEvent::Type type, const QPointF& at, Qt::MouseButton button,
           Qt::KeyboardModifiers modifiers = {}) {
  const bool up = type == QEvent::MouseButtonRelease;
  QMouseEvent event(type, at, widget.mapToGlobal(at), type == QEvent::MouseMove ? Qt::NoButton : button,
                    up ? Qt::NoButton : Qt::MouseButtons(button), modifiers);
  QApplication::sendEvent(&widget, &event);
}

void drag(QWidget& widget, const QPointF& from, const QPointF& to, Qt::MouseButton button,
          Qt::KeyboardModifiers modifiers = {}) {
  mouse(widget, QEvent::MouseButtonPress, from, button, modifiers);
  mouse(widget, QEvent::MouseMove, (from + to) / 2, button, modifiers);
  mouse(widget, QEvent::MouseMove, to, button, modifiers);
  mouse(widget, QEvent::MouseButtonRelease, to, button, modifiers);
}

bool near(double value, double expected, double reach) { return std::abs(value - expected) <= reach; }

bool near(const AxisSpan& span, double low, double high) {
  const double reach = 1e-6 * std::max({1.0, std::abs(low), std::abs(high)});
  return near(span.lower, low, reach) && near(span.upper, high, reach);
}

/// What of an axis is between two shares of what it shows.
std::pair<double, double> part(const AxisSpan& span, double from, double to) {
  const double wide = span.upper - span.lower;
  return {span.lower + from * wide, span.lower + to * wide};
}

QToolButton& button(const QWidget& chart) { return *chart.findChild<QToolButton*>("resetZoom"); }

std::uint64_t serve(HitRateModel& rates, int requests) {
  RequestRecord record;
  record.source = "dram";
  record.context_tokens = 100;
  for (int i = 0; i < requests; ++i) rates.request_finished(record, 1);
  return rates.requests();
}

}  // namespace

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

  void aRunDoesNotMoveZoomedAxes() {
    HitRateModel rates;
    rates.set_tiers({{"dram", 1, {}, false}});
    HitRateChart chart(rates);
    chart.resize(640, 360);
    chart.show();
    serve(rates, 100);
    chart.flush();
    QCoreApplication::processEvents();
    const QValueAxis &x = axis(chart, Qt::Horizontal), &y = axis(chart, Qt::Vertical);
    const AxisRanges all = ranges(chart);
    QCOMPARE(y.tickType(), QValueAxis::TicksFixed);
    QVERIFY(turn(canvas(chart), chart.chart().plotArea().center(), 3));
    const AxisRanges zoomed = ranges(chart);
    QVERIFY(zoomed.x.upper < all.x.upper && zoomed.y.upper < all.y.upper);
    QVERIFY2(y.labelFormat().endsWith(" %%") && y.tickType() == QValueAxis::TicksDynamic, qPrintable(y.labelFormat()));
    QVERIFY((zoomed.y.upper - zoomed.y.lower) / y.tickInterval() < 12);
    serve(rates, 900);
    chart.flush();
    QCOMPARE(ranges(chart), zoomed);
    QVERIFY(chart.series().at("dram")->points().back().x() > zoomed.x.upper);
    chart.zoom().reset();
    QVERIFY(x.max() >= 1000 && x.min() == 0);
    QCOMPARE(ranges(chart).y, all.y);
    QCOMPARE(y.tickType(), QValueAxis::TicksFixed);
    QCOMPARE(y.labelFormat(), QString("%.0f %%"));
    serve(rates, 4000);
    chart.flush();
    QVERIFY(x.max() >= 5000);  // follows again
  }

  void heldAxesStayAndFollowAgain() {
    HitRateModel rates;
    rates.set_tiers({{"dram", 1, {}, false}});
    HitRateChart chart(rates);
    chart.resize(640, 360);
    chart.show();
    serve(rates, 100);
    chart.flush();
    const AxisRanges all = ranges(chart);
    chart.zoom().hold_action().trigger();
    serve(rates, 900);
    chart.flush();
    QCOMPARE(ranges(chart), all);
    QVERIFY(!chart.zoom().zoomed() && !button(chart).isVisible());
    chart.zoom().hold_action().trigger();
    QVERIFY(axis(chart, Qt::Horizontal).max() >= 1000);
  }

  void anotherTableIsShownWhole() {
    SeriesChart chart;
    show(chart, ramp());
    chart.zoom().hold_action().trigger();
    chart.zoom().zoom(5);
    show(chart, ramp(1000));
    QVERIFY(!chart.zoom().zoomed());
    QVERIFY(ranges(chart).y.upper >= 1000);
    show(chart, ramp(0.5));
    QVERIFY(ranges(chart).y.upper < 1);
  }

  void anEmptyChartIsNotZoomed() {
    HitRateModel rates;
    HitRateChart chart(rates);
    chart.resize(640, 360);
    chart.show();
    chart.flush();
    const AxisRanges before = ranges(chart);
    turn(canvas(chart), canvas(chart).rect().center(), 1);
    chart.setFocus();
    QTest::keyClick(&chart, Qt::Key_Plus);
    QCOMPARE(ranges(chart), before);
  }

  void aTimeLineZoomsAlongTime() {
    FigureResult result = begin_figure("kvpr/fig3");
    result.tables = {{"Timeline",
                      {"lane", "what", "layer", "from ms", "to ms"},
                      {{"link", "weights", 0, 0, 4}, {"processor", "layer", 0, 4, 10}},
                      FigurePlot{.kind = FigurePlot::Kind::spans,
                                 .x = "ms since the step began",
                                 .y = {"lane", "from ms", "to ms"},
                                 .by = {"layer", "what"}}}};
    TimeLineChart chart;
    show(chart, result);
    const QRectF area = chart.chart().plotArea(), first = chart.slice(chart.spans()[0]);
    chart.zoom().zoom_at(exact_place(area, 0, 0.5), std::pow(ChartZoom::key_factor, 4));
    QVERIFY(chart.zoom().zoomed());
    QCOMPARE(axis(chart, Qt::Vertical).min(), 0.0);
    QCOMPARE(axis(chart, Qt::Vertical).max(), 2.0);
    const double factor = std::pow(ChartZoom::key_factor, 4);
    const double scale = chart.chart().plotArea().width() / area.width();
    QVERIFY(near(chart.slice(chart.spans()[0]).width(), first.width() * factor * scale, 1e-6 * first.width()));
    chart.zoom().reset();
    QCOMPARE(axis(chart, Qt::Horizontal).min(), 0.0);
  }

  void theFrontierZoomsItsLogarithmicAxisByFactors() {
    FrontierModel model;
    FrontierChart chart(model);
    chart.resize(700, 400);
    chart.show();
    FrontierPrediction prediction;
    prediction.curves = {{"evicpress", {{1, {0.5, 0.01}}, {10, {0.9, 1}}}}};
    model.set_prediction(prediction);
    chart.flush();
    QCoreApplication::processEvents();
    const AxisRanges all = ranges(chart);  // x: log10 of seconds
    auto* times = qobject_cast<QCategoryAxis*>(&axis(chart, Qt::Horizontal));
    const QStringList labels = times->categoriesLabels();
    chart.zoom().zoom(std::pow(ChartZoom::key_factor, 4), {true, false});
    const double share = 1 / std::pow(ChartZoom::key_factor, 4);
    const auto [left, right] = part(all.x, (1 - share) / 2, (1 + share) / 2);
    QVERIFY(near(ranges(chart).x, left, right));
    QCOMPARE(ranges(chart).y, all.y);
    QVERIFY(!times->categoriesLabels().isEmpty() && times->categoriesLabels() != labels);
    chart.zoom().reset();
    QVERIFY(near(ranges(chart).x, all.x.lower, all.x.upper));
    QCOMPARE(times->categoriesLabels(), labels);
  }

  void occupancyZoomsAndAMarkIsStillClicked() {
    ScriptedSession session;
    RunModel run(session);
    session.set_state(RunState::ready);
    run.tick();
    PlacementAction action;
    action.kind = ActionKind::demote;
    action.from = {0, "none", 0};
    action.to = {1, "none", 0};
    OccupancyPlot plot(run.tiers, "dram");
    run.tiers.tier_occupancy(1, {"dram", 12 << 20, 13 << 20, {{"none", 12 << 20}}});
    run.tiers.placement_committed(20, {action, "story-2", 0});
    run.tiers.tier_occupancy(40, {"dram", 6 << 20, 13 << 20, {{"none", 6 << 20}}});
    plot.resize(500, 220);
    plot.set_theme(theme_of(ThemeKind::light));
    plot.show();
    QCoreApplication::processEvents();
    const QRectF area = plot.plot();
    const QImage whole = plot.grab().toImage();
    plot.zoom().zoom_to(QRectF(exact_place(area, 0.25, 1), exact_place(area, 0.75, 0)));
    QVERIFY(near(plot.zoom().view().shown().x, 10, 30));
    const auto labels = plot.time_labels(plot.fontMetrics());
    QCOMPARE(labels.front().text, QString("10 s"));
    QVERIFY(plot.grab().toImage() != whole);
    QSignalSpy picked(&plot, &OccupancyPlot::contextPicked);
    const QPointF mark = place(area, 0.5, 0) - QPointF(0, 5);  // 20 s
    drag(plot, mark, mark + QPointF(3, 0), Qt::LeftButton, Qt::ShiftModifier);
    QCOMPARE(picked.size(), 0);
    QTest::mouseClick(&plot, Qt::LeftButton, {}, mark.toPoint());
    QCOMPARE(picked.size(), 1);
    QCOMPARE(picked[0][0].toString(), QString("story-2"));
    // The run continues: what is shown stays.
    const AxisRanges zoomed = plot.zoom().view().shown();
    run.tiers.tier_occupancy(90, {"dram", 9 << 20, 13 << 20, {{"none", 9 << 20}}});
    plot.zoom().sync();
    QCOMPARE(plot.zoom().view().shown(), zoomed);
    QTest::keyClick(&plot, Qt::Key_0);
    QVERIFY(near(plot.zoom().view().shown().x, 0, 160));  // the axis doubles, it does not follow each sample
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
