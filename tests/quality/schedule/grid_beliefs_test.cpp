// links: core_quality_schedule
// Estimates from own answers and relatives, and their intervals.
#include "core/quality/schedule/grid_beliefs.h"

#include <QtTest>

#include "core/base/statistics.h"
#include "tests/support/test_program.h"

namespace grid_beliefs_test {

using namespace kvantage;

namespace {

CellAnswers right(int right, int n) { return {.n = n, .sum = double(right), .squares = double(right), .bytes = 1}; }

/// Contexts of 1,000 tokens of one family; two methods at three fractions.
MeasuredGrid grid_of(std::size_t contexts, int questions = 8) {
  std::vector<GridForm> forms{{"none", 0}};
  for (const char* method : {"a", "b"})
    for (const double fraction : {0.3, 0.6, 0.9}) forms.push_back({method, fraction});
  return {forms, std::vector<GridContext>(contexts, {"story", 1000, questions})};
}

}  // namespace

class GridBeliefsTest : public QObject {
  Q_OBJECT

 private slots:
  // statsmodels.stats.proportion.proportion_confint(0, 180, method="wilson"): 0, 0.020895497921612875
  void intervalsAreWilsons() {
    const ScoreInterval none = score_interval(0, 180);
    QVERIFY(none.low == 0 && std::fabs(none.high - 0.020895497921612875) < 1e-12);
    for (const auto& [k, n] : {std::pair{0, 3}, {3, 3}, {5, 12}, {40, 41}}) {
      const Interval known = proportion_interval(std::size_t(k), std::size_t(n));
      const ScoreInterval score = score_interval(double(k) / n, n);
      QVERIFY(std::fabs(score.low - known.low) < 1e-12 && std::fabs(score.high - known.high) < 1e-12);
    }
    const ScoreInterval unknown = score_interval(0.5, 0);
    QVERIFY(unknown.low == 0 && unknown.high == 1);
  }

  void nothingIsKnownWithoutAnswers() {
    const MeasuredGrid grid = grid_of(2);
    const GridBeliefs beliefs(grid);
    for (std::size_t f = 0; f < grid.forms().size(); ++f) {
      const CellBelief& belief = beliefs.of(1, f);
      QVERIFY(!belief.is_known() && belief.low == 0 && belief.high == 1);
    }
  }

  // A context without answers has its relatives'; with its own, it follows these.
  void ownAnswersReplaceThePooled() {
    MeasuredGrid grid = grid_of(5);
    for (std::size_t c = 1; c < 5; ++c) grid.cell(c, 1) = right(8, 8);
    const CellBelief pooled = GridBeliefs(grid).of(0, 1);
    QVERIFY(pooled.n == 0 && pooled.is_known());
    QVERIFY(pooled.mean > 0.9 && pooled.high == 1 && pooled.low > 0.4);
    double last = pooled.mean;
    for (const int n : {1, 2, 4, 8, 64}) {
      grid.cell(0, 1) = right(0, n);
      const CellBelief own = GridBeliefs(grid).of(0, 1);
      QVERIFY(own.n == n && own.mean < last);
      last = own.mean;
    }
    QVERIFY(last < 0.2);
  }

  void similarContextsCountMoreThanOthers() {
    std::vector<GridContext> contexts{{"story", 1000, 8}, {"story", 1100, 8}, {"ledger", 1000, 8}, {"story", 9000, 8}};
    MeasuredGrid grid({{"none", 0}, {"a", 0.5}}, contexts);
    QVERIFY(grid.group(0) == grid.group(1));
    QVERIFY(grid.group(0) != grid.group(2) && grid.group(0) != grid.group(3));
    grid.cell(1, 1) = right(8, 8);
    grid.cell(2, 1) = right(0, 8);
    grid.cell(3, 1) = right(0, 8);
    // 8 answers at weight 1 against 16 at a quarter.
    QVERIFY(std::fabs(GridBeliefs(grid).of(0, 1).mean - 8.0 / 12) < 1e-9);
  }

  void moreAnswersNarrowTheInterval() {
    double last = 2;
    for (const int n : {2, 4, 8, 16}) {
      MeasuredGrid grid = grid_of(3, 16);
      for (std::size_t c = 0; c < 3; ++c) grid.cell(c, 2) = right(n / 2, n);
      const CellBelief belief = GridBeliefs(grid).of(0, 2);
      QVERIFY(belief.low <= belief.mean && belief.mean <= belief.high);
      QVERIFY(belief.high - belief.low < last);
      last = belief.high - belief.low;
    }
  }

  // Relatives that differ are worth less than relatives that agree.
  void contextsThatDifferSayLessOfOneAnother() {
    MeasuredGrid alike = grid_of(7), apart = grid_of(7);
    for (std::size_t c = 1; c < 7; ++c) {
      alike.cell(c, 3) = right(4, 8);
      apart.cell(c, 3) = right(c % 2 == 0 ? 8 : 0, 8);
    }
    const CellBelief of_alike = GridBeliefs(alike).of(0, 3), of_apart = GridBeliefs(apart).of(0, 3);
    QVERIFY(std::fabs(of_alike.mean - 0.5) < 1e-9 && std::fabs(of_apart.mean - 0.5) < 1e-9);
    QVERIFY(of_apart.high - of_apart.low > of_alike.high - of_alike.low);
  }

  // Between 0.3 and 0.9 the curve is at most what it is at 0.3, and at least what it is at 0.9.
  void neighborsBoundWhatNobodyAsked() {
    MeasuredGrid grid = grid_of(1, 64);
    grid.cell(0, 1) = right(6, 64);
    grid.cell(0, 3) = right(5, 64);
    const GridBeliefs beliefs(grid);
    QCOMPARE(beliefs.of(0, 2).n, 0);
    QVERIFY(beliefs.of(0, 2).high <= beliefs.of(0, 1).high + 0.05);
    QVERIFY(beliefs.of(0, 2).low >= beliefs.of(0, 3).low - 0.05);
  }
};

KV_TEST_APPLESS_MAIN(GridBeliefsTest)

}  // namespace grid_beliefs_test

#include "grid_beliefs_test.moc"
