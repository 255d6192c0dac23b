// links: kv_base
// Differences of repeated runs: quantiles against published tables, intervals against simulated truth.
#include "core/base/two_level_bootstrap.h"

#include <QTest>
#include <cmath>

#include "core/base/random.h"
#include "core/base/student.h"
#include "tests/support/test_program.h"

namespace two_level_bootstrap_test {

using namespace kvantage;

namespace {

/// Times of a serving engine, as far as noise is concerned: contexts of different lengths, blocks of a drifting
/// machine, runs that differ as a whole, and answers.
struct Noise {
  std::size_t contexts = 30, questions = 2;                       // of each context
  double context = 0.5, block = 0.04, run = 0.03, answer = 0.15;  // spreads of the logarithm
};

RepeatedPairs pairs_of(Random& random, const Noise& noise, std::size_t runs, double effect) {
  RepeatedPairs pairs;
  pairs.in_blocks = true;
  std::vector<double> base;
  for (std::size_t c = 0; c < noise.contexts; ++c) {
    const double length = std::exp(noise.context * random.normal());
    for (std::size_t q = 0; q < noise.questions; ++q) {
      base.push_back(length);
      pairs.groups.push_back("c" + std::to_string(c));
    }
  }
  for (std::size_t run = 0; run < runs; ++run) {
    const double block = std::exp(noise.block * random.normal());
    for (auto* side : {&pairs.before, &pairs.after}) {
      const double whole = block * std::exp(noise.run * random.normal()) * (side == &pairs.after ? 1 + effect : 1);
      std::vector<double> values;
      for (const double length : base) values.push_back(length * whole * std::exp(noise.answer * random.normal()));
      side->push_back(std::move(values));
    }
  }
  return pairs;
}

bool called_different(const RepeatedPairs& pairs) {
  const auto interval = two_level_difference(pairs).interval;
  return interval->low > 0 || interval->high < 0;
}

double share_called(const Noise& noise, std::size_t runs, int pairs, std::uint64_t seed) {
  Random random(seed);
  int called = 0;
  for (int i = 0; i < pairs; ++i) called += called_different(pairs_of(random, noise, runs, 0));
  return static_cast<double>(called) / pairs;
}

}  // namespace

class TwoLevelBootstrapTest : public QObject {
  Q_OBJECT

 private slots:
  // Student's t and chi-square: tables of Abramowitz and Stegun 1964, 26.8 and 26.10.
  void quantilesAreThoseOfTheTables() {
    const struct {
      double share, freedom, value;
    } student[] = {{0.975, 1, 12.706}, {0.975, 2, 4.303},  {0.975, 3, 3.182},  {0.975, 4, 2.776},
                   {0.975, 10, 2.228}, {0.975, 30, 2.042}, {0.995, 5, 4.032},  {0.95, 8, 1.860},
                   {0.9995, 4, 8.610}, {0.75, 6, 0.718},   {0.975, 120, 1.980}};
    for (const auto& [share, freedom, value] : student) {
      QVERIFY2(std::fabs(student_quantile(share, freedom) - value) < 1e-3 + 1e-4 * value,
               qPrintable(QString("t(%1, %2)").arg(share).arg(freedom)));
      QCOMPARE(student_quantile(1 - share, freedom), -student_quantile(share, freedom));
    }
    // Welch's degrees of freedom of two runs: between the rows of tables (incomplete beta function of mpmath 1.3).
    for (const auto& [share, freedom, value] :
         {std::tuple{0.975, 1.1, 10.276801}, {0.975, 1.5, 6.016663}, {0.9, 1.5, 2.196398}, {0.99, 1.9, 7.485879}})
      QVERIFY2(std::fabs(student_quantile(share, freedom) - value) < 0.01 * value,
               qPrintable(QString("t(%1, %2)").arg(share).arg(freedom)));
    for (const auto& [share, freedom, value] :
         {std::tuple{0.1, 4.0, 1.064}, {0.1, 10.0, 4.865}, {0.25, 4.0, 1.923}, {0.5, 6.0, 5.348}, {0.25, 2.0, 0.575}})
      QVERIFY2(std::fabs(chi_square_quantile(share, freedom) - value) < 0.02 * value,
               qPrintable(QString("chi-square(%1, %2)").arg(share).arg(freedom)));
    for (const auto& [share, value] : {std::pair{0.975, 1.959964}, {0.5, 0.0}, {0.001, -3.090232}})
      QVERIFY(std::fabs(normal_quantile(share) - value) < 1e-6);
    // Owen 1965: noncentral t, one-sided 5 %, 9 degrees of freedom, shift 3.1.
    QVERIFY(std::fabs(student_power(3.1, 1.833, 9) - 0.89) < 0.02);
  }

  // One run of each side is the bootstrap over contexts, to the last digit.
  void singleRunsAreTheClusterBootstrap() {
    Random random(4);
    RepeatedPairs pairs = pairs_of(random, {}, 1, 0.1);
    std::vector<double> differences;
    for (std::size_t q = 0; q < pairs.groups.size(); ++q) differences.push_back(pairs.after[0][q] - pairs.before[0][q]);
    const auto wanted = bootstrap_interval(differences, pairs.groups);
    const TwoLevelDifference found = two_level_difference(pairs);
    QVERIFY(std::fabs(found.interval->low - wanted->low) < 1e-12);
    QVERIFY(std::fabs(found.interval->high - wanted->high) < 1e-12);
    QVERIFY(!found.between_runs && !runs_to_find(0.1, found, 1, 30));
  }

  // Without noise of answers and contexts it is Student's interval of the runs.
  void runsAloneHaveStudentsInterval() {
    RepeatedPairs pairs;
    pairs.in_blocks = true;
    pairs.groups = {"a", "b", "c"};
    std::vector<double> differences;
    for (const double moved : {1.0, 2.0, 4.0, 5.0}) {
      pairs.before.push_back({10, 20, 30});
      pairs.after.push_back({10 + moved, 20 + moved, 30 + moved});
      differences.push_back(moved);
    }
    const auto wanted = student_interval(differences);
    const TwoLevelDifference found = two_level_difference(pairs);
    QCOMPARE(found.difference, 3.0);
    QCOMPARE(found.freedom, 3.0);
    QVERIFY(found.contexts < 1e-12);
    QVERIFY(std::fabs(found.interval->low - wanted->low) < 0.02);
    QVERIFY(std::fabs(found.interval->high - wanted->high) < 0.02);
    pairs.in_blocks = false;  // Welch: the sides apart
    QVERIFY(std::fabs(two_level_difference(pairs).freedom - 3) < 1e-9);
  }

  // Two runs with a variance of 2 and eight with 8/7: one run of each side has the noise of both.
  void unequalRunsHaveTheNoiseOfBothSides() {
    RepeatedPairs pairs;
    pairs.groups = {"a", "b", "c"};
    for (const double moved : {-1.0, 1.0}) pairs.before.push_back({10 + moved, 20 + moved, 30 + moved});
    for (int run = 0; run < 8; ++run) {
      const double moved = run % 2 == 0 ? -1 : 1;
      pairs.after.push_back({10 + moved, 20 + moved, 30 + moved});
    }
    const TwoLevelDifference found = two_level_difference(pairs);
    QVERIFY(std::fabs(*found.between_runs - (2.0 / 2 + 8.0 / 7 / 8)) < 1e-12);
    QVERIFY(std::fabs(found.of_one_run - (2.0 + 8.0 / 7)) < 1e-12);
    const auto power = runs_to_find(2, found, 2, 3);
    std::swap(pairs.before, pairs.after);
    const auto swapped = runs_to_find(2, two_level_difference(pairs), 2, 3);
    QVERIFY(power && swapped && power->runs > 2);
    QCOMPARE(swapped->runs, power->runs);
  }

  // Two sides under the same settings: of 10,000, 4 to 6 % are called different at 95 %. Here 2,000, with the bounds of
  // three standard errors around that; KVANTAGE_AA_PAIRS=10000 for all.
  void sidesUnderTheSameSettingsAreCalledDifferentInFivePercent() {
    const int wanted = qEnvironmentVariableIntValue("KVANTAGE_AA_PAIRS");
    const int pairs = wanted > 0 ? wanted : 2000;
    const double slack = pairs >= 10'000 ? 0 : 3 * std::sqrt(0.05 * 0.95 / pairs) - 0.01;
    const double share = share_called({}, 5, pairs, 11);
    QVERIFY2(share >= 0.04 - std::max(slack, 0.0) && share <= 0.06 + std::max(slack, 0.0),
             qPrintable(QString("%1 % of %2").arg(100 * share).arg(pairs)));
  }

  // Other noise, few pairs: never far above 5 %.
  void noNoiseMakesManyDifferences() {
    for (const Noise& noise : {Noise{.contexts = 60, .run = 0.1}, Noise{.run = 0.0, .answer = 0.3},
                               Noise{.contexts = 12, .questions = 5, .block = 0.2}})
      for (const std::size_t runs : {3U, 8U}) {
        const double share = share_called(noise, runs, 400, 23);
        QVERIFY2(share < 0.085, qPrintable(QString("%1 % with %2 runs").arg(100 * share).arg(runs)));
      }
  }

  // Contexts alone would have called most of these pairs different: runs differ as a whole.
  void contextsAloneCallMachineNoiseAResult() {
    Random random(5);
    int alone = 0, both = 0;
    for (int i = 0; i < 200; ++i) {
      RepeatedPairs pairs = pairs_of(random, {.run = 0.06}, 5, 0);
      both += called_different(pairs);
      for (auto* side : {&pairs.before, &pairs.after}) side->resize(1);
      alone += called_different(pairs);
    }
    QVERIFY2(alone > 60, qPrintable(QString::number(alone)));
    QVERIFY2(both < 20, qPrintable(QString::number(both)));
  }

  // A planted tenth is found in at least 90 of 100 with as many runs as five pilot runs say.
  void thePlannedRunsFindATenth() {
    Random random(7);
    for (const double run : {0.01, 0.03}) {
      int found = 0, tries = 0;
      double planned = 0;
      for (; tries < 200; ++tries) {
        const Noise noise{.run = run};
        const RepeatedPairs pilot = pairs_of(random, noise, 5, 0);
        double mean = 0;
        for (const auto& values : pilot.before) mean += mean_of(values) / 5;
        const auto power = runs_to_find(0.1 * mean, two_level_difference(pilot), 5, noise.contexts);
        QVERIFY(power && power->runs >= 2 && power->contexts == noise.contexts);
        planned += static_cast<double>(power->runs) / 200;
        const auto interval = two_level_difference(pairs_of(random, noise, power->runs, -0.1)).interval;
        found += interval->high < 0;
      }
      QVERIFY2(found >= 180 && planned < 30, qPrintable(QString("%1 of 200 with %2").arg(found).arg(planned)));
    }
  }

  // Where contexts react differently, runs do not help, and the program says so.
  void contextsThatReactDifferentlyNeedContexts() {
    RepeatedPairs pairs;
    pairs.in_blocks = true;
    Random random(9);
    std::vector<double> reaction;
    for (int c = 0; c < 10; ++c) reaction.push_back(5 * random.normal());
    for (int run = 0; run < 5; ++run) {
      pairs.before.emplace_back(10, 10.0);
      pairs.after.emplace_back(10, 10.0);
      for (std::size_t c = 0; c < 10; ++c) pairs.after.back()[c] += reaction[c] + 0.01 * random.normal();
    }
    for (int c = 0; c < 10; ++c) pairs.groups.push_back(std::string(1, static_cast<char>('a' + c)));
    const auto power = runs_to_find(1, two_level_difference(pairs), 5, 10);
    QVERIFY(power && (power->contexts > 10 || power->runs == 0));
  }

  void theTailIsOnTheSafeSide() {
    Random random(13);
    int called = 0;
    for (int i = 0; i < 60; ++i) {
      const auto interval = two_level_percentile_difference(pairs_of(random, {}, 4, 0), 0.95).interval;
      called += interval->low > 0 || interval->high < 0;
    }
    QVERIFY2(called <= 6, qPrintable(QString::number(called)));
    const auto moved = two_level_percentile_difference(pairs_of(random, {.run = 0.01}, 6, -0.5), 0.95).interval;
    QVERIFY(moved->high < 0);
  }
};

KV_TEST_APPLESS_MAIN(TwoLevelBootstrapTest)

}  // namespace two_level_bootstrap_test

#include "two_level_bootstrap_test.moc"
