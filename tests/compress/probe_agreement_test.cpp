// links: kv_runtime
// Whether probe heads agree, against the definition worked out set by set.
#include "core/compress/budgets/probe_agreement.h"

#include <QtTest>

#include <cmath>
#include <numeric>
#include <set>

#include "core/base/random.h"
#include "tests/support/test_program.h"

namespace probe_agreement_test {

using namespace kvantage;

using Sets = std::vector<std::vector<std::int32_t>>;

class ProbeAgreementTest : public QObject {
  Q_OBJECT

 private slots:
  void theDefinition() {
    Random random(11);
    int agreed = 0;
    constexpr int trials = 2000;
    for (int trial = 0; trial < trials; ++trial) {
      const std::size_t tokens = random.below(60) + 4, count = random.below(tokens) + 1, heads = random.below(4) + 1;
      const std::size_t common = random.below(count + 1);  // heads share these
      Sets sets;
      for (std::size_t head = 0; head < heads; ++head) {
        std::vector<std::int32_t> order(tokens);
        std::iota(order.begin(), order.end(), 0);
        random.shuffle(std::span(order).subspan(common));
        order.resize(count);
        std::ranges::sort(order);
        sets.push_back(order);
      }
      double sum = 0;
      int pairs = 0;
      std::set<std::int32_t> all;
      for (std::size_t a = 0; a < heads; ++a) {
        all.insert(sets[a].begin(), sets[a].end());
        for (std::size_t b = a + 1; b < heads; ++b, ++pairs) {
          std::set<std::int32_t> both(sets[a].begin(), sets[a].end());
          both.insert(sets[b].begin(), sets[b].end());
          sum += static_cast<double>(2 * count - both.size()) / static_cast<double>(both.size());
        }
      }
      const double mean = pairs == 0 ? 1 : sum / pairs;
      const double share = static_cast<double>(count) / static_cast<double>(tokens);
      const double threshold = std::pow(share / (2 - share), 0.6);
      QVERIFY(std::abs(mean_jaccard(sets) - mean) < 1e-12);
      QVERIFY(std::abs(agreement_threshold(share) - threshold) < 1e-12);
      if (std::abs(mean - threshold) < 1e-9 && mean < 1) continue;  // rounding decides
      const auto kept = agreed_tokens(sets, count, tokens);
      QCOMPARE(kept.has_value(), mean >= threshold);
      if (kept) QVERIFY(*kept == std::vector<std::int32_t>(all.begin(), all.end()));
      agreed += kept ? 1 : 0;
    }
    QVERIFY2(agreed > trials / 10 && agreed < trials * 9 / 10, qPrintable(QString::number(agreed)));
  }

  // Whatever they would keep of everything.
  void headsThatKeepEverythingAgree() {
    std::vector<std::int32_t> all(50);
    std::iota(all.begin(), all.end(), 0);
    QVERIFY(agreed_tokens(Sets{all, all, all}, 50, 50) == all);
  }
  void oneHeadAgreesWithItself() { QVERIFY(agreed_tokens(Sets{{3, 5}}, 2, 50) == (std::vector<std::int32_t>{3, 5})); }
  void strangersDoNot() { QVERIFY(!agreed_tokens(Sets{{0, 1}, {2, 3}, {4, 5}}, 2, 8)); }
};

KV_TEST_GUILESS_MAIN(ProbeAgreementTest)

}  // namespace probe_agreement_test

#include "probe_agreement_test.moc"
