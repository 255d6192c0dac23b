// links: kv_ui
// Targets on the Frontier: where their lines and grips are, and what dragging them sets.
#include <QApplication>
#include <QChartView>
#include <QImage>
#include <QMouseEvent>
#include <QPainter>
#include <QTest>
#include <cmath>
#include <memory>

#include "tests/support/test_program.h"
#include "tests/ui/window/scripted_session.h"
#include "ui/live/frontier/frontier_chart.h"
#include "ui/live/frontier/frontier_tips.h"
#include "ui/live/frontier/target_lines.h"

namespace target_lines_test {

using namespace kvantage;

class TargetLinesTest : public QObject {
  Q_OBJECT

  FrontierModel model_;
  std::vector<MeasuredPoint> measured_;
  PlanTarget target_;
  const QRectF plot_{100, 50, 400, 200};

  /// A second over the width, quality over the height.
  FrontierMean mean_at(const QPointF& at) const {
    return {(plot_.bottom() - at.y()) / plot_.height(), (at.x() - plot_.left()) / plot_.width()};
  }
  FrontierCanvas canvas() const {
    return {model_,
            measured_,
            theme_of(ThemeKind::light),
            plot_,
            QFont(),
            [this](const FrontierMean& mean) {
              return std::optional(QPointF(plot_.left() + plot_.width() * mean.ttft_seconds,
                                           plot_.bottom() - plot_.height() * mean.quality));
            },
            [](const QString&) { return false; },
            nullptr,
            &target_};
  }
  static void send(QWidget& widget, QEvent::Type type, const QPointF& at, Qt::MouseButtons buttons) {
    const Qt::MouseButton button = type == QEvent::MouseMove ? Qt::NoButton : Qt::LeftButton;
    QMouseEvent event(type, at, widget.mapToGlobal(at), button, buttons, Qt::NoModifier);
    QApplication::sendEvent(&widget, &event);
  }

 private slots:
  void init() {
    target_ = {};
    measured_.clear();
  }

  void linesAreAtTheirValues() {
    const auto idle = target_lines(canvas());
    QCOMPARE(idle.size(), std::size_t{2});
    QVERIFY(!idle[0].line && !idle[1].line);
    // Where they would limit nothing: the worst quality, the longest time.
    QCOMPARE(idle[0].grip.center(), plot_.bottomRight());
    QCOMPARE(idle[1].grip.center(), plot_.topRight());
    target_ = {0.75, 0.25};
    const auto lines = target_lines(canvas());
    QCOMPARE(*lines[0].line, QLineF(100, 100, 500, 100));
    QCOMPARE(lines[0].grip.center(), QPointF(500, 100));
    QCOMPARE(*lines[1].line, QLineF(200, 50, 200, 250));
    QCOMPARE(lines[1].grip.center(), QPointF(200, 50));
    target_ = {{}, 3};  // beyond the chart: at its edge
    QVERIFY(!target_lines(canvas())[1].line);
    QCOMPARE(target_lines(canvas())[1].grip.center(), plot_.topRight());
    target_ = {0.75, 0.25, TargetTtft::p95};  // no place on an axis of means
    QCOMPARE(target_lines(canvas()).size(), std::size_t{1});
    QCOMPARE(*target_lines(canvas())[0].line, QLineF(100, 100, 500, 100));
    QVERIFY(!target_axis_at(canvas(), {200, 150}) && !target_axis_at(canvas(), plot_.topRight()));
    FrontierCanvas without = canvas();
    without.target = nullptr;
    QVERIFY(target_lines(without).empty());
  }

  void aPressTakesALineOrAGrip() {
    target_ = {0.75, 0.25};
    QVERIFY(target_axis_at(canvas(), {300, 103}) == TargetAxis::quality);
    QVERIFY(target_axis_at(canvas(), {300, 93}) == std::nullopt);
    QVERIFY(target_axis_at(canvas(), {203, 180}) == TargetAxis::ttft);
    QVERIFY(target_axis_at(canvas(), {505, 104}) == TargetAxis::quality);
    QVERIFY(target_axis_at(canvas(), {80, 100}) == std::nullopt);  // beside the plot
    target_ = {};
    QVERIFY(target_axis_at(canvas(), {300, 103}) == std::nullopt);
    QVERIFY(target_axis_at(canvas(), {496, 248}) == TargetAxis::quality);
    QVERIFY2(target_tip(canvas(), {496, 248}).contains("Drag up"), qPrintable(target_tip(canvas(), {496, 248})));
    target_ = {0.75, {}};
    QVERIFY2(frontier_tip(canvas(), {300, 101}).startsWith("Target: quality ≥ 0.750"),
             qPrintable(frontier_tip(canvas(), {300, 101})));
  }

  void draggingSetsAndClears() {
    const auto dragged = [this](TargetAxis axis, const QPointF& at) {
      return dragged_target(canvas(), axis, at, mean_at(at));
    };
    QVERIFY(dragged(TargetAxis::quality, {300, 100}) == (PlanTarget{0.75, {}}));
    QVERIFY(dragged(TargetAxis::ttft, {200, 60}) == (PlanTarget{{}, 0.25}));
    target_ = {0.5, 0.25};
    // The other one stays; three digits count.
    const PlanTarget moved = dragged(TargetAxis::ttft, {152.34, 60});
    QCOMPARE(moved.quality, std::optional(0.5));
    QVERIFY(std::abs(*moved.ttft_seconds - 0.131) < 1e-12);
    QVERIFY(dragged(TargetAxis::quality, {300, 251}) == (PlanTarget{{}, 0.25}));
    QVERIFY(dragged(TargetAxis::quality, {60, 100}) == (PlanTarget{{}, 0.25}));  // out of the chart
    QVERIFY(dragged(TargetAxis::ttft, {501, 60}) == (PlanTarget{0.5, {}}));
    QVERIFY(dragged(TargetAxis::quality, {300, 45}).quality == std::optional(1.0));
  }

  void aLineIsDrawnAndExcludesWhatIsBelow() {
    target_ = {0.75, {}};
    QImage image(600, 300, QImage::Format_RGB32);
    image.fill(Qt::white);
    QPainter painter(&image);
    LabelPlacer labels(plot_);
    paint_targets(painter, canvas(), labels);
    painter.end();
    QVERIFY(image.pixelColor(300, 100) != QColor(Qt::white));
    QVERIFY(image.pixelColor(300, 200) != QColor(Qt::white));  // shaded
    QVERIFY(image.pixelColor(300, 70) == QColor(Qt::white));
  }

  // With a real chart and the mouse.
  void theMouseDragsThemOnTheChart() {
    ScriptedSession session;
    RunModel run(session);
    session.set_state(RunState::ready);
    run.tick(1000);
    SettingsController settings(session);
    TierPrices prices;
    FrontierTargets targets(run, settings, prices);
    FrontierChart chart(run.frontier);
    chart.set_targets(targets);
    chart.resize(700, 420);
    chart.show();
    FrontierPrediction prediction;
    prediction.curves = {{"evicpress", {{1, {0.5, 0.01}}, {10, {0.9, 1}}}}};
    run.frontier.set_prediction(prediction);
    chart.flush();
    QCoreApplication::processEvents();
    QWidget& view = *chart.findChild<QChartView*>()->viewport();
    const QRectF plot = chart.chart().plotArea();
    const QPointF corner = plot.bottomRight(), middle = plot.center();
    const auto drag = [&](const QPointF& from, const QPointF& to) {
      send(view, QEvent::MouseButtonPress, from, Qt::LeftButton);
      send(view, QEvent::MouseMove, to, Qt::LeftButton);
      send(view, QEvent::MouseButtonRelease, to, Qt::NoButton);
    };
    drag(corner, middle);
    QVERIFY(!targets.target().any());  // not active: there are no grips
    targets.set_active(true);
    drag(corner, middle);
    QVERIFY(targets.target().quality.has_value() && !targets.target().ttft_seconds);
    const QPointF value = chart.chart().mapToValue(middle, chart.chart().series().first());
    QVERIFY(std::abs(*targets.target().quality - value.y()) <= 0.0005 + 1e-9);
    drag(plot.topRight(), {middle.x(), plot.top() + 20});
    QVERIFY(targets.target().ttft_seconds.has_value());
    QVERIFY(std::abs(*targets.target().ttft_seconds / std::pow(10, value.x()) - 1) < 0.01);
    // Moving without a button changes nothing; a shape of the mouse says what can be dragged.
    const PlanTarget before = targets.target();
    const double y = chart.chart().mapToPosition({0, *before.quality}, chart.chart().series().first()).y();
    send(view, QEvent::MouseMove, {plot.left() + 15, y}, Qt::NoButton);
    QCOMPARE(view.cursor().shape(), Qt::SizeVerCursor);
    send(view, QEvent::MouseMove, {plot.left() + 15, y + 40}, Qt::NoButton);
    QVERIFY(view.cursor().shape() != Qt::SizeVerCursor);
    QVERIFY(targets.target() == before);
    // By the line itself, and out of the chart.
    drag({plot.left() + 15, y}, {plot.left() + 15, plot.bottom() + 3});
    QVERIFY(!targets.target().quality && targets.target().ttft_seconds);
  }
};

KV_TEST_MAIN(TargetLinesTest)

}  // namespace target_lines_test

#include "target_lines_test.moc"
