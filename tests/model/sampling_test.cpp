// links: kv_experiments
#include "core/model/sampling.h"

#include <QTest>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "core/base/random.h"
#include "tests/support/test_program.h"

namespace sampling_test {

using namespace kvantage;

class SamplingTest : public QObject {
  Q_OBJECT
 private slots:
  void greedyTakesTheFirstOfTheLargest() {
    QCOMPARE(greedy_token(std::vector<float>{1, 5, 5, 2}), 1);
    QCOMPARE(greedy_token(std::vector<float>{NAN, -3, NAN, -2}), 3);
    Sampler sampler({});
    QCOMPARE(sampler.next(std::vector<float>{-1, -2, 0}), 2);
  }

  /// Of any length, with many that are equal, with infinities, and with what a broken model says.
  void greedyIsAScanFromTheFirst() {
    const auto scan = [](const std::vector<float>& logits) {
      std::size_t best = 0;
      for (std::size_t i = 1; i < logits.size(); ++i)
        if (logits[i] > logits[best] || std::isnan(logits[best])) best = i;
      return static_cast<std::int32_t>(best);
    };
    const std::array<float, 7> values{-INFINITY, -1, -0.0F, 0, 2, INFINITY, NAN};
    Random random(5);
    for (int round = 0; round < 20000; ++round) {
      std::vector<float> logits(random.below(random.below(20) == 0 ? 1700 : 70));
      const std::uint64_t first = random.below(7), kinds = 1 + random.below(7 - first);
      for (float& logit : logits)
        logit = round % 3 == 0 ? static_cast<float>(random.normal()) : values[first + random.below(kinds)];
      QCOMPARE(greedy_token(logits), scan(logits));
    }
  }

  void frequenciesFollowTheSoftmax() {
    const std::vector<float> logits{0.0F, std::log(2.0F), std::log(5.0F), -INFINITY};
    Sampler sampler({.temperature = 1.0, .top_k = 0, .top_p = 1.0, .seed = 1});
    std::map<std::int32_t, int> count;
    const int draws = 40000;
    for (int i = 0; i < draws; ++i) ++count[sampler.next(logits)];
    const double expected[] = {1.0 / 8, 2.0 / 8, 5.0 / 8};
    for (int id = 0; id < 3; ++id)  // five standard deviations
      QVERIFY(std::abs(count[id] / double(draws) - expected[id]) <
              5 * std::sqrt(expected[id] * (1 - expected[id]) / draws));
    QCOMPARE(count.count(3), std::size_t{0});
  }

  void temperatureSharpens() {
    const std::vector<float> logits{0.0F, 1.0F};
    Sampler sampler({.temperature = 0.5, .top_k = 0, .top_p = 1.0, .seed = 2});
    int ones = 0;
    for (int i = 0; i < 20000; ++i) ones += sampler.next(logits);
    QVERIFY(std::abs(ones / 20000.0 - 1 / (1 + std::exp(-2.0))) < 0.02);
  }

  void topKAndTopPCutTheTail() {
    const std::vector<float> logits{3, 2, 1, 0, -1};
    Sampler two({.temperature = 5.0, .top_k = 2, .top_p = 1.0, .seed = 3});
    Sampler nucleus({.temperature = 1.0, .top_k = 0, .top_p = 0.6, .seed = 3});  // p = .636 .234 ...: one is enough
    for (int i = 0; i < 2000; ++i) {
      QVERIFY(two.next(logits) < 2);
      QCOMPARE(nucleus.next(logits), 0);
    }
  }

  void whatIsNoNumberIsNoLogit() {
    std::vector<float> logits(1000, -3.0F);
    logits[7] = std::numeric_limits<float>::max();
    logits[8] = std::numeric_limits<float>::denorm_min();
    QVERIFY(check_logits(logits).has_value());
    QVERIFY(check_logits({}).has_value());
    constexpr float infinity = std::numeric_limits<float>::infinity();
    for (const float wrong : {std::numeric_limits<float>::quiet_NaN(), infinity, -infinity})
      for (const std::size_t at : {std::size_t{0}, std::size_t{511}, logits.size() - 1}) {
        std::vector<float> with = logits;
        with[at] = wrong;
        const Status checked = check_logits(with);
        QVERIFY(!checked && checked.error().code == ErrorCode::rejected_input);
      }
  }

  void nonsenseIsRefused_data() {
    QTest::addColumn<double>("temperature");
    QTest::addColumn<int>("top_k");
    QTest::addColumn<double>("top_p");
    QTest::newRow("negative temperature") << -1.0 << 0 << 1.0;
    QTest::newRow("temperature is no number") << double(NAN) << 0 << 1.0;
    QTest::newRow("negative top_k") << 1.0 << -1 << 1.0;
    QTest::newRow("top_p of zero") << 1.0 << 0 << 0.0;
    QTest::newRow("top_p above one") << 1.0 << 0 << 1.5;
  }
  void nonsenseIsRefused() {
    QFETCH(double, temperature);
    QFETCH(int, top_k);
    QFETCH(double, top_p);
    const auto status = check_sampling({.temperature = temperature, .top_k = top_k, .top_p = top_p, .seed = 0});
    QVERIFY(!status.has_value());
    QCOMPARE(status.error().code, ErrorCode::usage);
    QVERIFY(check_sampling({}).has_value());
  }
};

KV_TEST_GUILESS_MAIN(SamplingTest)

}  // namespace sampling_test

#include "sampling_test.moc"
