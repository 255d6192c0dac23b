// links: kv_ui
// Points of other runs on the Frontier: where they are, and what hovering, keys and a click show of them.
#include <QApplication>
#include <QChartView>
#include <QImage>
#include <QMouseEvent>
#include <QPainter>
#include <QSignalSpy>
#include <QTest>
#include <cmath>

#include "tests/support/test_program.h"
#include "ui/live/frontier/frontier_chart.h"
#include "ui/live/frontier/frontier_overlay.h"
#include "ui/live/frontier/frontier_tips.h"
#include "ui/live/frontier/held_points.h"

namespace held_points_test {

using namespace kvantage;

class HeldPointsTest : public QObject {
  Q_OBJECT

  static MeasuredPoint point(double seconds, double quality, int epoch = 0) {
    MeasuredPoint made;
    made.epoch = epoch;
    made.policy = "lru";
    made.uses_alpha = false;
    made.settings = "budgets: dram 6.0 MiB\nmethods: all profiled ones\nmax concurrency: 1";
    made.quality = {.mean = quality, .low = quality, .high = quality, .n = 96, .has_interval = false, .groups = 12};
    made.ttft = {.mean = seconds, .low = seconds, .high = seconds, .n = 96, .has_interval = false, .groups = 12};
    return made;
  }
  static std::vector<HeldRun> runs() {
    HeldRun pinned, ghost, hidden;
    pinned.id = "run-3";
    pinned.name = "half the budget";
    pinned.color = 2;
    pinned.points = {point(0.2, 0.6, 0), point(0.4, 0.7, 1)};
    ghost.name = "before";
    ghost.color = 1;
    ghost.ghost = true;
    ghost.points = {point(0.6, 0.5)};
    hidden.id = "run-4";
    hidden.name = "hidden";
    hidden.shown = false;
    hidden.points = {point(0.8, 0.8)};
    return {pinned, ghost, hidden};
  }
  /// A canvas on which a mean is at (1000 * seconds, 1000 * quality).
  static FrontierCanvas flat(const FrontierModel& model, const std::vector<MeasuredPoint>& measured,
                             const std::vector<HeldRun>& held) {
    return {
        model,
        measured,
        theme_of(ThemeKind::light),
        QRectF(0, 0, 1000, 1000),
        QFont(),
        [](const FrontierMean& mean) { return std::optional(QPointF(1000 * mean.ttft_seconds, 1000 * mean.quality)); },
        [](const QString&) { return false; },
        &held};
  }

 private slots:
  void whatIsShownHasAPlaceAndATip() {
    const FrontierModel model;
    const std::vector<MeasuredPoint> none;
    const std::vector<HeldRun> held = runs();
    const FrontierCanvas canvas = flat(model, none, held);
    const auto places = held_places(canvas);
    QCOMPARE(places.size(), std::size_t{3});
    QCOMPARE(places[1].at, QPointF(400, 700));
    QVERIFY(places[0].run == &held[0] && places[2].run == &held[1]);
    QVERIFY(!held_at(canvas, {800, 800}));
    const QString tip = frontier_tip(canvas, {402, 698});
    QVERIFY2(tip.startsWith("half the budget: lru, measured over 12 contexts, 96 requests\nquality 0.700\nTTFT "),
             qPrintable(tip));
    QVERIFY(tip.contains("dram 6.0 MiB") && tip.contains("Enter to open run run-3"));
    QCOMPARE(short_tip(tip).split('\n').size(), 3);
    const QString earlier = frontier_tip(canvas, {600, 500});
    QVERIFY2(earlier.startsWith("before: ") && earlier.contains("Earlier run") && !earlier.contains("Enter"),
             qPrintable(earlier));
  }

  void eachRunIsARowOfTheKeys() {
    const FrontierModel model;
    const std::vector<MeasuredPoint> none;
    std::vector<HeldRun> held = runs();
    held[1].name = held[0].name;  // as two runs may
    const auto rows = frontier_rows(flat(model, none, held));
    QCOMPARE(rows.size(), std::size_t{2});
    QCOMPARE(rows[0].size(), std::size_t{2});
    QVERIFY(rows[0][0].kind == FrontierStop::Kind::held && rows[0][0].row != rows[1][0].row);
    QCOMPARE(rows[0][1].run, QString("run-3"));
    QCOMPARE(rows[0][1].along, 1.0);
    QCOMPARE(rows[1][0].run, QString());
  }

  void segmentsAreJoinedAndGhostsAreFaint() {
    const FrontierModel model;
    const std::vector<MeasuredPoint> none;
    std::vector<HeldRun> held = runs();
    held[0].color = held[1].color = 0;
    const auto ink = [&](const QPoint& around) {  // the darkest there
      QImage image(1000, 1000, QImage::Format_RGB32);
      image.fill(Qt::white);
      QPainter painter(&image);
      paint_frontier(painter, flat(model, none, held));
      painter.end();
      int darkest = 255;
      for (int x = around.x() - 6; x <= around.x() + 6; ++x)
        for (int y = around.y() - 6; y <= around.y() + 6; ++y) darkest = std::min(darkest, qGray(image.pixel(x, y)));
      return darkest;
    };
    QVERIFY(ink({300, 650}) < 250);  // halfway between two segments
    QVERIFY(ink({500, 600}) == 255);
    const int ghost = ink({600, 500});
    held[1].ghost = false;
    QVERIFY2(ghost > ink({600, 500}) + 20, qPrintable(QString::number(ghost)));
  }

  void theChartTakesThemInPlaceOfEarlierRuns() {
    FrontierModel model;
    FrontierChart chart(model);
    chart.resize(700, 420);
    chart.show();
    QVERIFY(chart.is_empty());
    chart.set_held(runs());
    chart.flush();
    QCoreApplication::processEvents();
    QVERIFY(!chart.is_empty());
    const ChartTable table = chart.table();
    QCOMPARE(table.rows.size(), 3);
    for (const QStringList& row : table.rows) QCOMPARE(row.size(), table.header.size());
    QCOMPARE(table.rows[0][table.header.indexOf("run")], QString("half the budget"));
    // A click pins all there is to say; the run is opened from there.
    QSignalSpy opened(&chart, &FrontierChart::measuredPointClicked);
    QWidget& view = *chart.findChild<QChartView*>()->viewport();
    const QPointF at = chart.chart().mapToPosition({std::log10(0.4), 0.7}, chart.chart().series().first());
    QVERIFY(chart.note().isHidden());
    QTest::mouseClick(&view, Qt::LeftButton, {}, at.toPoint());
    QVERIFY(chart.note().isVisible() && opened.isEmpty());
    QVERIFY2(chart.note().text().contains("half the budget") && chart.note().text().contains("max concurrency: 1") &&
                 !chart.note().text().contains("Enter"),
             qPrintable(chart.note().text()));
    QVERIFY(chart.rect().contains(chart.note().geometry()));
    chart.note().open_button().click();
    QCOMPARE(opened.size(), 1);
    QCOMPARE(opened[0][0].toInt(), 1);
    QCOMPARE(opened[0][1].toString(), QString("run-3"));
    QVERIFY(chart.note().isHidden());
    QTest::mouseClick(&view, Qt::LeftButton, {}, at.toPoint());
    QVERIFY(chart.note().isVisible());
    QTest::keyClick(&chart.note(), Qt::Key_Escape);
    QVERIFY(chart.note().isHidden());
    QTest::mouseClick(&view, Qt::LeftButton, {}, at.toPoint());
    QVERIFY(chart.note().isVisible());
    QTest::mouseClick(&view, Qt::LeftButton, {}, chart.chart().plotArea().bottomLeft().toPoint() + QPoint(4, -4));
    QVERIFY(chart.note().isHidden());  // elsewhere
    chart.set_held({});
    chart.flush();
    QVERIFY(chart.is_empty());
  }
};

KV_TEST_MAIN(HeldPointsTest)

}  // namespace held_points_test

#include "held_points_test.moc"
