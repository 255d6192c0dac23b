// links: kv_ui
// The moment under the mouse on one time chart is marked on all of them; tips are short, and a click pins the whole.
#include <QApplication>
#include <QChartView>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QTest>
#include <QToolTip>
#include <cmath>
#include <map>

#include "tests/support/test_program.h"
#include "tests/ui/window/scripted_session.h"
#include "ui/charts/chart_panel.h"
#include "ui/charts/pinned_tip.h"
#include "ui/live/tiers/hit_rate_chart.h"
#include "ui/live/tiers/occupancy_plot.h"
#include "ui/session/run_model.h"

namespace linked_cursor_test {

using namespace kvantage;

namespace {

void move_to(QWidget& widget, const QPointF& at) {
  QMouseEvent event(QEvent::MouseMove, at, widget.mapToGlobal(at), Qt::NoButton, Qt::NoButton, {});
  QApplication::sendEvent(&widget, &event);
}

void leave(QWidget& widget) {
  QEvent event(QEvent::Leave);
  QApplication::sendEvent(&widget, &event);
}

QImage picture(QWidget& widget) { return widget.grab().toImage(); }

/// Whether a line of pixels from top to bottom of the area is of one color at this place.
bool has_line(const QImage& image, const QRectF& area, double x, const QColor& color) {
  int found = 0;
  const double scale = image.devicePixelRatio();
  for (double y = area.top() + area.height() / 2; y < area.bottom() - 1; ++y)
    for (const double beside : {-2.0, -1.0, 0.0, 1.0, 2.0})
      if (image.pixelColor((QPointF(x + beside, y) * scale).toPoint()) == color) {
        ++found;
        break;
      }
  return found > area.height() / 2 - 6;
}

}  // namespace

class LinkedCursorTest : public QObject {
  Q_OBJECT

 private slots:
  void everyTimeChartMarksTheMoment() {
    ScriptedSession session;
    RunModel run(session);
    session.set_state(RunState::ready);
    run.tick();
    for (const char* tier : {"dram", "ssd"})
      for (const double seconds : {0.0, 20.0, 40.0})
        run.tiers.tier_occupancy(seconds, {tier, static_cast<std::uint64_t>(seconds + 1) << 20, 100 << 20, {}});
    OccupancyPlot first(run.tiers, "dram"), second(run.tiers, "ssd");
    for (OccupancyPlot* plot : {&first, &second}) {
      plot->follow_time(run.selection.time());
      plot->set_theme(theme_of(ThemeKind::light));
      plot->resize(plot == &first ? 500 : 300, 220);
      plot->show();
    }
    QCoreApplication::processEvents();
    const QColor line = theme_of(ThemeKind::light).muted;
    const QImage before = picture(second);
    const auto x_of = [](const OccupancyPlot& plot, double share) {
      return plot.plot().left() + share * plot.plot().width();
    };
    QVERIFY(!has_line(before, second.plot(), x_of(second, 0.25), line));
    move_to(first, {x_of(first, 0.25), first.plot().center().y()});
    QVERIFY(run.selection.time().seconds());
    QVERIFY(std::abs(*run.selection.time().seconds() - 10) < 0.1);  // a pixel is as much
    QVERIFY(has_line(picture(first), first.plot(), x_of(first, 0.25), line));
    QVERIFY(has_line(picture(second), second.plot(), x_of(second, 0.25), line));
    // Where a chart shows another part, the line is where the moment is, or nowhere.
    second.zoom().zoom_to(
        QRectF(QPointF(x_of(second, 0), second.plot().top()), QPointF(x_of(second, 0.5), second.plot().bottom())));
    QVERIFY(has_line(picture(second), second.plot(), x_of(second, 0.5), line));
    second.zoom().reset();
    move_to(first, {3, 3});
    QVERIFY(!run.selection.time().seconds());
    QCOMPARE(picture(second), before);
    move_to(second, {x_of(second, 0.5), second.plot().center().y()});
    QVERIFY(run.selection.time().seconds());
    leave(second);
    QVERIFY(!run.selection.time().seconds());
  }

  void requestsAreFoundByTheirTime() {
    HitRateModel rates;
    rates.set_tiers({{"dram", 1, {}, false}});
    QCOMPARE(rates.requests_at(5), std::uint64_t{0});
    RequestRecord record;
    record.source = "dram";
    record.context_tokens = 100;
    for (int i = 1; i <= 2000; ++i) rates.request_finished(record, 1, i * 0.5);  // more than one chunk holds
    QCOMPARE(rates.requests_at(0.4), std::uint64_t{0});
    QCOMPARE(rates.requests_at(0.5), std::uint64_t{1});
    QCOMPARE(rates.requests_at(400.2), std::uint64_t{800});
    QCOMPARE(rates.requests_at(1e9), std::uint64_t{2000});
    QCOMPARE(rates.seconds_of(0), 0.0);
    QCOMPARE(rates.seconds_of(1), 0.5);
    QCOMPARE(rates.seconds_of(513), 256.5);
    QCOMPARE(rates.seconds_of(2000), 1000.0);
  }

  // The axis of hit rates counts requests; the moment is that of the request under the mouse.
  void hitRatesShareTheClock() {
    ScriptedSession session;
    RunModel run(session);
    HitRateChart chart(run.hit_rates);
    chart.follow(run.requests, run.selection);
    run.hit_rates.set_tiers({{"dram", 1, {}, false}});
    RequestRecord record;
    record.source = "dram";
    record.context_tokens = 100;
    for (int i = 1; i <= 100; ++i) run.hit_rates.request_finished(record, 1, i * 2.0);
    chart.resize(640, 360);
    chart.show();
    chart.flush();
    QCoreApplication::processEvents();
    const auto* axis = qobject_cast<QValueAxis*>(chart.chart().axes(Qt::Horizontal).value(0));
    const QRectF area = chart.chart().plotArea();
    const double x = area.left() + area.width() * 40 / axis->max();
    move_to(*chart.findChild<QChartView*>()->viewport(), {x, area.center().y()});
    QVERIFY(run.selection.time().seconds());
    QCOMPARE(*run.selection.time().seconds(), 80.0);
    const QImage marked = picture(chart);
    leave(*chart.findChild<QChartView*>()->viewport());
    QVERIFY(picture(chart) != marked);
  }

  void tipsAreThreeLinesAtMost() {
    QCOMPARE(short_tip("a\nb\nc"), QString("a\nb\nc"));
    QCOMPARE(short_tip("a\nb\nc\nd\ne"), QString("a\nb\nc … (click for more)"));
    QCOMPARE(short_tip({}), QString());
  }

  void aClickPinsTheWholeTip() {
    ScriptedSession session;
    RunModel run(session);
    session.set_state(RunState::ready);
    run.tick();
    const std::map<std::string, std::uint64_t> methods{{"kivi4", 1 << 20}, {"knorm", 2 << 20}, {"none", 3 << 20}};
    for (const double seconds : {0.0, 20.0})
      run.tiers.tier_occupancy(seconds, {"dram", 6 << 20, 100 << 20, {methods.begin(), methods.end()}});
    OccupancyPlot plot(run.tiers, "dram");
    plot.resize(500, 220);
    plot.show();
    QCoreApplication::processEvents();
    const QPoint at = plot.plot().center().toPoint();
    QHelpEvent help(QEvent::ToolTip, at, plot.mapToGlobal(at));
    QApplication::sendEvent(&plot, &help);
    QCOMPARE(QToolTip::text().count('\n'), 2);
    QVERIFY(!QToolTip::text().contains("uncompressed"));
    QTest::mouseClick(&plot, Qt::LeftButton, {}, at);
    QCOMPARE(PinnedTip::text().count('\n'), 3);
    QVERIFY(PinnedTip::text().contains("uncompressed"));
    PinnedTip::unpin();
  }
};

KV_TEST_MAIN(LinkedCursorTest)

}  // namespace linked_cursor_test

#include "linked_cursor_test.moc"
