// links: kv_experiments
// Where the paper expects less to be gained, on outcomes made by hand.
#include <QtTest>

#include "core/experiments/load_figures.h"
#include "tests/experiments/load_outcomes.h"
#include "tests/support/settled_claims.h"
#include "tests/support/test_program.h"

namespace limits_figure_test {

using namespace kvantage;
using test::loads::named;
using test::loads::outcome;

class LimitsFigureTest : public QObject {
  Q_OBJECT
 private slots:
  void whereLessIsToBeGained() {
    const auto figure = [](double abundant_seconds) {
      return figure_limits(named("evicpress/limits"),
                           {outcome("lru", 0, 0.4, 1, 0, 0, "unchanged tiers"),
                            outcome("evicpress(quality=raw)", 1, 0.1, 1, 0, 0, "unchanged tiers"),
                            outcome("lru", 0, abundant_seconds, 1, 0, 0, limit_abundant_dram),
                            outcome("evicpress(quality=raw)", 1, 0.1, 1, 0, 0, limit_abundant_dram)});
    };
    QVERIFY2(figure(0.2).time_findings.at(1).ends_with(": a smaller maximum gain than with unchanged tiers"),
             figure(0.2).time_findings[1].c_str());
    QCOMPARE(test::verdict_of(figure(0.2), "evicpress/limit-abundant-dram"), std::string("agrees"));
    QVERIFY2(figure(0.5).time_findings.at(1).ends_with(": no smaller gain than with unchanged tiers"),
             figure(0.5).time_findings[1].c_str());
    QCOMPARE(test::verdict_of(figure(0.5), "evicpress/limit-abundant-dram"), std::string("contradicts: larger"));
    QCOMPARE(test::verdict_of(figure(0.5), "evicpress/limit-equal-bandwidths"),
             std::string("not measured with these settings"));
  }
  void ofAllOfItInDramThePaperSaysNothing() {
    const auto said = [](double seconds) {
      return figure_limits(named("evicpress/limits"),
                           {outcome("lru", 0, 0.4, 1, 0, 0, "unchanged tiers"),
                            outcome("evicpress(quality=raw)", 1, 0.1, 1, 0, 0, "unchanged tiers"),
                            outcome("lru", 0, seconds, 1, 0, 0, limit_all_dram),
                            outcome("evicpress(quality=raw)", 1, 0.1, 1, 0, 0, limit_all_dram)})
          .time_findings;
    };
    QVERIFY2(said(0.2).at(1).ends_with(": a smaller maximum gain than with unchanged tiers; not covered by the paper"),
             said(0.2)[1].c_str());
    QVERIFY2(said(0.5).at(1).ends_with(": no smaller gain than with unchanged tiers; not covered by the paper"),
             said(0.5)[1].c_str());
    // Where nothing reaches evicpress with unchanged tiers, no other condition stands in for that.
    const auto alone = figure_limits(named("evicpress/limits"),
                                     {outcome("lru", 0, 0.4, 0.5, 0, 0, "unchanged tiers"),
                                      outcome("evicpress(quality=raw)", 1, 0.1, 1, 0, 0, "unchanged tiers"),
                                      outcome("lru", 0, 0.5, 1, 0, 0, limit_all_dram),
                                      outcome("evicpress(quality=raw)", 1, 0.1, 1, 0, 0, limit_all_dram),
                                      outcome("lru", 0, 0.2, 1, 0, 0, limit_abundant_dram),
                                      outcome("evicpress(quality=raw)", 1, 0.1, 1, 0, 0, limit_abundant_dram)})
                           .time_findings;
    QVERIFY(alone.size() == 2 && alone[1].ends_with(" times the speed of the best baseline at equal quality"));
  }
  void conditionsAreComparedApart() {
    const FigureResult figure = figure_limits(
        named("evicpress/limits"),
        {outcome("lru", 0, 0.4, 1, 0, 0, "small"), outcome("evicpress(quality=raw)", 1, 0.1, 1, 0, 0, "small"),
         outcome("lru", 0, 0.1, 1, 0, 0, "large"), outcome("evicpress(quality=raw)", 1, 0.1, 1, 0, 0, "large")});
    QVERIFY(std::fabs(figure.tables.at(1).rows.at(0).at(1).get<double>() - 4) < 1e-12);
    QVERIFY(std::fabs(figure.tables.at(1).rows.at(0).at(3).get<double>() - 4) <
            1e-12);  // both contexts alike: an interval of no width
    QVERIFY(std::fabs(figure.tables.at(1).rows.at(1).at(1).get<double>() - 1) < 1e-12);
  }
};

KV_TEST_GUILESS_MAIN(LimitsFigureTest)

}  // namespace limits_figure_test

#include "limits_figure_test.moc"
