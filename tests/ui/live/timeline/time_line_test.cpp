// links: kv_ui
// The timeline under Live: it shows what happened when, and the part of the run that it shows is that of all time
// charts.
#include "ui/live/timeline/time_line.h"

#include <QApplication>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QSignalSpy>
#include <QTest>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <set>

#include "tests/support/test_program.h"
#include "tests/ui/charts/chart_hands.h"
#include "tests/ui/runs/memory_library.h"
#include "ui/charts/pinned_tip.h"
#include "ui/live/pool/pool_chart.h"
#include "ui/live/tiers/hit_rate_chart.h"
#include "ui/live/tiers/occupancy_plot.h"
#include "ui/runs/model/replay_controller.h"
#include "ui/session/run_model.h"

namespace time_line_test {

using namespace kvantage;

namespace {

void note(TimeLineModel& model, double seconds, EventPayload payload) {
  Event event;
  event.payload = std::move(payload);
  model.apply(event, seconds);
}

events::DriftDetected drifted(const std::string& context) {
  events::DriftDetected event;
  event.context_id = context;
  return event;
}

void mouse(QWidget& widget, QEvent::Type type, const QPointF& at) {
  const bool up = type == QEvent::MouseButtonRelease;
  QMouseEvent event(type, at, widget.mapToGlobal(at), type == QEvent::MouseMove ? Qt::NoButton : Qt::LeftButton,
                    up ? Qt::NoButton : Qt::MouseButtons(Qt::LeftButton), Qt::NoModifier);
  QApplication::sendEvent(&widget, &event);
}

void drag(QWidget& widget, const QPointF& from, const QPointF& to) {
  mouse(widget, QEvent::MouseButtonPress, from);
  mouse(widget, QEvent::MouseMove, (from + to) / 2);
  mouse(widget, QEvent::MouseMove, to);
  mouse(widget, QEvent::MouseButtonRelease, to);
}

bool near(double value, double expected, double reach) { return std::abs(value - expected) <= reach; }

/// A timeline over a run of 70 s, of which the axis shows 80.
struct Shown {
  TimeLineModel model;
  Selection selection;
  TimeLine line{model, selection};
  Shown() {
    note(model, 5, events::SettingChanged{"alpha", 0.3, 0.05});
    note(model, 20, drifted("story-2"));
    note(model, 40, events::Message{"error", "disk full"});
    note(model, 70, events::SettingChanged{"policy", "lru", "evicpress"});
    line.resize(900, line.sizeHint().height());
    line.show();
    QCoreApplication::processEvents();
    line.grab();
  }
  TimeLineStrip& strip() { return line.strip(); }
  TimeRange& range() { return selection.time().range(); }
  TimeLinePicture picture() { return strip().picture(); }
  QPointF mark(std::size_t annotation) {
    const TimeLinePicture now = picture();
    return now.mark_box(now.annotations[annotation]).center();
  }
};

}  // namespace

class TimeLineTest : public QObject {
  Q_OBJECT

 private slots:
  void aBoxSelectsTheContextsOfItsAnnotations() {
    Shown shown;
    auto& strip = *shown.line.findChild<TimeLineStrip*>();
    const QRectF detail = strip.picture().detail;
    const auto box = [&strip](const QPointF& from, const QPointF& to) {
      chart_hands::drag(strip, from, to, Qt::LeftButton, Qt::ControlModifier | Qt::ShiftModifier);
    };
    box(detail.topLeft() + QPointF(1, 1), detail.bottomRight() - QPointF(1, -4));
    QCOMPARE(shown.selection.chosen_contexts(), std::set<QString>{"story-2"});  // others are of none
    QCOMPARE(strip.brush().shown(), std::set<QString>{"story-2"});
    QVERIFY(shown.selection.context().isEmpty() && !strip.zoom().zoomed());
    const double x = strip.picture().x(40);
    box({x - 8, detail.top() + 1}, {x + 8, detail.bottom() + 4});
    QVERIFY(shown.selection.chosen_contexts().empty());
  }

  void itIsThin() {
    Shown shown;
    QVERIFY2(shown.line.height() >= 40 && shown.line.height() <= 64, qPrintable(QString::number(shown.line.height())));
    QFont large = shown.line.font();
    large.setPointSizeF(large.pointSizeF() * 2);
    const int before = shown.strip().minimumSizeHint().height();
    shown.strip().setFont(large);
    QVERIFY(shown.strip().minimumSizeHint().height() > before + 10);
  }

  void annotationsAreWhereTheyHappened() {
    Shown shown;
    QCOMPARE(shown.range().extent(), 80.0);
    const TimeLinePicture now = shown.picture();
    QCOMPARE(now.x(0), now.detail.left());
    QCOMPARE(now.x(80), now.detail.right());
    QVERIFY(near(shown.mark(1).x(), now.detail.left() + now.detail.width() / 4, 1e-6));
    QVERIFY(near(now.brush().width(), now.overview.width(), 1e-6));
    QCOMPARE(shown.strip().table().rows[1], (QStringList{"20", "drift", "story-2 drifted", "story-2", "1"}));
    QCOMPARE(shown.strip().labels().size(), std::size_t{4});
  }

  void labelsDoNotOverlap() {
    Shown shown;
    for (int i = 0; i < 60; ++i) note(shown.model, 70 + i * 0.15, drifted("context-" + std::to_string(i)));
    for (const int width : {300, 500, 900, 1600}) {
      shown.line.resize(width, shown.line.height());
      QCoreApplication::processEvents();
      shown.line.grab();
      const auto& labels = shown.strip().labels();
      QVERIFY(!labels.empty());
      for (std::size_t i = 0; i < labels.size(); ++i) {
        QVERIFY(QRectF(shown.strip().rect()).contains(labels[i].place));
        for (std::size_t k = 0; k < i; ++k) QVERIFY(!labels[i].place.intersects(labels[k].place));
      }
      // Where not all have room, changes of policy and settings come first.
      QCOMPARE(shown.model.annotations()[labels[0].annotation].mark.kind, RunMark::policy);
    }
  }

  void zoomingAnyTimeChartMovesAll() {
    Shown shown;
    ScriptedSession session;
    RunModel run(session);
    session.set_state(RunState::ready);
    run.tick();
    HitRateModel& rates = run.hit_rates;
    rates.set_tiers({{"dram", 1, {}, false}});
    RequestRecord record;
    record.source = "dram";
    record.context_tokens = 100;
    for (int i = 1; i <= 140; ++i) rates.request_finished(record, 1, i * 0.5);  // until 70 s
    SessionPoolModel pool;
    PoolReport report;
    for (const double seconds : {10.0, 30.0, 70.0}) {
      report.live_blocks = static_cast<std::uint64_t>(seconds);
      pool.set_report(report, seconds);
    }
    OccupancyPlot occupancy(run.tiers, "dram");
    HitRateChart hits(rates);
    PoolChart pooled(pool);
    run.tiers.tier_occupancy(70, {"dram", 1 << 20, 13 << 20, {}});
    occupancy.follow_time(shown.selection.time());
    hits.follow(run.requests, shown.selection);
    pooled.follow_time(shown.selection.time());
    for (QWidget* chart :
         {static_cast<QWidget*>(&occupancy), static_cast<QWidget*>(&hits), static_cast<QWidget*>(&pooled)}) {
      chart->resize(500, 260);
      chart->show();
    }
    hits.flush();
    pooled.flush();
    QCoreApplication::processEvents();
    const auto axis = [](const ChartPanel& chart) {
      const auto* x = qobject_cast<QValueAxis*>(chart.chart().axes(Qt::Horizontal).value(0));
      return std::pair(x->min(), x->max());
    };
    QCOMPARE(axis(pooled), std::pair(0.0, 80.0));  // the whole run, though samples begin later
    QCOMPARE(axis(hits), std::pair(0.0, 160.0));

    // From the timeline.
    const TimeLinePicture now = shown.picture();
    shown.strip().zoom().zoom_to(QRectF(QPointF(now.x(20), now.detail.top()), QPointF(now.x(40), now.detail.bottom())));
    QVERIFY(near(shown.range().begin(), 20, 1e-6) && near(shown.range().end(), 40, 1e-6));
    QVERIFY(near(axis(pooled).first, 20, 1e-6) && near(axis(pooled).second, 40, 1e-6));
    QVERIFY(near(axis(hits).first, 40, 1e-6) && near(axis(hits).second, 80, 1e-6));  // two requests a second
    QVERIFY(near(occupancy.zoom().view().shown().x.lower, 20, 1e-6) &&
            near(occupancy.zoom().view().shown().x.upper, 40, 1e-6));
    QCOMPARE(occupancy.zoom().view().shown().y, occupancy.zoom().view().data().y);  // time alone is shared

    // From Occupancy, both axes.
    const QRectF area = occupancy.plot();
    occupancy.zoom().zoom_to(QRectF(QPointF(area.left(), area.top()), QPointF(area.center().x(), area.center().y())));
    QVERIFY(near(shown.range().begin(), 20, 1e-6) && near(shown.range().end(), 30, 1e-6));
    QVERIFY(near(axis(pooled).second, 30, 1e-6));
    // From Hit rates, which count requests: 40 to 60 of them are shown.
    QVERIFY(near(axis(hits).first, 40, 1e-6) && near(axis(hits).second, 60, 1e-6));
    hits.zoom().pan({0.5, 0});
    QVERIFY(near(shown.range().begin(), 25, 1e-6) && near(shown.range().end(), 35, 1e-6));
    QVERIFY(near(axis(pooled).first, 25, 1e-6));
    QVERIFY(near(occupancy.zoom().view().shown().x.lower, 25, 1e-6));

    // What comes in moves none of them; a reset anywhere shows all, everywhere.
    note(shown.model, 100, drifted("story-3"));
    QCOMPARE(shown.range().extent(), 160.0);
    QVERIFY(near(axis(pooled).first, 25, 1e-6) && near(axis(pooled).second, 35, 1e-6));
    pooled.zoom().reset();
    QVERIFY(shown.range().whole());
    QCOMPARE(axis(pooled), std::pair(0.0, 160.0));
    QVERIFY(!hits.zoom().zoomed() || hits.zoom().view().shown().x == hits.zoom().view().data().x);
    QCOMPARE(occupancy.zoom().view().shown().x, (AxisSpan{0, 160}));
  }

  void theBrushIsDragged() {
    Shown shown;
    const QRectF whole = shown.picture().overview;
    const auto at = [&](double seconds) {
      return QPointF(whole.left() + whole.width() * seconds / 80, whole.center().y());
    };
    mouse(shown.strip(), QEvent::MouseButtonPress, at(40));  // a quarter of it, around the place
    mouse(shown.strip(), QEvent::MouseButtonRelease, at(40));
    QVERIFY(near(shown.range().begin(), 30, 1e-6) && near(shown.range().end(), 50, 1e-6));
    drag(shown.strip(), at(40), at(50));
    QVERIFY(near(shown.range().begin(), 40, 1e-6) && near(shown.range().end(), 60, 1e-6));
    drag(shown.strip(), at(60), at(70));  // its right edge
    QVERIFY(near(shown.range().begin(), 40, 1e-6) && near(shown.range().end(), 70, 1e-6));
    drag(shown.strip(), at(40), at(10));
    QVERIFY(near(shown.range().begin(), 10, 1e-6) && near(shown.range().end(), 70, 1e-6));
    drag(shown.strip(), at(40), at(-100));  // not out of the run
    QVERIFY(near(shown.range().begin(), 0, 1e-6));
    QVERIFY(shown.picture().brush().left() >= whole.left() - 1e-6);
  }

  void followKeepsTheNewestInView() {
    Shown shown;
    QVERIFY(shown.line.follow_button().isChecked());
    shown.range().show(0, 8);
    QVERIFY(!shown.line.follow_button().isChecked());
    QTest::mouseClick(&shown.line.follow_button(), Qt::LeftButton);
    QVERIFY(shown.range().follows_now());
    QCOMPARE(shown.range().end(), 72.0);
    note(shown.model, 75, drifted("story-5"));
    QCOMPARE(shown.range().end(), 77.0);
    QVERIFY(!shown.line.follow_button().accessibleName().isEmpty());
  }

  void aClickSelectsAndMarksTheMoment() {
    Shown shown;
    QSignalSpy chosen(&shown.line, &TimeLine::annotationChosen);
    QTest::mouseClick(&shown.strip(), Qt::LeftButton, {}, shown.mark(1).toPoint());
    QCOMPARE(chosen.size(), 1);
    QCOMPARE(shown.selection.context(), QString("story-2"));
    QCOMPARE(shown.selection.time().seconds().value_or(-1), 20.0);
    double gone_to = -1;
    shown.line.on_seek([&](double seconds) { gone_to = seconds; });
    QTest::mouseClick(&shown.strip(), Qt::LeftButton, {}, shown.mark(2).toPoint());
    QCOMPARE(gone_to, 40.0);
    QCOMPARE(shown.selection.context(), QString("story-2"));  // the fault names none
    const TimeLinePicture now = shown.picture();
    const QPoint empty = QPointF(now.x(55), now.detail.bottom() - 6).toPoint();
    QTest::mouseClick(&shown.strip(), Qt::LeftButton, {}, empty);
    QVERIFY2(near(gone_to, 55, 0.1), qPrintable(QString::number(gone_to)));
    QCOMPARE(chosen.size(), 2);
  }

  void keysWalkAnnotationsIntoView() {
    Shown shown;
    shown.range().show(0, 10);
    shown.strip().setFocus();
    QSignalSpy chosen(&shown.line, &TimeLine::annotationChosen);
    const QStringList expected{"α: 0.3 → 0.05", "story-2 drifted", "disk full", "policy: lru → evicpress"};
    for (std::size_t i = 0; i < 4; ++i) {
      QTest::keyClick(&shown.strip(), Qt::Key_Right);
      QVERIFY2(shown.strip().accessibleDescription().endsWith(expected[static_cast<qsizetype>(i)]),
               qPrintable(shown.strip().accessibleDescription()));
      const double seconds = shown.model.annotations()[i].seconds;
      QVERIFY(shown.range().begin() <= seconds && seconds <= shown.range().end());
    }
    QVERIFY(near(shown.range().end() - shown.range().begin(), 10, 1e-6));  // moved, not zoomed
    QTest::keyClick(&shown.strip(), Qt::Key_Left);
    QTest::keyClick(&shown.strip(), Qt::Key_Return);
    QCOMPARE(chosen.size(), 1);
    QCOMPARE(chosen[0][0].value<TimeAnnotation>().mark.text, QString("disk full"));
  }

  // A run without annotations is walked as well.
  void anEmptyRunHasItsEnds() {
    TimeLineModel model;
    Selection selection;
    TimeLine line(model, selection);
    line.resize(600, 60);
    line.show();
    model.set_content({{}, 12});
    line.strip().setFocus();
    QTest::keyClick(&line.strip(), Qt::Key_Right);
    QCOMPARE(line.strip().accessibleDescription(), QString("beginning of the run"));
    QTest::keyClick(&line.strip(), Qt::Key_Right);
    QVERIFY2(line.strip().accessibleDescription().endsWith("latest"), qPrintable(line.strip().accessibleDescription()));
    QTest::keyClick(&line.strip(), Qt::Key_Return);  // chooses no annotation that is not there
  }

  void tipsNameAllThatIsThere() {
    Shown shown;
    for (const char* context : {"a", "b", "c", "d"}) note(shown.model, 20.01, drifted(context));
    const QPointF at = shown.mark(1);
    const QString tip = shown.strip().tip_at(at);
    QCOMPARE(tip.count('\n'), 4);
    QCOMPARE(short_tip(tip).count('\n'), 2);
    QVERIFY(shown.strip().tip_at(QPointF(shown.picture().x(55), at.y())).isEmpty());
    QTest::mouseClick(&shown.strip(), Qt::LeftButton, {}, at.toPoint());
    QCOMPARE(PinnedTip::text().count('\n'), 4);
    // What is pinned is not said again over it.
    QHelpEvent rests(QEvent::ToolTip, at.toPoint(), shown.strip().mapToGlobal(at.toPoint()));
    QApplication::sendEvent(&shown.strip(), &rests);
    QVERIFY(QToolTip::text() != short_tip(PinnedTip::text()));
    PinnedTip::unpin();
    QApplication::sendEvent(&shown.strip(), &rests);
    QCOMPARE(QToolTip::text().count('\n'), 2);
    QToolTip::hideText();
  }

  void aReplayIsShownWholeAndAClickGoesThere() {
    ScriptedSession live;
    SessionSwitch session(live);
    RunModel run(session);
    SettingsController settings(session);
    auto library = std::make_shared<MemoryLibrary>();
    ReplayController replay(run, settings, session, library);
    library->runs["r"] = scripted_run("r", 24, 300, 1);
    live.set_state(RunState::ready);
    run.tick();
    TimeLineModel model;
    note(model, 500, drifted("of-the-live-run"));
    TimeLine line(model, run.selection);
    line.follow_replay(replay);
    line.resize(900, 60);
    line.show();
    TimeRange& range = run.selection.time().range();
    QCOMPARE(range.extent(), 640.0);
    replay.open("r");
    QTRY_VERIFY(replay.active());
    QVERIFY(near(range.extent(), replay.duration(), 1e-9) && range.whole());
    const auto& annotations = line.strip().model().annotations();
    QVERIFY(!annotations.empty());
    QVERIFY(!annotations.front().mark.text.contains("of-the-live-run"));
    // As many setting changes as the replay stops at, at most: close ones are one.
    const auto settings_of = [](RunMark::Kind kind) { return kind == RunMark::setting || kind == RunMark::policy; };
    const auto shown =
        std::ranges::count_if(annotations, [&](const TimeAnnotation& each) { return settings_of(each.mark.kind); });
    const auto stops = std::ranges::count(replay.marks(), ReplayMark::setting, &ReplayMark::kind);
    QVERIFY(shown <= stops);
    QVERIFY(
        std::ranges::any_of(annotations, [](const TimeAnnotation& each) { return each.mark.kind == RunMark::fault; }));
    QVERIFY(line.strip().picture().replayed);
    emit line.strip().timePicked(replay.duration() / 2);
    QVERIFY(near(line.strip().picture().now, replay.duration() / 2, replay.duration() / 20));
    replay.close();
    QVERIFY(!line.strip().picture().replayed);
    QCOMPARE(&line.strip().model(), &model);
    QCOMPARE(range.extent(), 640.0);
  }

  void bothThemesPaintTheMarksApart() {
    for (const ThemeKind kind : {ThemeKind::light, ThemeKind::dark}) {
      const Theme& theme = theme_of(kind);
      std::vector<QImage> marks;
      for (const RunMark::Kind each :
           {RunMark::setting, RunMark::policy, RunMark::drift, RunMark::profile, RunMark::fault, RunMark::pause}) {
        QImage image(24, 24, QImage::Format_ARGB32);
        image.fill(Qt::transparent);
        QPainter painter(&image);
        Theme gray = theme;  // by shape alone
        gray.accent = gray.warning = gray.good = gray.error = gray.muted = theme.text;
        draw_annotation_mark(painter, {12, 12}, each, gray, 8);
        painter.end();
        for (const QImage& other : marks) QVERIFY(other != image);
        marks.push_back(image);
      }
    }
  }
};

KV_TEST_MAIN(TimeLineTest)

}  // namespace time_line_test

#include "time_line_test.moc"
