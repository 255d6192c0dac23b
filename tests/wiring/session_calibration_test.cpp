// links: app_wiring
// What a window's session times around its runs is what `run` times around its own.
#include "app/wiring/session_calibration.h"

#include <QtTest>

#include "core/base/executor.h"
#include "core/model/fixed_load.h"
#include "tests/support/test_program.h"

namespace session_calibration_test {

using namespace kvantage;

class SessionCalibrationTest : public QObject {
  Q_OBJECT

 private slots:
  void eachRunHasItsOwnTwoTimes() {
    ManualClock clock;
    double seconds = 0.003;
    int loads = 0;
    SessionCalibration calibration(clock, [&] {
      clock.advance_seconds(seconds);
      ++loads;
    });
    calibration.before_run();
    QCOMPARE(loads, 2 * Calibration::tries);  // one more for the fastest
    const auto near = [](double value, double wanted) { return std::abs(value - wanted) < 1e-9; };
    const std::vector<double> first = calibration.after_run();
    QVERIFY(first.size() == 2 && near(first[0], 0.003) && near(first[1], 0.003));
    seconds = 0.0045;  // something else uses the machine
    loads = 0;
    calibration.before_run();
    QCOMPARE(loads, SessionCalibration::rounds * Calibration::tries);  // no more patience than that
    const std::vector<double> second = calibration.after_run();
    QVERIFY(second.size() == 2 && near(second[0], 0.0045) && near(second[1], 0.0045));
    QVERIFY(calibration_moved(first, second) > calibration_bound);
  }

  void theLoadOfTheProgramTakesTime() {
    SessionCalibration calibration(system_executor().clock(), run_fixed_load);
    calibration.before_run();
    const std::vector<double> times = calibration.after_run();
    QVERIFY(times.size() == 2 && times[0] > 0 && times[1] > 0);
  }
};

KV_TEST_GUILESS_MAIN(SessionCalibrationTest)

}  // namespace session_calibration_test

#include "session_calibration_test.moc"
