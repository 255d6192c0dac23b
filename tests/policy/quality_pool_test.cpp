// links: kv_base
// Expected quality against the formula by hand, and against what it is for: less luck in what is picked.
#include <QtTest>
#include <cstdio>

#include "core/base/random.h"
#include "core/policy/quality_pool.h"
#include "core/policy/utility.h"
#include "tests/support/test_program.h"

namespace quality_pool_test {

using namespace kvantage;

namespace {

ProfilePoint point(double quality, int n, const char* method = "m", double removed = 0.5) {
  ProfilePoint made;
  made.method = method;
  made.removed_fraction = removed;
  made.quality = quality;
  made.n = n;
  return made;
}

}  // namespace

class QualityPoolTest : public QObject {
  Q_OBJECT
 private slots:
  void drawsTowardsFamilyAndAll() {
    QualityPool pool;
    pool.add("story", point(1.0, 12));
    pool.add("story", point(0.8, 12));
    pool.add("code", point(0.2, 12));
    // Others: family 0.8, all (0.8 + 0.2) / 2 = 0.5; prior 0.65.
    QVERIFY(std::fabs(pool.expected("story", point(1.0, 12)) - (12 * 1.0 + 8 * 0.65) / 20) < 1e-12);
    // No relatives: all others, 0.9.
    QVERIFY(std::fabs(pool.expected("code", point(0.2, 12)) - (12 * 0.2 + 8 * 0.9) / 20) < 1e-12);
  }
  void nothingToCompareWithLeavesItAlone() {
    QualityPool pool;
    pool.add("story", point(0.7, 5));
    QCOMPARE(pool.expected("story", point(0.7, 5)), 0.7);
    pool.add("story", point(0.1, 5, "m", 0.6));
    pool.add("story", point(0.1, 5, "other"));
    QCOMPARE(pool.expected("story", point(0.7, 5)), 0.7);  // other cells are other things
    QCOMPARE(pool.expected("story", point(0.4, 0)), 0.4);  // an assumption is not measured
  }
  void moreQuestionsMoveLess() {
    QualityPool pool;
    pool.add("a", point(1, 2));
    pool.add("a", point(0, 200));
    QVERIFY(pool.expected("a", point(1, 2)) < 0.5);
    QVERIFY(pool.expected("a", point(0, 200)) < 0.05);
  }
  void theEstimateIsWhatPlansRead() {
    ContextState context;
    context.tokens = 100;
    context.full_bytes = 1000;
    auto profile = std::make_shared<ContextProfile>();
    profile->points = {point(1, 8, "none", 0), point(0.9, 8)};
    profile->points[1].expected_quality = 0.6;
    context.profile = profile;
    Snapshot snapshot;
    snapshot.tiers = {{"dram", 1000, {}, false}};
    QCOMPARE(predict(snapshot, context, {0, "m", 0.5}, 1).quality, 0.6);
    QCOMPARE(predict(snapshot, context, {0, "none", 0}, 1).quality, 1.0);
  }
  void whatIsPickedKeepsItsPromise() {
    // Forty methods of about the same worth for each of 30 contexts, a dozen questions answered right or wrong.
    Random random(3);
    constexpr int contexts = 30, methods = 40, questions = 12;
    QualityPool pool;
    std::vector<std::vector<double>> truth(contexts), measured(contexts);
    std::vector<double> method_mean(methods);
    for (double& mean : method_mean) mean = 0.6 + 0.3 * random.uniform();
    for (int c = 0; c < contexts; ++c)
      for (int m = 0; m < methods; ++m) {
        truth[c].push_back(std::min(1.0, method_mean[m] + 0.1 * (random.uniform() - 0.5)));
        int right = 0;
        for (int q = 0; q < questions; ++q) right += random.uniform() < truth[c][m];
        measured[c].push_back(static_cast<double>(right) / questions);
        pool.add("all", point(measured[c][m], questions, "m", m / 100.0));
      }
    double luck = 0, pooled_luck = 0, got = 0, pooled_got = 0;
    for (int c = 0; c < contexts; ++c) {
      int best = 0, pooled_best = 0;
      double highest = -1, pooled_highest = -1;
      for (int m = 0; m < methods; ++m) {
        const double expected = pool.expected("all", point(measured[c][m], questions, "m", m / 100.0));
        if (measured[c][m] > highest) {
          highest = measured[c][m];
          best = m;
        }
        if (expected > pooled_highest) {
          pooled_highest = expected;
          pooled_best = m;
        }
      }
      luck += (highest - truth[c][best]) / contexts;
      pooled_luck += (pooled_highest - truth[c][pooled_best]) / contexts;
      got += truth[c][best] / contexts;
      pooled_got += truth[c][pooled_best] / contexts;
    }
    std::printf(
        "promised minus true quality of what is picked: %.3f by means, %.3f pooled; true quality %.3f and %.3f\n", luck,
        pooled_luck, got, pooled_got);
    QVERIFY(luck > 0.1);
    QVERIFY(pooled_luck < luck / 2);
    QVERIFY(pooled_got > got);
  }
};

KV_TEST_GUILESS_MAIN(QualityPoolTest)

}  // namespace quality_pool_test

#include "quality_pool_test.moc"
