// links: kv_base
// The closed form of KVPR's split against a search over every token, and the paper's equations.
#include "core/policy/partial_recompute.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/random.h"
#include "tests/support/test_program.h"

namespace partial_recompute_test {

using namespace kvantage;

namespace {

// Equation 10 written out again, apart from the code under test: what leaves first, then what overlaps.
double by_hand(const RecomputeCosts& c, int l, int s) {
  const double inputs = l > 0 ? c.input_fixed_seconds + l * c.input_seconds : 0;
  const double loads = s - l > 0 ? c.kv_fixed_seconds + (s - l) * c.kv_seconds : 0;
  const double computes = l > 0 ? c.recompute_fixed_seconds + l * c.recompute_seconds : 0;
  if (c.overlap == TransferOverlap::across_layers)
    return std::max(c.weights_before_seconds + inputs + loads + c.weights_beside_seconds, computes + c.rest_seconds);
  return c.weights_before_seconds + inputs + std::max(computes, loads + c.weights_beside_seconds) + c.rest_seconds;
}

bool about(double a, double b) { return std::abs(a - b) <= 1e-12 + 1e-9 * std::abs(b); }

}  // namespace

class PartialRecomputeTest : public QObject {
  Q_OBJECT
 private slots:
  // No l among all that are allowed takes less: costs of every size, with and without fixed ones, weights, units and
  // bounds.
  void theClosedFormIsTheBestOfAll() {
    Random random(4);
    int inside = 0, none = 0, all = 0;
    for (int round = 0; round < 8000; ++round) {
      const auto cost = [&](double chance) {
        return random.uniform() < chance ? std::pow(10.0, -4 + 3 * random.uniform()) : 0.0;
      };
      RecomputeCosts costs;
      costs.overlap = round % 2 == 0 ? TransferOverlap::within_layer : TransferOverlap::across_layers;
      costs.kv_seconds = cost(0.95);
      costs.input_seconds = random.uniform() < 0.7 ? costs.kv_seconds * random.uniform() : cost(0.8);
      costs.recompute_seconds = cost(0.95);
      costs.input_fixed_seconds = 20 * cost(0.4);
      costs.kv_fixed_seconds = 20 * cost(0.4);
      costs.recompute_fixed_seconds = 20 * cost(0.4);
      costs.weights_before_seconds = 20 * cost(0.3);
      costs.weights_beside_seconds = 20 * cost(0.3);
      costs.rest_seconds = 20 * cost(0.5);
      const int tokens = static_cast<int>(random.below(300));
      const int most =
          random.uniform() < 0.5 ? tokens : static_cast<int>(random.below(static_cast<std::uint64_t>(tokens) + 1));
      const int unit = random.uniform() < 0.5 ? 1 : 1 + static_cast<int>(random.below(40));
      const RecomputeSplit split = solve_split(costs, tokens, most, unit);
      double best = by_hand(costs, 0, tokens);
      for (int l = 0; l <= most; ++l)
        if (l % unit == 0 || l == most) best = std::min(best, by_hand(costs, l, tokens));
      QVERIFY2(about(split.seconds, best),
               qPrintable(QString("round %1: %2 against %3").arg(round).arg(split.seconds).arg(best)));
      QVERIFY(about(by_hand(costs, split.recomputed_tokens, tokens), best));
      QVERIFY(split.recomputed_tokens >= 0 && split.recomputed_tokens <= most);
      QVERIFY(split.recomputed_tokens % unit == 0 || split.recomputed_tokens == most);
      QVERIFY(about(split.load_only_seconds, by_hand(costs, 0, tokens)) &&
              about(split.recompute_only_seconds, by_hand(costs, most, tokens)));
      none += split.recomputed_tokens == 0;
      all += split.recomputed_tokens == most && most > 0;
      inside += split.recomputed_tokens > 0 && split.recomputed_tokens < most;
    }
    QVERIFY2(none > 500 && all > 500 && inside > 500, qPrintable(QString("%1 %2 %3").arg(none).arg(all).arg(inside)));
  }

  // Where runs of any lengths are recomputed as a whole.
  void theBestOfGivenEnds() {
    Random random(11);
    int inside = 0;
    for (int round = 0; round < 2000; ++round) {
      const auto cost = [&] { return std::pow(10.0, -4 + 3 * random.uniform()); };
      RecomputeCosts costs;
      costs.overlap = round % 2 == 0 ? TransferOverlap::within_layer : TransferOverlap::across_layers;
      costs.kv_seconds = cost();
      costs.input_seconds = costs.kv_seconds * random.uniform();
      costs.recompute_seconds = cost();
      costs.input_fixed_seconds = 20 * random.uniform() * cost();
      costs.rest_seconds = 20 * cost();
      std::vector<int> ends;
      for (int end = 0; end < 300 && (ends.empty() || random.uniform() < 0.9);)
        ends.push_back(end += 1 + static_cast<int>(random.below(70)));
      const int tokens = ends.back() + static_cast<int>(random.below(100));
      const RecomputeSplit split = solve_split(costs, tokens, ends);
      double best = by_hand(costs, 0, tokens);
      for (const int l : ends) best = std::min(best, by_hand(costs, l, tokens));
      QVERIFY2(about(split.seconds, best), qPrintable(QString("round %1").arg(round)));
      QVERIFY(about(by_hand(costs, split.recomputed_tokens, tokens), best));
      QVERIFY(split.recomputed_tokens == 0 || std::ranges::find(ends, split.recomputed_tokens) != ends.end());
      QVERIFY(about(split.load_only_seconds, by_hand(costs, 0, tokens)));
      QVERIFY(about(split.recompute_only_seconds, by_hand(costs, ends.back(), tokens)));
      inside += split.recomputed_tokens > 0 && split.recomputed_tokens < ends.back();
    }
    QVERIFY2(inside > 200, qPrintable(QString::number(inside)));
    RecomputeCosts costs;
    costs.kv_seconds = 1;
    QCOMPARE(solve_split(costs, 10, std::vector<int>()).recomputed_tokens, 0);
  }

  // Table 1's OPT-6.7B: batch 32, 1024 tokens, 32 GB/s; 512 MB of keys and values take 15.6 ms there.
  void thePapersNumbers() {
    const RecomputeShape opt{.hidden = 4096, .kv_heads = 32, .head_dim = 128, .input_bytes = 2, .kv_bytes = 2};
    const TierModel pcie{0, 32 * 1.073741824e9, 0, 0};
    // Equation 8: 4 b l h^2 operations; 0.3509 ms for all 1024 tokens of 32 sequences, the paper's.
    const RecomputeRate rate{0, 0.3509e-3 / (32 * 1024)};
    const auto column = recompute_costs(RecomputeSchedule::column, TransferOverlap::within_layer, opt, pcie, rate, 32);
    QVERIFY(std::abs(column.seconds(0, 1024) - 15.6e-3) < 0.1e-3);
    QVERIFY(about(column.input_seconds, column.kv_seconds / 2));  // MHA: X is half of K and V
    // Column by column the crossing is at l = k s / (c + k), as row by row: there a l + max(...) turns from falling to
    // rising.
    const auto row = recompute_costs(RecomputeSchedule::row, TransferOverlap::within_layer, opt, pcie, rate, 32);
    QCOMPARE(row.input_seconds, 0.0);
    const double l = row.kv_seconds * 1024 / (row.recompute_seconds + row.kv_seconds);
    for (const auto& costs : {row, column})
      QVERIFY(std::abs(solve_split(costs, 1024, 1024).recomputed_tokens - l) <= 1);
    QVERIFY(solve_split(row, 1024, 1024).seconds < solve_split(column, 1024, 1024).seconds);
    // It grows with the sequence.
    int before = 0;
    for (int tokens = 128; tokens <= 160; tokens += 8) {
      const int now = solve_split(column, tokens, tokens).recomputed_tokens;
      QVERIFY(now > before);
      before = now;
    }
  }

  // 4-bit codes (group of 64 with scale and zero point in 16 bits: 4.5 bits per number) make loading cheaper, so less
  // is recomputed.
  void quantizedKeysAndValues() {
    RecomputeShape shape{.hidden = 1024, .kv_heads = 16, .head_dim = 64, .input_bytes = 2, .kv_bytes = 2};
    const TierModel link{0, 1e9, 0, 0};
    const RecomputeRate rate{0, 4e-6};
    const auto plain = solve_split(
        recompute_costs(RecomputeSchedule::row, TransferOverlap::within_layer, shape, link, rate), 1000, 1000);
    shape.kv_bytes = 0.5625;
    const auto quantized = solve_split(
        recompute_costs(RecomputeSchedule::row, TransferOverlap::within_layer, shape, link, rate), 1000, 1000);
    QVERIFY(quantized.recomputed_tokens < plain.recomputed_tokens && quantized.seconds < plain.seconds);
    QVERIFY(!check_recompute_pays(RecomputeSchedule::column, shape)
                 .has_value());  // inputs as shipped are larger than the codes
  }

  // Section 3.3: with W_K and W_V first the step is never slower than loading everything, however few tokens there are.
  void weightsOfKeysAndValuesFirst() {
    const RecomputeShape shape{.hidden = 4096, .kv_heads = 32, .head_dim = 128, .input_bytes = 2, .kv_bytes = 2};
    const TierModel link{0, 32e9, 0, 0};
    const RecomputeRate rate{0, 4.0 * 4096 * 4096 / 100e12};
    const double matrix = 4096.0 * 4096 * 2;
    bool gained = false;
    for (const int batch : {1, 2, 4, 8, 16, 32}) {
      const auto costs = [&](WeightLoading loading) {
        return recompute_costs(RecomputeSchedule::row, TransferOverlap::within_layer, shape, link, rate, batch,
                               {loading, 2 * matrix, 2 * matrix});
      };
      const auto whole = costs(WeightLoading::whole), first = costs(WeightLoading::keys_values_first);
      QVERIFY(about(whole.seconds(0, 256), first.seconds(0, 256)));  // baseline: all weights and all keys and values
      for (int l = 0; l <= 256; ++l) QVERIFY(first.seconds(l, 256) <= whole.seconds(l, 256) + 1e-15);
      const auto split = solve_split(first, 256, 256);
      QVERIFY(split.seconds <= split.load_only_seconds);
      gained = gained || split.seconds < solve_split(whole, 256, 256).seconds;
    }
    QVERIFY(gained);
  }

  void refusedWhereInputsAreNoSmaller() {
    const RecomputeShape llama{
        .hidden = 4096, .kv_heads = 8, .head_dim = 128, .input_bytes = 2, .kv_bytes = 2};  // 8192 against 4096
    const auto refused = check_recompute_pays(RecomputeSchedule::column, llama);
    QVERIFY(!refused.has_value());
    const QString message = QString::fromStdString(refused.error().message);
    for (const char* part : {"hidden 4096", "8 KV heads x 128", "8.0 KiB", "4.0 KiB", "cannot pay; "})
      QVERIFY2(message.contains(part), qPrintable(message));
    QVERIFY(check_recompute_pays(RecomputeSchedule::row, llama).has_value());
    RecomputeShape equal = llama;
    equal.kv_heads = 16;  // as many bytes: still nothing gained
    QVERIFY(!check_recompute_pays(RecomputeSchedule::column, equal).has_value());
    equal.kv_heads = 17;
    QVERIFY(check_recompute_pays(RecomputeSchedule::column, equal).has_value());
    // And the closed form says the same: nothing is recomputed, whatever computing costs.
    for (const double c : {0.0, 1e-9, 1e-6, 1e-3})
      for (const auto overlap : {TransferOverlap::within_layer, TransferOverlap::across_layers})
        QCOMPARE(
            solve_split(recompute_costs(RecomputeSchedule::column, overlap, llama, {0, 1e9, 0, 0}, {0, c}), 500, 500)
                .recomputed_tokens,
            0);
  }

  void nothingToSplit() {
    const RecomputeCosts free;
    QCOMPARE(solve_split(free, 0, 0).recomputed_tokens, 0);
    QCOMPARE(solve_split(free, 100, 100).recomputed_tokens, 0);  // of equals the smallest
    RecomputeCosts costs;
    costs.kv_seconds = 1;
    QCOMPARE(solve_split(costs, 100, 0).recomputed_tokens, 0);
    QCOMPARE(solve_split(costs, 100, 30).recomputed_tokens, 30);  // what may be recomputed is bounded
    QCOMPARE(solve_split(costs, 100, 1000, 64).recomputed_tokens, 100);
  }
};

KV_TEST_GUILESS_MAIN(PartialRecomputeTest)

}  // namespace partial_recompute_test

#include "partial_recompute_test.moc"
