// links: kv_ui
// Axes of names, as those of bars and cells: wheel, box and keys show whole places, at least one, and never beyond the
// ends; what was zoomed is said by name.
#include <QBarCategoryAxis>
#include <QTest>
#include <cmath>
#include <utility>

#include "core/base/random.h"
#include "tests/support/test_program.h"
#include "tests/ui/charts/chart_hands.h"
#include "ui/papers/charts/figure_bars_chart.h"
#include "ui/papers/charts/figure_heat_map.h"

namespace chart_zoom_places_test {

using namespace kvantage;
using namespace kvantage::chart_hands;

namespace {

constexpr int models = 8;

FigureResult result_of(FigurePlot::Kind kind) {
  FigureResult result = begin_figure("evicpress/fig8");
  FigurePlot plot{.kind = kind, .x = "model", .y = {"TTFT s"}, .by = {"policy"}};
  if (kind == FigurePlot::Kind::heat_map) plot.y = {"policy", "TTFT s"};
  FigureTable table{"TTFT by model", {"policy", "model", "TTFT s"}, {}, plot};
  for (int model = 0; model < models; ++model)
    for (const char* policy : {"lru", "lfu", "evicpress"})
      table.rows.push_back({policy, "model " + std::to_string(model), 0.1 * (model + 1)});
  result.tables = {std::move(table)};
  return result;
}

QBarCategoryAxis& places(const ChartPanel& chart, Qt::Orientation orientation) {
  return *qobject_cast<QBarCategoryAxis*>(chart.chart().axes(orientation).value(0));
}

/// Names at the ends of an axis.
std::pair<QString, QString> ends(const ChartPanel& chart, Qt::Orientation orientation = Qt::Horizontal) {
  return {places(chart, orientation).min(), places(chart, orientation).max()};
}

std::pair<QString, QString> from_to(int first, int last) {
  return {QStringLiteral("model %1").arg(first), QStringLiteral("model %1").arg(last)};
}

AxisSpan list_of(int count) { return {-0.5, count - 0.5, false, true}; }

bool is_whole(const AxisSpan& shown, const AxisSpan& all) {
  const auto whole = [&](double end) { return std::abs(end - all.lower - std::round(end - all.lower)) < 1e-12; };
  return whole(shown.lower) && whole(shown.upper) && shown.upper - shown.lower >= 1 && shown.lower >= all.lower &&
         shown.upper <= all.upper;
}

}  // namespace

class ChartZoomPlacesTest : public QObject {
  Q_OBJECT

 private slots:
  // Whatever a hand does: no place is cut, and the one under the mouse stays.
  void anyGestureShowsWholePlaces() {
    Random random(17);
    for (const int count : {1, 2, 3, 8, 40}) {
      ChartView view({list_of(count), {0, 1}});
      for (int step = 0; step < 400; ++step) {
        const AxisSpan before = view.shown().x;
        const double share = random.uniform();
        switch (random.below(4)) {
          case 0: {
            const double factor = random.below(2) == 0 ? 1.25 : 1 / 1.25;
            const double under = std::floor(before.lower + 0.5 + share * (before.upper - before.lower));
            const bool moved = view.zoom_about({share, 0.5}, factor, {true, false});
            const AxisSpan& now = view.shown().x;
            QVERIFY(now.lower <= under - 0.5 + 1e-9 && now.upper >= under + 0.5 - 1e-9);
            const double more = (now.upper - now.lower) - (before.upper - before.lower);
            QVERIFY(!moved || (factor > 1 ? more <= -1 : more >= 1));
            break;
          }
          case 1:
            view.pan({2 * random.uniform() - 1, 0}, {true, false});
            QCOMPARE(view.shown().x.upper - view.shown().x.lower, before.upper - before.lower);
            break;
          case 2:
            view.zoom_to(QRectF(QPointF(share, 0), QPointF(random.uniform(), 1)), {true, false});
            break;
          default:
            view.zoom_about({share, 0.5}, 1 / 1.25, {true, false});
        }
        QVERIFY2(
            is_whole(view.shown().x, list_of(count)),
            qPrintable(QStringLiteral("%1: %2 to %3").arg(count).arg(view.shown().x.lower).arg(view.shown().x.upper)));
      }
      view.reset();
      QCOMPARE(view.shown().x, list_of(count));
    }
  }

  // A box shows what it touches.
  void aBoxShowsWhatItTouches() {
    ChartView view({list_of(8), {0, 1}});
    QVERIFY(view.zoom_to(QRectF(QPointF(1.9 / 8, 0), QPointF(4.1 / 8, 1)), {true, false}));
    QCOMPARE(view.shown().x, (AxisSpan{0.5, 4.5, false, true}));
    view.reset();
    QVERIFY(view.zoom_to(QRectF(QPointF(2.0 / 8, 0), QPointF(4.0 / 8, 1)), {true, false}));
    QCOMPARE(view.shown().x, (AxisSpan{1.5, 3.5, false, true}));  // exactly two
    view.set_data({list_of(3), {0, 1}});                          // fewer than were shown: what is left of them
    QVERIFY(is_whole(view.shown().x, list_of(3)));
  }

  void barsZoomByWheelBoxAndKeys() {
    FigureBarsChart chart;
    show(chart, result_of(FigurePlot::Kind::bars));
    QCOMPARE(ends(chart), from_to(0, models - 1));
    const auto values = [&chart] {
      return qobject_cast<QValueAxis*>(chart.chart().axes(Qt::Vertical).value(0))->max();
    };
    const double top = values();
    const QRectF area = chart.chart().plotArea();
    QVERIFY(turn(canvas(chart), place(area, 0.5, 0.5), 1, Qt::ShiftModifier));  // along x alone
    QCOMPARE(places(chart, Qt::Horizontal).categories().size(), models);
    const auto [first, last] = ends(chart);
    QVERIFY(chart.zoom().zoomed() && (first != from_to(0, 7).first || last != from_to(0, 7).second));
    QCOMPARE(values(), top);
    chart.zoom().reset();
    QCOMPARE(ends(chart), from_to(0, models - 1));

    const QRectF again = chart.chart().plotArea();
    drag(canvas(chart), place(again, 2.3 / models, 0.5), place(again, 4.7 / models, 0.5), Qt::LeftButton,
         Qt::ShiftModifier);
    QCOMPARE(ends(chart), from_to(2, 4));
    // Bars are where the axis shows them, and as wide as a third of the plot.
    const QRectF bar = chart.bar_box(1, 3);
    QVERIFY(chart.chart().plotArea().adjusted(-1, -1, 1, 1).contains(bar));
    QVERIFY(std::abs(bar.center().x() - chart.chart().plotArea().center().x()) < 2);
    QVERIFY(!chart.chart().plotArea().intersects(chart.bar_box(1, 0)));

    chart.setFocus();
    QTest::keyClick(&chart, Qt::Key_Right, Qt::ControlModifier);
    QCOMPARE(ends(chart), from_to(3, 5));  // one at least
    for (int press = 0; press < 10; ++press) QTest::keyClick(&chart, Qt::Key_Right, Qt::ControlModifier);
    QCOMPARE(ends(chart), from_to(5, 7));
    QVERIFY2(chart.accessibleDescription().contains("model 5 to model 7"), qPrintable(chart.accessibleDescription()));
    for (int press = 0; press < 10; ++press) QTest::keyClick(&chart, Qt::Key_Plus);
    QCOMPARE(places(chart, Qt::Horizontal).min(), places(chart, Qt::Horizontal).max());
    QTest::keyClick(&chart, Qt::Key_Minus);
    QVERIFY(places(chart, Qt::Horizontal).min() != places(chart, Qt::Horizontal).max());
    QTest::keyClick(&chart, Qt::Key_0);
    QCOMPARE(ends(chart), from_to(0, models - 1));
    QCOMPARE(values(), top);
  }

  // The hand takes the data along, though it moves in whole places.
  void aDragMovesAsFarAsTheHand() {
    FigureBarsChart chart;
    show(chart, result_of(FigurePlot::Kind::bars));
    const QRectF all = chart.chart().plotArea();
    chart.zoom().zoom_to(QRectF(exact_place(all, 4.2 / models, 1), exact_place(all, 7.8 / models, 0)));
    QCOMPARE(ends(chart), from_to(4, 7));
    const QRectF area = chart.chart().plotArea();
    constexpr int moves = 30;
    const QPointF from = place(area, 0.1, 0.5);
    mouse(canvas(chart), QEvent::MouseButtonPress, from, Qt::MiddleButton);
    for (int move = 1; move <= moves; ++move)  // each is less than half a place
      mouse(canvas(chart), QEvent::MouseMove, from + QPointF(area.width() / 2 * move / moves, 0), Qt::MiddleButton);
    mouse(canvas(chart), QEvent::MouseButtonRelease, from + QPointF(area.width() / 2, 0), Qt::MiddleButton);
    QCOMPARE(ends(chart), from_to(2, 5));
  }

  // A touch pad sends parts of a step.
  void partsOfAWheelStepAddUp() {
    FigureBarsChart chart;
    show(chart, result_of(FigurePlot::Kind::bars));
    const QPointF at = place(chart.chart().plotArea(), 0.5, 0.5);
    const auto part = [&] {
      QWheelEvent event(at, canvas(chart).mapToGlobal(at), {}, QPoint(0, 40), Qt::NoButton, Qt::ShiftModifier,
                        Qt::NoScrollPhase, false);
      QApplication::sendEvent(&canvas(chart), &event);
    };
    part();
    part();
    QCOMPARE(ends(chart), from_to(0, models - 1));
    part();
    QVERIFY(chart.zoom().zoomed());
  }

  void cellsZoomAlongBothAxes() {
    FigureHeatMap chart;
    show(chart, result_of(FigurePlot::Kind::heat_map));
    const QRectF area = chart.chart().plotArea();
    const QRectF whole = chart.cell_box(0, 0);
    QVERIFY(std::abs(whole.left() - area.left()) < 1 && std::abs(whole.top() - area.top()) < 1);
    drag(canvas(chart), place(area, 5.2 / models, 0.9), place(area, 6.8 / models, 0.45), Qt::LeftButton,
         Qt::ShiftModifier);
    QCOMPARE(ends(chart), from_to(5, 6));
    QCOMPARE(places(chart, Qt::Vertical).count(), 3);
    const auto [low, high] = ends(chart, Qt::Vertical);
    QVERIFY(low != high && high == QString::fromStdString(chart.cells().rows.front()));  // the two upper rows
    const QRectF shown = chart.chart().plotArea();
    const QRectF first = chart.cell_box(0, 5), last = chart.cell_box(1, 6);
    QVERIFY(std::abs(first.left() - shown.left()) < 1 && std::abs(first.top() - shown.top()) < 1);
    QVERIFY(std::abs(last.right() - shown.right()) < 1 && std::abs(last.bottom() - shown.bottom()) < 1);
    QVERIFY(!shown.adjusted(1, 1, -1, -1).intersects(chart.cell_box(2, 5)));
    // A step of the keys brings what it moves to into view.
    chart.setFocus();
    QTest::keyClick(&chart, Qt::Key_Home);
    QTest::keyClick(&chart, Qt::Key_Home);
    QCOMPARE(places(chart, Qt::Horizontal).min(), from_to(0, 0).first);
    mouse(canvas(chart), QEvent::MouseButtonDblClick, shown.center(), Qt::LeftButton);
    QCOMPARE(ends(chart), from_to(0, models - 1));
  }

  void anotherTableIsShownWhole() {
    FigureBarsChart chart;
    show(chart, result_of(FigurePlot::Kind::bars));
    for (int press = 0; press < 4; ++press) chart.zoom().zoom(ChartZoom::key_factor);
    QVERIFY(chart.zoom().zoomed());
    show(chart, result_of(FigurePlot::Kind::bars));
    QVERIFY(!chart.zoom().zoomed());
    QCOMPARE(ends(chart), from_to(0, models - 1));
  }
};

KV_TEST_MAIN(ChartZoomPlacesTest)

}  // namespace chart_zoom_places_test

#include "chart_zoom_places_test.moc"
