// links: kv_reports
// Scores compared question by question: the numbers, and intervals that pairing makes narrow.
#include "core/experiments/measured_spans.h"

#include <QtTest>

#include "core/experiments/blocks.h"
#include "tests/support/test_program.h"

namespace measured_spans_test {

using namespace kvantage;

class MeasuredSpansTest : public QObject {
  Q_OBJECT
 private slots:
  void differencesArePaired() {
    const std::vector<double> above{0.9, 0.5, 0.1, 0.7}, below{0.7, 0.3, -0.1, 0.5};
    const MeasuredSpan same = paired_difference(above, below);
    QVERIFY(std::abs(same.low - 0.2) < 1e-12 && same.low == same.high);
    // Questions differ by far more than the two answers to each.
    QVERIFY(same.low_interval && same.low_interval->high - same.low_interval->low < 1e-12);
    QVERIFY(!paired_difference(std::vector{0.9}, std::vector{0.7}).low_interval);
  }

  void ratiosAreOfTheMeans() {
    const std::vector<double> below{0.2, 0.4, 0.0, 1.0}, twice{0.4, 0.8, 0.0, 2.0}, other{0.4, 0.1, 0.3, 0.8};
    const auto exact = paired_ratio(twice, below);
    QVERIFY(exact && std::abs(exact->low - 2) < 1e-12);
    QVERIFY(exact->low_interval && exact->low_interval->high - exact->low_interval->low < 1e-12);
    const auto about_one = paired_ratio(other, below);
    QVERIFY(about_one && std::abs(about_one->low - 1) < 1e-12);
    QVERIFY(about_one->low_interval->low < 0.9 && about_one->low_interval->high > 1.1);
    QVERIFY(!paired_ratio(below, std::vector{0.0, 0.0, 0.0, 0.0}));
  }

  void aClaimIsTheSpanOfItsComparisons() {
    FigureResult result;
    add_claim(result, "a", {});
    QVERIFY(result.measured.empty());
    add_claim(result, "b", {exactly(3), exactly(1), exactly(2)}, true);
    QCOMPARE(result.measured.size(), std::size_t{1});
    const MeasuredClaim& claim = result.measured.front();
    QVERIFY(claim.claim == "b" && claim.of_time && claim.measured.low == 1 && claim.measured.high == 3);
  }

  void cellsHaveNoIntervalWithoutOne() {
    std::vector<Json> row;
    add_interval_cells(row, measured_mean(std::vector{2.0}));
    add_interval_cells(row, exactly(3));
    QCOMPARE(row.size(), std::size_t{6});
    QVERIFY(row[0] == 2.0 && row[1].is_null() && row[2].is_null());
    QVERIFY(row[3] == 3.0 && row[4] == 3.0 && row[5] == 3.0);
  }
};

KV_TEST_GUILESS_MAIN(MeasuredSpansTest)

}  // namespace measured_spans_test

#include "measured_spans_test.moc"
