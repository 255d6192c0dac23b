// links: kv_ui
// Axes of zoomed charts: what a run moves of them, and what each kind of chart does with its own.
#include <QCategoryAxis>
#include <QSignalSpy>
#include <QTest>
#include <cmath>

#include "tests/support/test_program.h"
#include "tests/ui/charts/chart_hands.h"
#include "tests/ui/window/scripted_session.h"
#include "ui/charts/series_chart.h"
#include "ui/charts/time_line_chart.h"
#include "ui/live/frontier/frontier_chart.h"
#include "ui/live/tiers/hit_rate_chart.h"
#include "ui/live/tiers/occupancy_plot.h"
#include "ui/session/run_model.h"

namespace chart_zoom_axes_test {

using namespace kvantage;
using namespace kvantage::chart_hands;

class ChartZoomAxesTest : public QObject {
  Q_OBJECT

 private slots:
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
};

KV_TEST_MAIN(ChartZoomAxesTest)

}  // namespace chart_zoom_axes_test

#include "chart_zoom_axes_test.moc"
