// links: kv_ui
// What predictions lack, and how long it takes: with whole curves, and until the first curves of anytime profiling.
#include "ui/session/profiling_outlook.h"

#include <QTest>

#include "tests/support/test_program.h"
#include "tests/ui/window/scripted_session.h"
#include "ui/session/run_model.h"

namespace profiling_outlook_test {

using namespace kvantage;

class ProfilingOutlookTest : public QObject {
  Q_OBJECT

  struct Bench {
    ScriptedSession session{6};
    RunModel run{session};
    Bench() { session.set_state(RunState::running); }
    QString outlook() {
      const bool seen = QTest::qWaitFor([this] {  // a snapshot is taken up now and then
        run.tick(1000);
        return session.waiting_events() == 0 && run.snapshot() == session.snapshot();
      });
      return seen ? profiling_outlook(run) : QStringLiteral("nothing was seen");
    }
  };

 private slots:
  void init() { QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates)); }

  void contextsAreCounted() {
    Bench b;
    b.session.forget_profiles(4);
    QCOMPARE(b.outlook(), QString("2 of 6 contexts profiled"));
    b.session.emit_event(events::Progress{"Profiling contexts", 0, 6});
    b.session.advance(10);
    b.session.emit_event(events::Progress{"Profiling contexts", 2, 6});
    QCOMPARE(b.outlook(), QString("2 of 6 contexts profiled; about 20 s left"));
    b.session.forget_profiles(0);
    QCOMPARE(b.outlook(), QString());
  }

  // Points that are pooled from others are no measurement: the line stays until the first curves are complete.
  void answersOfTheFirstCurvesAreCounted() {
    Bench b;
    b.session.set_profiling(
        ProfilingGauge{.answers = 40, .full_answers = 900, .answers_left = 80, .seconds_left = 31.2});
    b.session.pool_profiles(4);
    QCOMPARE(b.outlook(), QString("2 of 6 contexts profiled, 40 of 120 answers of the first curves; about 32 s left"));
    QCOMPARE(anytime_outlook(b.run), QString("40 of 900 answers measured; first curves in about 32 s"));
    b.session.pool_profiles(0);  // every context was asked, and some curve is not complete
    QVERIFY2(b.outlook().startsWith("6 of 6 contexts profiled, 40 of 120 answers"), qPrintable(b.outlook()));
    b.session.set_profiling(ProfilingGauge{.answers = 40, .full_answers = 900, .answers_left = 80});
    b.session.emit_event(events::Progress{"Profiling the first curves", 30, 120});
    b.session.advance(10);
    b.session.emit_event(events::Progress{"Profiling the first curves", 40, 120});  // ten took ten seconds
    QVERIFY2(b.outlook().endsWith("; about 1 min 20 s left") || b.outlook().endsWith("; about 80 s left"),
             qPrintable(b.outlook()));
    b.session.pool_profiles(3);
    b.session.set_profiling(ProfilingGauge{.answers = 120,
                                           .full_answers = 900,
                                           .answers_left = 200,
                                           .seconds_left = 9,
                                           .may_rise = 0.2,
                                           .has_coarse = true});
    QCOMPARE(b.outlook(), QString());
    QVERIFY2(anytime_outlook(b.run).endsWith("; about 9 s left"), qPrintable(anytime_outlook(b.run)));
  }

  // While nothing is served, profiling may be in progress all the same.
  void withoutARunItIsSaidWhenTheRestIsProfiled() {
    Bench b;
    b.session.forget_profiles(4);
    b.session.set_state(RunState::paused);
    QCOMPARE(b.outlook(), QString("2 of 6 contexts profiled; the others are profiled during the run"));
    b.session.set_profiling(ProfilingAll::beside_a_run);
    QCOMPARE(b.outlook(), QString("2 of 6 contexts profiled"));
  }
};

KV_TEST_MAIN(ProfilingOutlookTest)

}  // namespace profiling_outlook_test

#include "profiling_outlook_test.moc"
