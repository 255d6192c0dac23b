// links: kv_base
// Figures under load and other conditions, on outcomes made by hand.
#include <QtTest>

#include "core/study/drift_figure.h"
#include "core/study/load_figures.h"

using namespace kvantage;

namespace {

PolicyOutcome outcome(std::string policy, double alpha, double seconds, double quality, double rate, double queued,
                      std::string condition = {}) {
  PolicyOutcome made{std::move(policy), alpha, 0.1, 1, {}, rate, std::move(condition)};
  for (const char* context : {"a", "b"})
    made.samples.push_back({context, "family", "dram", seconds, 0.01, quality, {}, seconds + queued, 0.02});
  return made;
}

}  // namespace

class LoadFiguresTest : public QObject {
  Q_OBJECT
 private slots:
  void theHighestRateWithinTheBounds() {
    const FigureResult figure = figure_rates({outcome("lru", 0, 0.2, 1, 1, 0.1), outcome("lru", 0, 0.2, 1, 4, 9),
                                              outcome("fixed(x,0.9)", 0, 0.1, 0.5, 4, 0),  // fast, but not good enough
                                              outcome("evicpress", 1, 0.1, 0.9, 1, 0), outcome("evicpress", 1, 0.1, 0.9, 4, 0.2)},
                                             0.8, 0.5);
    QCOMPARE(QString::fromStdString(figure.findings.at(0)), "evicpress bears 4 times the rate of the best other (lru, 1 requests/s)");
    QVERIFY(figure.tables.at(1).rows.at(1).at(1).is_null());  // fixed
  }
  void driftIsToldWithWhatItCost() {
    PolicyOutcome anew = outcome("evicpress", 1, 0.1, 0.9, 3, 0, "profiled anew"), once = outcome("evicpress", 1, 0.1, 0.6, 3, 0, "profiled once");
    for (PolicyOutcome* made : {&anew, &once}) {
      for (PolicySample& sample : made->samples) {
        sample.predicted_quality = 1.0;
        sample.uncompressed_quality = 0.96;
      }
      made->seeds = 2;
      made->samples.insert(made->samples.end(), made->samples.begin(), made->samples.end());
      made->costs = {{.busy_seconds = 6, .reprofiling_seconds = 0.2, .drifts = 1, .curves = 1, .longest_step_seconds = 0.002},
                     {.busy_seconds = 4, .reprofiling_seconds = 0.3, .drifts = 2, .curves = 1, .longest_step_seconds = 0.001}};
    }
    const FigureResult figure = figure_drift({anew, once}, 2);
    QCOMPARE(figure.tables.at(0).rows.size(), std::size_t{4});
    const auto& cost = figure.tables.at(1).rows.at(0);
    QCOMPARE(cost.at(2).get<int>(), 3);
    QCOMPARE(cost.at(6).get<double>(), 5.0);
    QCOMPARE(cost.at(7).get<double>(), 2.0);
    QCOMPARE(QString::fromStdString(figure.findings.at(0)), "in the last part quality is 0.9 with profiling anew and 0.6 without: 50 % more");
    QCOMPARE(QString::fromStdString(figure.findings.at(2)), "profiled once: the last part is 40 % below the profiled level of the first, 1");
    QCOMPARE(QString::fromStdString(figure.findings.at(3)), "profiled anew: the last quarter is 6.25 % below what the uncompressed cache answers to the same questions");
  }
  void conditionsAreComparedApart() {
    const FigureResult figure =
        figure_limits({outcome("lru", 0, 0.4, 1, 0, 0, "small"), outcome("evicpress", 1, 0.1, 1, 0, 0, "small"),
                       outcome("lru", 0, 0.1, 1, 0, 0, "large"), outcome("evicpress", 1, 0.1, 1, 0, 0, "large")});
    QVERIFY(std::fabs(figure.tables.at(1).rows.at(0).at(1).get<double>() - 4) < 1e-12);
    QVERIFY(std::fabs(figure.tables.at(1).rows.at(1).at(1).get<double>() - 1) < 1e-12);
  }
  void adaptcacheAgainstEachFixedMethod() {
    const FigureResult figure =
        figure_adaptcache({outcome("fixed(kivi2,0)", 0, 0.3, 0.7, 1, 0), outcome("fixed(streaming_llm,0.5)", 0, 0.1, 0.5, 1, 0),
                           outcome("adaptcache", 1, 0.1, 0.7, 1, 0)}, "dram");
    const auto& rows = figure.tables.at(1).rows;
    QCOMPARE(rows.size(), 2UL);
    QVERIFY(std::fabs(rows[0][1].get<double>() - 3) < 1e-12);
    QVERIFY(rows[1][1].is_null());                                   // streaming_llm never reaches 0.7
    QVERIFY(std::fabs(rows[1][4].get<double>() - 40) < 1e-9);
  }
};

QTEST_GUILESS_MAIN(LoadFiguresTest)
#include "load_figures_test.moc"
