// links: kv_ui
// A box selects the contexts of a chart's points, in every view; the keys add one or remove it.
#include "ui/charts/chart_brush.h"

#include <QAction>
#include <QApplication>
#include <QChartView>
#include <QMouseEvent>
#include <QRubberBand>
#include <QSignalSpy>
#include <QTest>

#include "tests/support/test_program.h"
#include "tests/ui/window/scripted_session.h"
#include "ui/charts/cdf_chart.h"
#include "ui/charts/heat_map.h"
#include "ui/live/tiers/tiers_dock.h"
#include "ui/session/run_model.h"

namespace chart_brush_test {

using namespace kvantage;

namespace {

using Ids = std::set<QString>;

/// Five points in a row, of which the last has no id.
class Dots : public QWidget {
 public:
  Dots()
      : keys(*this, *this, "Dots", [this] { return rows(); }),
        brush(*this, *this, "Dots", keys, [this] { return rows(); }) {
    resize(300, 100);
    show();
  }
  static PointKeys::Rows rows() {
    std::vector<PointStop> row;
    for (int i = 0; i < 5; ++i)
      row.push_back({"dots", i < 4 ? QString("c%1").arg(i) : QString(), static_cast<double>(i),
                     mark_around({30.0 + 50 * i, 50}), QString("dot %1").arg(i)});
    return {row};
  }
  PointKeys keys;
  ChartBrush brush;
  int presses = 0;

 protected:
  void mousePressEvent(QMouseEvent*) override { ++presses; }
};

void mouse(QWidget& widget, QEvent::Type type, const QPointF& at, Qt::KeyboardModifiers modifiers) {
  const bool up = type == QEvent::MouseButtonRelease;
  QMouseEvent event(type, at, widget.mapToGlobal(at), type == QEvent::MouseMove ? Qt::NoButton : Qt::LeftButton,
                    up ? Qt::NoButton : Qt::MouseButtons(Qt::LeftButton), modifiers);
  QApplication::sendEvent(&widget, &event);
}

void drag(QWidget& widget, const QPointF& from, const QPointF& to, Qt::KeyboardModifiers modifiers) {
  mouse(widget, QEvent::MouseButtonPress, from, modifiers);
  mouse(widget, QEvent::MouseMove, (from + to) / 2, modifiers);
  mouse(widget, QEvent::MouseMove, to, modifiers);
  mouse(widget, QEvent::MouseButtonRelease, to, modifiers);
}

constexpr Qt::KeyboardModifiers brushing = Qt::ControlModifier | Qt::ShiftModifier;

Ids all_contexts(const RunModel& run) {
  Ids ids;
  for (const ContextState& context : run.snapshot()->contexts) ids.insert(QString::fromStdString(context.id));
  return ids;
}

}  // namespace

class ChartBrushTest : public QObject {
  Q_OBJECT

 private slots:
  void aBoxSelectsWhatIsInIt() {
    Dots dots;
    Ids taken;
    int times = 0;
    connect(&dots.brush, &ChartBrush::brushed, &dots, [&](const Ids& ids) {
      taken = ids;
      ++times;
    });
    mouse(dots, QEvent::MouseButtonPress, {60, 80}, brushing);
    mouse(dots, QEvent::MouseMove, {140, 20}, brushing);
    auto* band = dots.findChild<QRubberBand*>();
    QVERIFY(band && band->isVisible());
    mouse(dots, QEvent::MouseButtonRelease, {140, 20}, brushing);
    QCOMPARE(taken, (Ids{"c1", "c2"}));
    QVERIFY(!dots.findChild<QRubberBand*>());
    QCOMPARE(dots.presses, 0);  // no click of the chart
    drag(dots, {100, 5}, {299, 99}, brushing);
    QCOMPARE(taken, (Ids{"c2", "c3"}));  // the last one is nothing
    drag(dots, {1, 1}, {20, 20}, brushing);
    QCOMPARE(taken, Ids{});
    QCOMPARE(times, 3);
    drag(dots, {30, 50}, {32, 51}, brushing);  // a click
    QCOMPARE(times, 3);
  }

  void otherDragsAreLeftAlone() {
    Dots dots;
    QSignalSpy brushed(&dots.brush, &ChartBrush::brushed);
    for (const Qt::KeyboardModifiers modifiers : {Qt::KeyboardModifiers(), Qt::KeyboardModifiers(Qt::ShiftModifier),
                                                  Qt::KeyboardModifiers(Qt::ControlModifier)})
      drag(dots, {1, 1}, {299, 99}, modifiers);
    QCOMPARE(brushed.size(), 0);
    QCOMPARE(dots.presses, 3);
    // The menu lets a plain drag select; a plain click is still one.
    QVERIFY(dots.actions().contains(&dots.brush.select_action()) && dots.brush.select_action().isCheckable());
    dots.brush.select_action().trigger();
    drag(dots, {1, 1}, {299, 99}, {});
    QCOMPARE(brushed.size(), 1);
    drag(dots, {30, 50}, {31, 50}, {});
    QCOMPARE(brushed.size(), 1);
    QCOMPARE(dots.presses, 5);
    dots.brush.select_action().trigger();
    drag(dots, {1, 1}, {299, 99}, {});
    QCOMPARE(brushed.size(), 1);
  }

  void spaceAddsAndRemovesThePointAtTheKeys() {
    Dots dots;
    Ids taken{"none"};
    connect(&dots.brush, &ChartBrush::brushed, &dots, [&](const Ids& ids) {
      taken = ids;
      dots.brush.show(ids);  // as the window's selection does
    });
    dots.setFocus();
    QTest::keyClick(&dots, Qt::Key_Space);
    QCOMPARE(taken, Ids{"none"});  // the keys are nowhere yet
    QTest::keyClick(&dots, Qt::Key_Right);
    QTest::keyClick(&dots, Qt::Key_Space);
    QTest::keyClick(&dots, Qt::Key_Right);
    QTest::keyClick(&dots, Qt::Key_Space);
    QCOMPARE(taken, (Ids{"c0", "c1"}));
    QTest::keyClick(&dots, Qt::Key_Space);
    QCOMPARE(taken, Ids{"c0"});
    QCOMPARE(dots.brush.shown(), Ids{"c0"});
    QTest::keyClick(&dots, Qt::Key_End);
    QTest::keyClick(&dots, Qt::Key_Space);
    QCOMPARE(taken, Ids{"c0"});
  }

  void sensitivityChartsSelectContexts() {
    ScriptedSession session;
    RunModel run(session);
    session.set_state(RunState::ready);
    run.tick();
    CdfChart chart(run.sensitivity);
    chart.resize(500, 300);
    chart.show();
    chart.flush();
    QCoreApplication::processEvents();
    QWidget& canvas = *chart.findChild<QChartView*>()->viewport();
    Ids taken;
    connect(&chart.brush(), &ChartBrush::brushed, &chart, [&](const Ids& ids) { taken = ids; });
    drag(canvas, {1, 1}, QPointF(canvas.width() - 1, canvas.height() - 1), brushing);
    QCOMPARE(taken, all_contexts(run));
    QVERIFY(!chart.zoom().zoomed());
    HeatMap map(run.sensitivity);
    map.resize(500, 900);  // all rows are in it
    map.show();
    map.flush();
    QCoreApplication::processEvents();
    connect(&map.brush(), &ChartBrush::brushed, &map, [&](const Ids& ids) { taken = ids; });
    taken.clear();
    QWidget& cells = *map.viewport();
    drag(cells, {1, 1}, QPointF(cells.width() - 1, cells.height() - 1), brushing);
    QCOMPARE(taken, all_contexts(run));
    const QImage before = map.grab().toImage();
    map.brush().show({*taken.begin()});
    QVERIFY(map.grab().toImage() != before);
  }

  // Brushed on one chart, ringed on the others.
  void theWindowsSelectionIsThatOfEveryChart() {
    ScriptedSession session;
    RunModel run(session);
    TiersDock dock(run);
    session.start();
    session.serve(40);
    run.tick();
    dock.resize(400, 600);
    dock.show();
    dock.flush();
    QCoreApplication::processEvents();
    const auto plots = dock.findChildren<OccupancyPlot*>();
    QCOMPARE(plots.size(), 2);
    emit plots[0]->brush().brushed({"story-2", "news-1"});
    QCOMPARE(run.selection.chosen_contexts(), (Ids{"story-2", "news-1"}));
    for (OccupancyPlot* plot : plots) QCOMPARE(plot->brush().shown(), (Ids{"story-2", "news-1"}));
    QCOMPARE(dock.fit_page().chart().brush().shown(), (Ids{"story-2", "news-1"}));
    run.selection.clear();
    QVERIFY(plots[1]->brush().shown().empty());
  }
};

KV_TEST_MAIN(ChartBrushTest)

}  // namespace chart_brush_test

#include "chart_brush_test.moc"
