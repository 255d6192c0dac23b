// links: kv_experiments
// What figures are expected to take, and what is left of all of them.
#include "core/experiments/figures/figure_times.h"

#include <QtTest>

#include <cmath>

#include "core/experiments/figures/experiments.h"
#include "tests/support/test_program.h"

namespace figure_times_test {

using namespace kvantage;

class FigureTimesTest : public QObject {
  Q_OBJECT
 private slots:
  void eachFigureHasATime() {
    for (const PaperFigure& figure : paper_figures()) {
      const double full = expected_seconds(figure.name, FigureEffort::full),
                   brief = expected_seconds(figure.name, FigureEffort::brief),
                   quick = expected_seconds(figure.name, FigureEffort::quick);
      QVERIFY2(quick > 0 && quick <= brief && brief <= full, figure.name.c_str());
      // Only what has options for that takes less.
      QVERIFY2(!figure.brief.empty() || brief == full || find_experiment(figure.name)->is_view(), figure.name.c_str());
    }
    QCOMPARE(expected_seconds("evicpress/fig99", FigureEffort::full), 0.0);
    for (const char* view : {"evicpress/fig7", "evicpress/fig9", "evicpress/fig11", "evicpress/fig12"})
      QCOMPARE(expected_seconds(view, FigureEffort::brief), expected_seconds("evicpress/runs", FigureEffort::brief));
  }

  // Four minutes in CI (tests/app/every_figure_test.cpp).
  void allQuickOnesFitIntoFourMinutes() {
    double seconds = 0;
    for (const std::string& name : reproduced_figures()) seconds += expected_seconds(name, FigureEffort::quick);
    QVERIFY2(seconds > 30 && seconds <= 240, std::to_string(seconds).c_str());
  }

  void durationsAreRough_data() {
    QTest::addColumn<double>("seconds");
    QTest::addColumn<QString>("text");
    for (const auto& [seconds, text] : {std::pair{0.04, "1 s"},
                                        {7.4, "7 s"},
                                        {59.4, "59 s"},
                                        {59.6, "1 min"},
                                        {90.0, "2 min"},
                                        {750.0, "13 min"},
                                        {3569.0, "59 min"},
                                        {3571.0, "1 h"},
                                        {5300.0, "1 h 30 min"},
                                        {9150.0, "2 h 30 min"},
                                        {14400.0, "4 h"}})
      QTest::addRow("%g", seconds) << seconds << text;
  }
  void durationsAreRough() {
    QFETCH(double, seconds);
    QFETCH(QString, text);
    QCOMPARE(QString::fromStdString(rough_duration(seconds)), text);
  }

  void whatIsLeftFollowsTheFiguresThatWereMade() {
    const std::vector<std::string> left{"evicpress/fig4", "kvpr/fig9"};
    const double expected =
        expected_seconds("evicpress/fig4", FigureEffort::full) + expected_seconds("kvpr/fig9", FigureEffort::full);
    ReproductionPace pace(FigureEffort::full);
    QCOMPARE(pace.seconds_left(left), expected);
    QCOMPARE(pace.seconds_left({}), 0.0);
    pace.made("evicpress/fig3", 2 * expected_seconds("evicpress/fig3", FigureEffort::full));
    QVERIFY(std::abs(pace.seconds_left(left) - 2 * expected) < 1e-9);
    // A long figure says more than a short one.
    pace.made("kvpr/fig10", 100 * expected_seconds("kvpr/fig10", FigureEffort::full));
    pace.made("evicpress/runs", expected_seconds("evicpress/runs", FigureEffort::full));
    const double factor = pace.seconds_left(left) / expected;
    QVERIFY2(factor > 1 && factor < 1.6, std::to_string(factor).c_str());
  }
};

KV_TEST_GUILESS_MAIN(FigureTimesTest)

}  // namespace figure_times_test

#include "figure_times_test.moc"
