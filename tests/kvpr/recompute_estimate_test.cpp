// links: kv_experiments
// What the scheduler learns from steps, without a clock: a slow step must not end partial recomputation for good.
#include <QtTest>

#include <vector>

#include "core/kvpr/recompute_estimate.h"
#include "tests/support/test_program.h"

namespace recompute_estimate_test {

using namespace kvantage;

namespace {

constexpr int chunk = 64, tokens = 1024;
constexpr double normal = 15e-6, slow = 1e-3, rest = 2e-3;  // seconds to recompute a token; of a layer besides

RecomputeCosts costs(const RecomputeRate& rate, double rest_seconds) {
  RecomputeCosts costs;
  costs.input_seconds = 5e-6;
  costs.kv_seconds = 10e-6;
  costs.recompute_seconds = rate.seconds_per_token;
  costs.recompute_fixed_seconds = rate.fixed_seconds;
  costs.rest_seconds = rest_seconds;
  costs.overlap = TransferOverlap::across_layers;
  return costs;
}

/// Where chunks of `count` tokens end.
std::vector<int> chunk_ends(int count) {
  std::vector<int> ends;
  for (int end = chunk; end < count; end += chunk) ends.push_back(end);
  ends.push_back(count);
  return ends;
}

int solved(double rate) { return solve_split(costs({0, rate}, rest), tokens, tokens, chunk).recomputed_tokens; }

/// l of each step, where `takes(step)` is what recomputing a token takes in it. As in OffloadedDecode a step
/// is solved before the one in front of it has been learned from.
template <class Takes>
std::vector<int> decode(RecomputeEstimate estimate, int steps, Takes&& takes) {
  std::vector<int> split;
  const auto solve = [&] {
    return estimate.recomputed_tokens(costs(estimate.rate(), estimate.rest_seconds()), tokens, chunk_ends(tokens));
  };
  int next = solve();
  for (int step = 0; step < steps; ++step) {
    split.push_back(next);
    next = solve();
    estimate.learn(rest, takes(step) * split.back(), split.back());
  }
  return split;
}

}  // namespace

class RecomputeEstimateTest : public QObject {
  Q_OBJECT
 private slots:
  void whatWasMeasuredBeforehandCountsAtFirst() {
    RecomputeEstimate estimate({1e-4, normal}, rest);
    QCOMPARE(estimate.rate().fixed_seconds, 1e-4);
    QCOMPARE(estimate.rate().seconds_per_token, normal);
    QCOMPARE(estimate.rest_seconds(), rest);
    estimate.learn(3e-3, slow * 128, 128);
    QCOMPARE(estimate.rate().fixed_seconds, 0.0);
    QCOMPARE(estimate.rate().seconds_per_token, slow);
    QCOMPARE(estimate.rest_seconds(), 3e-3);
    estimate.learn(1e-3, normal * 128, 128);
    estimate.learn(-1e-3, normal * 128, 128);             // a clock's grain
    QCOMPARE(estimate.rate().seconds_per_token, normal);  // the median
    QCOMPARE(estimate.rest_seconds(), 1e-3);
  }

  void oneSlowStepAtTheStartIsForgotten() {
    QVERIFY(solved(normal) > 2 * chunk && solved(slow) == 0);
    const auto split = decode({{0, normal}, rest}, 40, [](int step) { return step == 0 ? slow : normal; });
    QCOMPARE(split[0], solved(normal));
    QCOMPARE(split[2], 0);  // the slow step is all that it knows
    for (std::size_t step = 2 * RecomputeEstimate::newest; step < split.size(); ++step)
      QCOMPARE(split[step], solved(normal));
  }

  void aSlowStretchIsForgotten() {
    const auto split = decode({{0, normal}, rest}, 60, [](int step) { return step < 12 ? slow : normal; });
    for (std::size_t step = 12 + 2 * RecomputeEstimate::newest; step < split.size(); ++step)
      QCOMPARE(split[step], solved(normal));
  }

  // The profiler may have met a slow moment, too.
  void aProfileThatSaysNothingPaysIsHeldAgainstSteps() {
    const auto split = decode({{0, slow}, rest}, 40, [](int) { return normal; });
    QCOMPARE(split[0], 0);
    for (std::size_t step = 2 * RecomputeEstimate::newest; step < split.size(); ++step)
      QCOMPARE(split[step], solved(normal));
  }

  // Where nothing pays, measuring again takes a chunk now and then.
  void measuringAgainTakesLittle() {
    const auto split = decode({{0, slow}, rest}, 81, [](int) { return slow; });
    int recomputed = 0;
    for (const int l : split) {
      QVERIFY(l == 0 || l == chunk);
      recomputed += l == chunk;
    }
    // Two steps in nine: the second is solved before the first is learned from.
    QVERIFY2(recomputed >= 8 && recomputed <= 20, qPrintable(QString::number(recomputed)));
  }

  // A prompt shorter than a chunk is measured whole.
  void aShortPromptIsMeasuredWhole() {
    RecomputeEstimate estimate({0, slow}, rest);
    for (int step = 0; step < RecomputeEstimate::newest; ++step) {
      QCOMPARE(estimate.recomputed_tokens(costs(estimate.rate(), rest), 21, chunk_ends(21)), 0);
      estimate.learn(rest, 0, 0);
    }
    QCOMPARE(estimate.recomputed_tokens(costs(estimate.rate(), rest), 21, chunk_ends(21)), 21);
  }
};

KV_TEST_GUILESS_MAIN(RecomputeEstimateTest)

}  // namespace recompute_estimate_test

#include "recompute_estimate_test.moc"
