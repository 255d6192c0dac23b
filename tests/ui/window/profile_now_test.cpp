// links: kv_ui
// Run > Profile now: with a session that is open and not playing, beside a run, stopped from the menu or the status
// bar.
#include <QAction>
#include <QTest>
#include <QToolButton>

#include "tests/support/test_program.h"
#include "tests/ui/window/scripted_window.h"

namespace profile_now_test {

using namespace kvantage;

class ProfileNowTest : public QObject {
  Q_OBJECT
  ScriptedWindow scripted_;

  static QAction* action(const MainWindow& window, const QString& text) {
    for (QAction* made : window.findChildren<QAction*>())
      if (made->text().remove('&') == text) return made;
    return nullptr;
  }

 private slots:
  void curvesAreMeasuredWithoutARun() {
    ScriptedSession session;
    WindowOptions options = scripted_.options();
    options.start_at_once = false;
    MainWindow window(session, options);
    window.show();
    QAction *now = action(window, "Profile now"), *stop = action(window, "Stop profiling");
    QAction *start = action(window, "Start"), *pause = action(window, "Pause");
    QVERIFY(now && stop && start && pause && !now->toolTip().isEmpty() && !stop->toolTip().isEmpty());
    QVERIFY(!now->isEnabled() && !stop->isEnabled());  // it loads
    session.set_state(RunState::ready);
    QTRY_VERIFY(now->isEnabled() && !stop->isEnabled());
    now->trigger();
    QCOMPARE(session.state(), RunState::running);
    QTRY_VERIFY(!now->isEnabled() && stop->isEnabled());
    QTRY_VERIFY(start->isEnabled() && !pause->isEnabled());  // no request is served
    session.emit_event(events::Progress{"Profiling contexts", 0, 24});
    session.advance(10);
    session.emit_event(events::Progress{"Profiling contexts", 6, 24});
    QTRY_VERIFY2(status_text_of(window).contains("Profiling contexts, 30 s left"), qPrintable(status_text_of(window)));
    auto* cancel = window.findChild<QToolButton*>("stopProfiling");
    QTRY_VERIFY(cancel != nullptr && cancel->isVisible());
    cancel->click();
    QCOMPARE(session.state(), RunState::ready);
    QTRY_VERIFY(now->isEnabled() && !stop->isEnabled() && !cancel->isVisible());
    QTRY_VERIFY(!status_text_of(window).contains("Profiling contexts"));
  }

  void besideAPausedRunItsProgressIsShown() {
    ScriptedSession session;
    auto window = scripted_.loaded(session);
    QAction *now = action(*window, "Profile now"), *stop = action(*window, "Stop profiling");
    session.emit_event(events::Progress{"Profiling contexts", 3, 24});
    session.pause();
    QTRY_VERIFY(!status_text_of(*window).contains("Profiling contexts"));  // it rests
    session.set_profiling(ProfilingAll::beside_a_run);
    QTRY_VERIFY(status_text_of(*window).contains("Profiling contexts"));
    QVERIFY(!now->isEnabled() && stop->isEnabled());
    stop->trigger();
    QTRY_VERIFY(now->isEnabled() && !stop->isEnabled());
    QCOMPARE(session.state(), RunState::paused);
  }

  // What the live session would disturb waits for it, and so does its profiling.
  void profilingWaitsWhileTheSessionIsHeld() {
    ScriptedSession session;
    session.set_state(RunState::ready);
    SessionSwitch shown(session);
    shown.profile_all();
    QVERIFY(session.gauges().profiling_all == ProfilingAll::alone);
    shown.hold_live();
    QVERIFY(session.gauges().profiling_all == ProfilingAll::no);
    QCOMPARE(session.state(), RunState::ready);  // there was no run to pause
    shown.release_live();
    QVERIFY(session.gauges().profiling_all == ProfilingAll::alone);
    shown.hold_live();
    shown.stop_profiling();  // by hand: for good
    shown.release_live();
    QVERIFY(session.gauges().profiling_all == ProfilingAll::no);
  }
};

KV_TEST_MAIN(ProfileNowTest)

}  // namespace profile_now_test

#include "profile_now_test.moc"
