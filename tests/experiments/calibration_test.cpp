// links: kv_reports
// What a figure says about time is shown where the machine was at rest, and withheld where it was not; what it says
// about anything else always is.
#include "core/experiments/calibration.h"

#include <QtTest>

#include <cmath>

#include "tests/support/test_program.h"

namespace calibration_test {

using namespace kvantage;

/// Each look at it is `step` seconds after the one before: how long the fixed load seems to take.
class SteppedClock final : public Clock {
 public:
  double step = 0.005;
  std::int64_t monotonic_ns() const override {
    now_ += step;
    return static_cast<std::int64_t>(now_ * 1e9);
  }
  std::int64_t utc_ns() const override { return 0; }

 private:
  mutable double now_ = 0;
};

/// Timed in six blocks, of which each second one runs on a machine that is so much slower.
struct Machine {
  explicit Machine(double slower) {
    for (int block = 0; block < 6; ++block) {
      clock.step = block % 2 == 0 ? 0.005 : 0.005 * slower;
      calibration.time();
      calibration.time();
    }
  }
  SteppedClock clock;
  Calibration calibration{clock, [] {}};
};

class CalibrationTest : public QObject {
  Q_OBJECT

  static FigureResult result() {
    FigureResult made;
    made.figure = "evicpress/fig7";
    made.findings = {"the answers are the same"};
    made.time_findings = {"it is 2 times as fast", "and never slower"};
    return made;
  }

 private slots:
  void findingsAboutTimeComeFirst() {
    FigureResult shown = result();
    settle_time_findings(shown, Machine(1.1).calibration);
    QCOMPARE(shown.findings,
             (std::vector<std::string>{"it is 2 times as fast", "and never slower", "the answers are the same"}));
    QVERIFY(shown.time_findings.empty());
    QCOMPARE(shown.settings.at("calibration, n").get<int>(), 12);
    QCOMPARE(shown.settings.at("calibration moved %").get<double>(), 10.0);
  }

  void onADisturbedMachineTheyAreWithheld() {
    FigureResult shown = result();
    settle_time_findings(shown, Machine(1.5).calibration);
    QCOMPARE(shown.findings.size(), std::size_t{2});
    QCOMPARE(shown.findings[0],
             std::string("nothing is said about time: the machine was disturbed, the calibration moved by 50 % (at "
                         "most 25 % is accepted); run it again while nothing else runs"));
    QCOMPARE(shown.findings[1], std::string("the answers are the same"));
    QVERIFY(to_text(shown).find("2 times as fast") == std::string::npos);
  }

  // What was measured between a slow calibration and another one is measured again, and leaves no trace but a count.
  void disturbedCellsAreMeasuredAgain() {
    SteppedClock clock;
    Calibration machine(clock, [] {});
    QVERIFY(!machine.cell_disturbed());
    const auto cell = [&](double before, double after) {
      clock.step = before;
      machine.time();
      clock.step = after;
      machine.time();
      return machine.cell_disturbed();
    };
    QVERIFY(!cell(0.005, 0.005));
    QVERIFY(!cell(0.005, 0.0054));  // within a tenth
    QVERIFY(cell(0.005, 0.007));
    machine.forget_cell();
    QVERIFY(cell(0.007, 0.005));
    machine.forget_cell();
    QCOMPARE(machine.n(), std::size_t{4});
    QVERIFY(!machine.disturbed());
    Json settings;
    machine.add_to(settings);
    QCOMPARE(settings.at("calibration, n").get<int>(), 4);
    QCOMPARE(settings.at("cells measured again").get<int>(), 2);
  }

  // Times around cells of an interrupted command count like those of this one.
  void timesOfAnotherProcessAreTakenOver() {
    SteppedClock clock;
    Calibration whole(clock, [] {}), first(clock, [] {}), second(clock, [] {});
    for (const double step : {0.005, 0.0051, 0.0052, 0.0085}) {
      clock.step = step;
      whole.time();
    }
    clock.step = 0.005;
    first.time();
    clock.step = 0.0051;
    first.time();
    second.take_over(first.around_cell());
    for (const double step : {0.0052, 0.0085}) {
      clock.step = step;
      second.time(1);
    }
    QCOMPARE(second.n(), std::size_t{4});
    QVERIFY(std::abs(second.moved() - whole.moved()) < 0.01 && second.disturbed());
    QVERIFY(second.cell_disturbed());  // slower than the fastest, which was taken over
    Calibration none(clock, [] {});
    none.take_over({});
    QCOMPARE(none.n(), std::size_t{0});
  }

  // What a cell has written may keep the device busy for a moment: that is waited for.
  void aMomentOfWritingIsWaitedFor() {
    SteppedClock clock;
    int loads = 0;
    Calibration machine(clock, [&] { clock.step = ++loads > 3 * Calibration::tries ? 0.005 : 0.009; });
    clock.step = 0.005;
    loads = 100;
    machine.time();
    loads = 0;
    machine.time();
    QVERIFY(!machine.cell_disturbed() && !machine.disturbed());
    QVERIFY(loads > 3 * Calibration::tries && loads <= 5 * Calibration::tries);
  }

  // On a machine that is never at rest, waiting and repeating end.
  void patienceEnds() {
    SteppedClock clock;
    int loads = 0;
    Calibration machine(clock, [&] { ++loads; });
    machine.time();
    clock.step = 0.009;
    loads = 0;
    machine.time();
    QCOMPARE(loads, Calibration::rounds * Calibration::tries);
    loads = 0;
    int repeated = 0;
    for (int cell = 0; cell < 20; ++cell) {
      machine.time();
      machine.time();
      if (!machine.may_repeat()) continue;
      machine.forget_cell();
      ++repeated;
    }
    QCOMPARE(loads, 40 * Calibration::tries);
    QVERIFY2(repeated > 4 && repeated < 12, qPrintable(QString::number(repeated)));
    QVERIFY(!machine.disturbed());  // slow, but evenly so: its times can be compared
  }

  void aFigureWithoutTimesIsShownWhole() {
    FigureResult without = result();
    without.time_findings.clear();
    settle_time_findings(without, Machine(3).calibration);
    QCOMPARE(without.findings, std::vector<std::string>{"the answers are the same"});
  }
};

KV_TEST_GUILESS_MAIN(CalibrationTest)

}  // namespace calibration_test

#include "calibration_test.moc"
