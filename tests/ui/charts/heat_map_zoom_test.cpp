// links: kv_ui
// The heat map zoomed and panned: its columns, and the height of its rows. Rows that do not fit scroll.
#include <QScrollBar>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <optional>

#include "tests/support/test_program.h"
#include "tests/ui/charts/chart_hands.h"
#include "tests/ui/window/scripted_session.h"
#include "ui/charts/heat_map.h"
#include "ui/session/run_model.h"

namespace heat_map_zoom_test {

using namespace kvantage;
using namespace kvantage::chart_hands;

namespace {

constexpr int contexts = 24;

/// A map of a session whose contexts are profiled.
struct Shown {
  explicit Shown(int height, std::size_t count = contexts) : session(count), run(session), map(run.sensitivity) {
    session.set_state(RunState::ready);
    run.tick();
    map.setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn);  // the cells are as wide with rows out of sight
    map.resize(500, height);
    map.show();
    map.flush();
    QCoreApplication::processEvents();
  }
  QWidget& cells() const { return *map.viewport(); }
  QPointF middle() const { return QRectF(cells().rect()).center(); }
  ScriptedSession session;
  RunModel run;
  HeatMap map;
};

}  // namespace

class HeatMapZoomTest : public QObject {
  Q_OBJECT

 private slots:
  void theWheelZoomsAboutTheMouse() {
    Shown shown(900);  // all rows are in it
    HeatMap& map = shown.map;
    QCOMPARE(map.row_count(), contexts);
    QCOMPARE(map.verticalScrollBar()->maximum(), 0);
    const QRectF first = map.cell(0, 0);
    const QPointF at = map.cell(12, 1).center();
    QVERIFY(turn(shown.cells(), at, 3));
    const double factor = std::pow(ChartZoom::key_factor, 3);
    QVERIFY(near(map.cell(0, 0).width(), first.width() * factor, 1e-6));
    QVERIFY(near(map.cell(0, 0).height(), first.height() * factor, 0.02));
    QVERIFY(near(map.cell(12, 1).center().x(), at.x(), 0.05) && near(map.cell(12, 1).center().y(), at.y(), 0.05));
    QVERIFY(map.zoom().zoomed() && button(map).isVisible());
    QVERIFY2(map.accessibleDescription().contains("zoomed: contexts "), qPrintable(map.accessibleDescription()));
    QVERIFY(map.verticalScrollBar()->maximum() > 0);  // some are out of sight now
    mouse(shown.cells(), QEvent::MouseButtonDblClick, at, Qt::LeftButton);
    QCOMPARE(map.cell(0, 0), first);
    QVERIFY(!map.zoom().zoomed() && !button(map).isVisible());
    QVERIFY(!map.accessibleDescription().contains("zoomed"));
  }

  void aBoxAndTheHandMoveIt() {
    Shown shown(900);
    HeatMap& map = shown.map;
    const QRectF first = map.cell(4, 0), last = map.cell(9, 1);
    drag(shown.cells(), first.topLeft().toPoint(), last.bottomRight().toPoint(), Qt::LeftButton, Qt::ShiftModifier);
    QVERIFY(map.zoom().zoomed());
    QVERIFY2(map.accessibleDescription().contains(QStringLiteral("contexts 5 to 10 of %1").arg(contexts)),
             qPrintable(map.accessibleDescription()));
    const QPointF before = map.cell(6, 0).center();
    drag(shown.cells(), before.toPoint(), (before + QPointF(0, 40)).toPoint(), Qt::MiddleButton);
    QVERIFY(near(map.cell(6, 0).center().y(), before.y() + 40, 1.1));
    QVERIFY(near(map.cell(6, 0).center().x(), before.x(), 1e-6));
  }

  void rowsThatDoNotFitScroll() {
    Shown shown(200);
    HeatMap& map = shown.map;
    QScrollBar& bar = *map.verticalScrollBar();
    const QRectF first = map.cell(0, 0);
    QVERIFY(bar.maximum() > 0 && bar.value() == 0);
    turn(shown.cells(), shown.middle(), -1);
    QVERIFY(bar.value() > 0 && !map.zoom().zoomed());
    QCOMPARE(map.cell(0, 0).top(), first.top() - bar.value());
    QCOMPARE(map.cell(0, 0).size(), first.size());
    bar.setValue(bar.maximum());
    const QRectF last = map.cell(contexts - 1, 0);
    QVERIFY(last.bottom() <= shown.cells().height() && last.bottom() > shown.cells().height() - last.height());
    QVERIFY(!map.zoom().zoomed());  // nothing to reset
    map.setFocus();
    QTest::keyClick(&map, Qt::Key_Up, Qt::ControlModifier);
    QVERIFY(bar.value() < bar.maximum() && !map.zoom().zoomed());
    bar.setValue(bar.maximum());
    drag(shown.cells(), shown.middle().toPoint(), (shown.middle() + QPointF(0, 20)).toPoint(), Qt::MiddleButton);
    QVERIFY(near(bar.value(), bar.maximum() - 20, 1.1) && !map.zoom().zoomed());
  }

  void zoomedOutAllRowsAreSeen() {
    Shown shown(200);
    HeatMap& map = shown.map;
    QScrollBar& bar = *map.verticalScrollBar();
    const QRectF first = map.cell(0, 0);
    QVERIFY(turn(shown.cells(), shown.middle(), -20, Qt::ControlModifier));
    QVERIFY(map.zoom().zoomed());
    QCOMPARE(bar.maximum(), 0);
    QVERIFY(map.cell(contexts - 1, 0).bottom() <= shown.cells().height());
    QVERIFY(map.cell(0, 0).height() < first.height() / 2);
    map.setFocus();
    QTest::keyClick(&map, Qt::Key_0);
    QVERIFY(!map.zoom().zoomed() && bar.maximum() > 0);
    QCOMPARE(map.cell(0, 0).height(), first.height());
    QCOMPARE(map.cell(0, 0).top(), first.top());
    // There and back is the same height again, and no zoom.
    QTest::keyClick(&map, Qt::Key_Plus);
    QVERIFY(map.zoom().zoomed());
    QTest::keyClick(&map, Qt::Key_Minus);
    QVERIFY(!map.zoom().zoomed());
  }

  void theKeysBringTheirCellIntoView() {
    Shown shown(200);
    HeatMap& map = shown.map;
    const QRectF area(map.cell(0, 0).topLeft(), QPointF(shown.cells().width(), shown.cells().height()));
    map.setFocus();
    map.zoom().zoom(3);
    for (const Qt::Key key : {Qt::Key_Down, Qt::Key_Down, Qt::Key_Down, Qt::Key_Down, Qt::Key_End, Qt::Key_Home}) {
      QTest::keyClick(&map, key);
      const auto stop = map.keys().stop();
      QVERIFY(stop);
      QVERIFY2(area.contains(stop->mark.center()), qPrintable(stop->text()));
    }
    QVERIFY(map.zoom().zoomed());
  }

  // Rows thinner than two pixels are painted together, as the most sensitive of them.
  void thinRowsAreOneLine() {
    Shown shown(300, 600);
    HeatMap& map = shown.map;
    QVERIFY(turn(shown.cells(), shown.middle(), -40, Qt::ControlModifier));
    const double high = map.cell(300, 0).top() - map.cell(0, 0).top();
    const int together = static_cast<int>(std::ceil(2 / (high / 300)));
    QVERIFY(together > 1);
    const auto rows = shown.run.sensitivity.heat_rows();
    std::optional<double> highest;
    for (std::size_t r = 0; r < static_cast<std::size_t>(together); ++r)
      if (rows[r].drops[0]) highest = std::max(highest.value_or(0), *rows[r].drops[0]);
    QVERIFY(highest);
    const QPoint at(static_cast<int>(map.cell(0, 0).center().x()), static_cast<int>(map.cell(0, 0).top()) + 1);
    QCOMPARE(shown.cells().grab().toImage().pixelColor(at).rgb(), theme_of(ThemeKind::light).heat(*highest).rgb());
  }
};

KV_TEST_MAIN(HeatMapZoomTest)

}  // namespace heat_map_zoom_test

#include "heat_map_zoom_test.moc"
