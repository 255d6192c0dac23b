// links: kv_reports
// Scores compared question by question: the numbers, and intervals that pairing makes narrow.
#include <cmath>

#include "core/experiments/measured_spans.h"

#include <QtTest>

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

  // statsmodels.stats.proportion.proportion_confint(0, 180, method="wilson"): 0, 0.020895497921612875
  void sharesOfNoneOrAllHaveWilsonsInterval() {
    const std::vector<double> none(180, 0.0), all(180, 1.0);
    const auto of_none = share_interval(none), of_all = share_interval(all);
    QVERIFY(of_none && of_none->low == 0 && std::abs(of_none->high - 0.020895497921612875) < 1e-9);
    QVERIFY(of_all && of_all->high == 1 && std::abs(of_all->low - (1 - 0.020895497921612875)) < 1e-9);
    QVERIFY(bootstrap_interval(none)->high == 0);  // which it replaces
    // Groups count, not their values: 180 of three contexts are as few as three.
    std::vector<std::string> contexts;
    for (std::size_t i = 0; i < none.size(); ++i) contexts.push_back(std::to_string(i % 3));
    const auto grouped = share_interval(none, contexts);
    QVERIFY(grouped && grouped->low == 0 && std::abs(grouped->high - 0.5614970317550455) < 1e-9);
    // All others are bootstrapped.
    std::vector<double> some = none;
    some[0] = 0.5;
    QCOMPARE(share_interval(some)->high, bootstrap_interval(some)->high);
    QCOMPARE(share_interval(some, contexts)->high, bootstrap_interval(some, contexts)->high);
    const std::vector<double> halves(4, 0.5);
    QVERIFY(share_interval(halves)->low == 0.5 && share_interval(halves)->high == 0.5);
    QVERIFY(!share_interval(std::vector{1.0}) && !share_interval(std::vector<double>{}));
    QVERIFY(!share_interval(std::vector{1.0, 1.0}, std::vector<std::string>{"a", "a"}));
  }

  void aClaimIsTheSpanOfItsComparisons() {
    FigureResult result;
    add_claim(result, "a", std::vector<MeasuredSpan>{});
    add_claim(result, "a", std::optional<MeasuredSpan>{});
    QVERIFY(result.measured.empty());
    add_claim(result, "b", std::vector{exactly(3), exactly(1), exactly(2)}, true);
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

  // scipy.stats.t.interval(0.95, 3, loc=2.5, scale=scipy.stats.sem([1, 2, 3, 4])): 0.445739743239121, 4.554260256760879
  void meansHaveStudentsInterval() {
    const auto measured = measured_mean(std::vector<double>{1, 2, 3, 4});
    QCOMPARE(measured.low, 2.5);
    QVERIFY(std::fabs(measured.low_interval->low - 0.445740) < 1e-3);
    QVERIFY(std::fabs(measured.high_interval->high - 4.554260) < 1e-3);
    QVERIFY(!measured_mean(std::vector<double>{1}).low_interval);
  }

  // A machine that is three times as slow in one block changes no ratio within it.
  void ratiosAreOfTheSameBlock() {
    const auto ratio = measured_ratio(std::vector<double>{2, 6, 2}, std::vector<double>{1, 3, 1});
    QCOMPARE(ratio.low, 2.0);
    QCOMPARE(ratio.low_interval->low, 2.0);
    QCOMPARE(ratio.low_interval->high, 2.0);
  }

  void quotientsAreAsWideAsTheirEnds() {
    const auto around = [](double value, double half) {
      const Interval interval{value - half, value + half};
      return MeasuredSpan{value, value, interval, interval};
    };
    const auto ratio = quotient(around(4, 2), around(2, 1));
    QCOMPARE(ratio.low, 2.0);
    QCOMPARE(ratio.low_interval->low, 2.0 / 3);
    QCOMPARE(ratio.low_interval->high, 6.0);
    QVERIFY(!quotient(around(4, 2), around(2, 2)).low_interval);  // may be divided by 0
  }

  void aSpanIsFromTheSmallestToTheLargest() {
    const auto span = span_of({exactly(3), exactly(1), {2, 5, {}, Interval{4, 6}}});
    QCOMPARE(span.low, 1.0);
    QCOMPARE(span.high, 5.0);
    QCOMPARE(span.low_interval->high, 1.0);
    QCOMPARE(span.high_interval->high, 6.0);
    const auto saved = scaled({2, 4, Interval{1, 3}, Interval{4, 5}}, -1, 1);
    QCOMPARE(saved.low, -3.0);
    QCOMPARE(saved.high, -1.0);
    QCOMPARE(saved.low_interval->low, -4.0);
    QCOMPARE(saved.high_interval->high, 0.0);
  }
};

KV_TEST_GUILESS_MAIN(MeasuredSpansTest)

}  // namespace measured_spans_test

#include "measured_spans_test.moc"
