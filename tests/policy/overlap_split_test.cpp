// links: kv_base
// The closed form against a search over every token.
#include "core/policy/overlap_split.h"

#include <QtTest>

#include <algorithm>

#include "core/base/random.h"
#include "tests/support/test_program.h"

namespace overlap_split_test {

using namespace kvantage;

class OverlapSplitTest : public QObject {
  Q_OBJECT
 private slots:
  // KVPR: row by row, without bases and squares, l* = k s / (c + k).
  void withoutBasesItIsTheirs() {
    const TierModel tier{0, 1e6, 0, 0};  // 2 bytes per token: 2 us
    const PrefillModel prefill{0, 6e-6, 0};
    const OverlapSplit split = overlap_split(tier, prefill, 1000, 2000);
    QVERIFY(std::abs(split.recomputed_tokens - 250) < 1e-6);
    QVERIFY(std::abs(split.seconds - 250 * 6e-6) < 1e-12);
    QVERIFY(std::abs(split.load_seconds - 2e-3) < 1e-12);
    QVERIFY(std::abs(split.prefill_seconds - 6e-3) < 1e-12);
  }

  void noSplitIsFaster() {
    Random random(11);
    int mixed = 0;
    for (int round = 0; round < 400; ++round) {
      const TierModel tier{random.uniform() * 0.02, 1e6 + 1e9 * random.uniform(), random.uniform() * 1e-6, 0};
      const PrefillModel prefill{random.uniform() * 0.02, random.uniform() * 2e-4, random.uniform() * 1e-7};
      const int tokens = 1 + static_cast<int>(random.below(2000));
      const double bytes = tokens * 3072.0;
      const OverlapSplit split = overlap_split(tier, prefill, tokens, bytes);
      double best = 1e9;
      for (int l = 0; l <= tokens; ++l) {
        const double loaded = tokens - l;
        best = std::min(best,
                        std::max(l > 0 ? prefill.seconds(l) : 0, loaded > 0 ? tier.seconds(3072 * loaded, loaded) : 0));
      }
      QVERIFY2(split.seconds <= best + 1e-9, qPrintable(QStringLiteral("%1 %2").arg(split.seconds).arg(best)));
      // A fraction of a token may be split, so it may be faster by less than what a token takes.
      const double token = prefill.seconds_per_token + 2 * tokens * prefill.seconds_per_token_squared +
                           3072 / tier.bytes_per_second + 1e-6;
      QVERIFY(split.seconds >= best - token);
      QVERIFY(split.recomputed_tokens >= 0 && split.recomputed_tokens <= tokens);
      mixed += split.recomputed_tokens > 0 && split.recomputed_tokens < tokens;
    }
    QVERIFY2(mixed > 50 && mixed < 400, qPrintable(QString::number(mixed)));
  }

  void aTierFasterThanComputingBeginsIsLoaded() {
    const OverlapSplit split = overlap_split({0.001, 1e9, 0, 0}, {0.5, 1e-3, 0}, 100, 1e5);
    QCOMPARE(split.recomputed_tokens, 0.0);
    QCOMPARE(split.seconds, split.load_seconds);
    const OverlapSplit slow = overlap_split({10, 1e3, 0, 0}, {0, 1e-6, 0}, 100, 1e5);
    QCOMPARE(slow.recomputed_tokens, 100.0);
  }
};

KV_TEST_GUILESS_MAIN(OverlapSplitTest)

}  // namespace overlap_split_test

#include "overlap_split_test.moc"
