// links: kv_ui
// Controls > Profiling: each choice commits the whole setting, and shows what is committed.
#include "ui/live/controls/profiling_controls.h"

#include <QtTest>

#include "tests/support/test_program.h"
#include "tests/ui/window/scripted_session.h"

namespace profiling_controls_test {

using namespace kvantage;

class ProfilingControlsTest : public QObject {
  Q_OBJECT

  static void choose(QComboBox& combo, int index) {
    combo.setCurrentIndex(index);
    emit combo.activated(index);
  }

 private slots:
  void aChoiceIsCommitted() {
    ScriptedSession session;
    SettingsController settings(session);
    ProfilingControls controls(settings);
    controls.show_settings(settings.committed());
    QCOMPARE(controls.grid().currentText(), QString("every cell"));
    QCOMPARE(controls.bound().currentText(), QString("mean"));
    choose(controls.grid(), 1);
    QVERIFY(settings.committed().profile_grid == ProfileGridKind::racing);
    QVERIFY(settings.committed().quality_bound == QualityBound::mean);
    choose(controls.bound(), 1);
    QVERIFY(settings.committed().quality_bound == QualityBound::lower);
    QVERIFY(settings.committed().profile_grid == ProfileGridKind::racing);
    QVERIFY(!controls.grid().toolTip().isEmpty() && !controls.bound().toolTip().isEmpty());
    SessionSettings other = settings.committed();
    other.profile_grid = ProfileGridKind::full;
    controls.show_settings(other);
    QCOMPARE(controls.grid().currentText(), QString("every cell"));
    QCOMPARE(controls.bound().currentText(), QString("lower bound"));
  }

  // Where anytime profiling ends: an undo step of its own.
  void goodEnoughIsCommitted() {
    ScriptedSession session;
    SettingsController settings(session);
    ProfilingControls controls(settings);
    controls.show_settings(settings.committed());
    QVERIFY(!controls.good_enough().isEnabled());  // every cell is measured
    QCOMPARE(controls.good_enough().value(), 1.0);
    QCOMPARE(settings.undo_stack().count(), 0);
    choose(controls.grid(), 1);
    controls.show_settings(settings.committed());
    QVERIFY(controls.good_enough().isEnabled() && !controls.good_enough().toolTip().isEmpty());
    controls.good_enough().setValue(3);
    QCOMPARE(settings.committed().good_enough, 0.03);
    QVERIFY(settings.committed().profile_grid == ProfileGridKind::racing);
    QCOMPARE(settings.undo_stack().count(), 2);
    settings.undo_stack().undo();
    QCOMPARE(settings.committed().good_enough, SessionSettings{}.good_enough);
    controls.show_settings(settings.committed());
    QCOMPARE(controls.good_enough().value(), 1.0);
    QCOMPARE(settings.undo_stack().index(), 1);  // showing is no change
  }
};

KV_TEST_MAIN(ProfilingControlsTest)

}  // namespace profiling_controls_test

#include "profiling_controls_test.moc"
