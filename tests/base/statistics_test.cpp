// links: kv_base
// Percentiles agree with numpy, intervals cover what they say, and groups are drawn whole.
#include "core/base/statistics.h"

#include <QTest>
#include <algorithm>
#include <cmath>

#include "core/base/bootstrap.h"
#include "core/base/random.h"
#include "tests/support/test_program.h"

namespace statistics_test {

using namespace kvantage;

class StatisticsTest : public QObject {
  Q_OBJECT

 private slots:
  // Newcombe 1998, table I (method 3): 81 of 263, 15 of 148, 0 of 20, 1 of 29.
  void proportionsHaveWilsonsInterval() {
    const struct {
      std::size_t successes, n;
      double low, high;
    } known[] = {{81, 263, 0.2553, 0.3662}, {15, 148, 0.0624, 0.1605}, {0, 20, 0.0, 0.1611}, {1, 29, 0.0061, 0.1718}};
    for (const auto& [successes, n, low, high] : known) {
      const Interval interval = proportion_interval(successes, n);
      QVERIFY2(std::abs(interval.low - low) < 6e-5 && std::abs(interval.high - high) < 6e-5,
               qPrintable(QString("%1 of %2: %3, %4").arg(successes).arg(n).arg(interval.low).arg(interval.high)));
    }
    QCOMPARE(proportion_interval(20, 20).high, 1.0);
    QCOMPARE(proportion_interval(0, 0).low, 0.0);
    QCOMPARE(proportion_interval(0, 0).high, 1.0);
  }

  // numpy.percentile(values, p), default method.
  void percentilesAgreeWithNumpy_data() {
    QTest::addColumn<double>("percent");
    QTest::addColumn<double>("expected");
    const std::pair<double, double> known[] = {{0, -1.25}, {2.5, -0.975}, {25, 2.75},  {50, 4.0}, {90, 27.6},
                                               {95, 63.8}, {97.5, 81.9},  {99, 92.76}, {100, 100}};
    for (const auto& [percent, expected] : known) QTest::addRow("p%g", percent) << percent << expected;
  }
  void percentilesAgreeWithNumpy() {
    QFETCH(double, percent);
    QFETCH(double, expected);
    const std::vector<double> values{3.5, -1.25, 8, 0.125, 2.75, 9.5, 4, 4, 100};
    QVERIFY(std::fabs(percentile(values, percent / 100) - expected) < 1e-12);
  }

  void percentilesOfLittle() {
    QCOMPARE(percentile({}, 0.5), 0.0);
    QCOMPARE(percentile({7}, 0.95), 7.0);
    QVERIFY(std::fabs(percentile({2, 1}, 0.95) - 1.95) < 1e-12);
    QCOMPARE(mean_of(std::vector<double>{}), 0.0);
    QCOMPARE(mean_of(std::vector<double>{1, 2, 6}), 3.0);
  }

  void theIntervalIsTheNormalOneForManySamples() {
    Random random(1);
    std::vector<double> values(400);
    for (double& value : values) value = 5 + 2 * random.normal();
    double squares = 0;
    const double mean = mean_of(values);
    for (const double value : values) squares += (value - mean) * (value - mean);
    const double half = 1.96 * std::sqrt(squares / 399) / std::sqrt(400.0);
    const auto interval = bootstrap_interval(values);
    QVERIFY(interval.has_value());
    QVERIFY(std::fabs(interval->low - (mean - half)) < 0.1 * half);
    QVERIFY(std::fabs(interval->high - (mean + half)) < 0.1 * half);
  }

  void theIntervalCoversTheTrueMeanAboutAsOftenAsItSays() {
    Random random(2);
    int covered = 0;
    constexpr int repeats = 400;
    for (int repeat = 0; repeat < repeats; ++repeat) {
      std::vector<double> values(60);
      for (double& value : values) value = random.uniform();
      const auto interval = bootstrap_interval(values);
      covered += interval->low <= 0.5 && 0.5 <= interval->high ? 1 : 0;
    }
    QVERIFY2(covered >= 0.90 * repeats && covered <= 0.985 * repeats, qPrintable(QString::number(covered)));
  }

  // Ten copies of each answer say nothing new: the interval stays, where one over requests would shrink.
  void copiesWithinAGroupDoNotNarrowTheInterval() {
    Random random(3);
    std::vector<double> once, copied;
    std::vector<std::string> names_once, names_copied;
    for (int context = 0; context < 24; ++context) {
      const double value = random.uniform();
      const std::string name = "context " + std::to_string(100 + context);
      once.push_back(value);
      names_once.push_back(name);
      for (int i = 0; i < 10; ++i) {
        copied.push_back(value);
        names_copied.push_back(name);
      }
    }
    const auto single = bootstrap_interval(once, names_once), many = bootstrap_interval(copied, names_copied);
    QVERIFY(std::fabs(single->low - many->low) < 1e-12 && std::fabs(single->high - many->high) < 1e-12);
    const auto naive = bootstrap_interval(copied);
    QVERIFY(naive->high - naive->low < 0.5 * (many->high - many->low));
  }

  void oneGroupHasNoInterval() {
    const std::vector<double> values{1, 2, 3};
    const std::vector<std::string> names{"a", "a", "a"};
    QVERIFY(!bootstrap_interval(values, names));
    QVERIFY(!bootstrap_interval(std::vector<double>{}));
  }

  // Ranks from the top give what sorting every drawn sample gives.
  void intervalsOfPercentilesAreThoseOfPlainResamples_data() {
    QTest::addColumn<double>("fraction");
    QTest::addColumn<int>("groups");
    for (const double fraction : {0.0, 0.5, 0.95, 0.99, 1.0})
      for (const int groups : {2, 7, 40}) QTest::addRow("%g of %d", fraction, groups) << fraction << groups;
  }
  void intervalsOfPercentilesAreThoseOfPlainResamples() {
    QFETCH(double, fraction);
    QFETCH(int, groups);
    Random random(5);
    std::vector<std::vector<double>> by_group(static_cast<std::size_t>(groups)), other = by_group;
    std::vector<double> before, after;
    std::vector<std::string> names;
    for (int i = 0; i < groups * 4; ++i) {
      const std::size_t group =
          i < groups ? static_cast<std::size_t>(i) : random.below(static_cast<std::uint64_t>(groups));
      before.push_back(random.exponential(1));
      after.push_back(before.back() + random.uniform());
      names.push_back("g" + std::to_string(100 + group));
      by_group[group].push_back(before.back());
      other[group].push_back(after.back());
    }
    Random draws(20070615);
    std::vector<double> percentiles, differences;
    for (int resample = 0; resample < 2000; ++resample) {
      std::vector<double> drawn, drawn_after;
      for (int i = 0; i < groups; ++i) {
        const std::size_t group = draws.below(static_cast<std::uint64_t>(groups));
        drawn.insert(drawn.end(), by_group[group].begin(), by_group[group].end());
        drawn_after.insert(drawn_after.end(), other[group].begin(), other[group].end());
      }
      percentiles.push_back(percentile(drawn, fraction));
      differences.push_back(percentile(drawn_after, fraction) - percentiles.back());
    }
    const auto interval = bootstrap_percentile_interval(before, names, fraction);
    const auto difference = bootstrap_percentile_difference(before, after, names, fraction);
    QVERIFY(interval && difference);
    QVERIFY(std::fabs(interval->low - percentile(percentiles, 0.025)) < 1e-12 &&
            std::fabs(interval->high - percentile(percentiles, 0.975)) < 1e-12);
    QVERIFY(std::fabs(difference->low - percentile(differences, 0.025)) < 1e-12 &&
            std::fabs(difference->high - percentile(differences, 0.975)) < 1e-12);
  }

  void percentilesOfOneGroupHaveNoInterval() {
    const std::vector<double> values{1, 2, 3};
    const std::vector<std::string> names{"a", "a", "a"};
    QVERIFY(!bootstrap_percentile_interval(values, names, 0.95) &&
            !bootstrap_percentile_difference(values, values, names, 0.95));
    QVERIFY(!bootstrap_percentile_interval({}, {}, 0.95));
  }

  void theIntervalOfAPercentileCoversTheTrueOne() {
    Random random(6);
    int covered = 0;
    constexpr int repeats = 200;
    for (int repeat = 0; repeat < repeats; ++repeat) {
      std::vector<double> values(300);
      std::vector<std::string> names;
      for (double& value : values) {
        value = random.uniform();
        names.push_back(std::to_string(names.size()));
      }
      const auto interval = bootstrap_percentile_interval(values, names, 0.95);
      covered += interval->low <= 0.95 && 0.95 <= interval->high ? 1 : 0;
    }
    QVERIFY2(covered >= 0.88 * repeats, qPrintable(QString::number(covered)));
  }

  void theSameSamplesGiveTheSameDigitsInAnyOrderOfGroups() {
    const std::vector<double> values{0.1, 0.7, 0.4, 0.9}, turned{0.9, 0.4, 0.7, 0.1};
    const std::vector<std::string> names{"a", "b", "c", "d"}, turned_names{"d", "c", "b", "a"};
    const auto one = bootstrap_interval(values, names), other = bootstrap_interval(turned, turned_names);
    QCOMPARE(one->low, other->low);
    QCOMPARE(one->high, other->high);
  }

  // Of a mean it is the interval of means; what most draws do not know has none.
  void anyStatisticHasAnInterval() {
    const std::vector<double> values{0.1, 0.7, 0.4, 0.9, 0.2};
    const auto mean = [&](std::span<const std::size_t> drawn) {
      double sum = 0;
      for (const std::size_t i : drawn) sum += values[i];
      return std::optional(sum / static_cast<double>(drawn.size()));
    };
    const auto known = bootstrap_interval(values), same = bootstrap_statistic(values.size(), mean);
    QVERIFY(known && same && std::fabs(known->low - same->low) < 1e-12 && std::fabs(known->high - same->high) < 1e-12);
    QVERIFY(!bootstrap_statistic(1, mean));
    const auto rarely = [&](std::span<const std::size_t> drawn) {
      return std::ranges::count(drawn, std::size_t{0}) > 2 ? mean(drawn) : std::nullopt;
    };
    QVERIFY(!bootstrap_statistic(values.size(), rarely));
  }
};

KV_TEST_GUILESS_MAIN(StatisticsTest)

}  // namespace statistics_test

#include "statistics_test.moc"
