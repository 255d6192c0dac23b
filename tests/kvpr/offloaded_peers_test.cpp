// links: kv_experiments kv_tiers
// Requests that decode over one tier, each at its own pace: each splits beside what the others read and compute, and
// answers as it would alone.
#include "core/kvpr/offloaded_peers.h"

#include <QTemporaryDir>
#include <QtTest>

#include "tests/kvpr/plain_decode.h"
#include "tests/support/test_program.h"

namespace offloaded_peers_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

constexpr int steps = 6;

/// Requests over one tier, under a profile that splits in halves.
struct Requests {
  Requests(const GoldenCase& given, const QTemporaryDir& folder)
      : golden(given), model(load_golden(given, folder, false)) {}

  /// The first `tokens` tokens, asked to continue with the last of them.
  std::unique_ptr<OffloadedDecode> begin(int tokens, SplitMode mode, std::shared_ptr<OffloadedPeers> peers) {
    const std::vector<std::int32_t> prompt(golden.tokens.begin(), golden.tokens.begin() + tokens);
    const PrefilledWithInputs prefilled(*model, prompt);
    const std::string number = std::to_string(++begun);
    auto written = OffloadedPrompt::write(*model, prefilled.cache, prefilled.inputs, tokens, chunk,
                                          *RowCodec::make(model->kv_shape(), nullptr), *tier, "context " + number);
    if (!written) qFatal("%s", written.error().message.c_str());
    auto decode = OffloadedDecode::begin(*model, buffers, std::move(*written),
                                         {.page_tokens = 4,
                                          .mode = mode,
                                          .profile = half(*model),
                                          .name = "answer " + number,
                                          .frozen = true,
                                          .peers = std::move(peers)});
    if (!decode) qFatal("%s", decode.error().message.c_str());
    return std::move(*decode);
  }
  /// Greedy steps after the first `tokens` tokens; the logits of each.
  std::vector<std::vector<float>> run(OffloadedDecode& decode, int tokens) const {
    std::vector<std::vector<float>> all;
    std::int32_t token = golden.tokens[static_cast<std::size_t>(tokens - 1)];
    for (int i = 0; i < steps; ++i) {
      const auto stepped = decode.step(token);
      if (!stepped) qFatal("%s", stepped.error().message.c_str());
      all.emplace_back(decode.logits().begin(), decode.logits().end());
      token = greedy(all.back());
    }
    return all;
  }
  /// Seconds of a layer alone, from the paper's formulas; nothing but the profile takes part.
  LayerSeconds alone(const OffloadedStep& step) const {
    const RecomputeProfile profile = half(*model);
    const double l = step.recomputed_tokens, all = step.streamed_tokens;
    const RecomputeShape shape = recompute_shape(*model);
    return {
        (shape.input_bytes_per_token() * l + shape.kv_bytes_per_token() * (all - l)) / profile.link.bytes_per_second,
        profile.recompute.seconds_per_token * l};
  }
  int layers() const { return model->config().layers; }

  const GoldenCase& golden;
  std::unique_ptr<StorageTier> tier = memory_tier();
  BufferPool buffers{std::size_t{8} << 20};
  std::unique_ptr<Transformer> model;
  int begun = 0;
};

bool all_same_bits(const std::vector<std::vector<float>>& a, const std::vector<std::vector<float>>& b) {
  return std::ranges::equal(a, b, [](const auto& one, const auto& other) { return same_bits(one, other); });
}

}  // namespace

class OffloadedPeersTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;

 private slots:
  void othersAreSummed() {
    const auto peers = std::make_shared<OffloadedPeers>();
    const auto one = peers->join();
    QVERIFY(one->others().link == 0 && one->others().compute == 0);
    one->note({1, 10});
    QVERIFY(one->others().longer() == 0);
    auto two = peers->join(), three = peers->join();
    two->note({2, 20});
    three->note({4, 40});
    QVERIFY(one->others().link == 6 && one->others().compute == 60);
    QVERIFY(two->others().link == 5 && two->others().compute == 50);
    two->note({3, 0});
    QVERIFY(one->others().link == 7 && one->others().compute == 40);
    three.reset();
    QVERIFY(one->others().link == 3 && one->others().compute == 0);
    QVERIFY(two->others().longer() == 10);
  }

  void oneRequestSplitsAsWithoutPeers() {
    const GoldenCase golden("opt");
    Requests made(golden, folder_);
    const auto without = made.begin(45, SplitMode::solved, nullptr);
    const auto with = made.begin(45, SplitMode::solved, std::make_shared<OffloadedPeers>());
    QVERIFY(all_same_bits(made.run(*with, 45), made.run(*without, 45)));
    for (std::size_t i = 0; i < steps; ++i) {
      const OffloadedStep &a = with->steps()[i], &b = without->steps()[i];
      QVERIFY(a.recomputed_tokens > 0 && a.recomputed_tokens < a.streamed_tokens);
      QCOMPARE(a.recomputed_tokens, b.recomputed_tokens);
      QVERIFY(a.predicted_seconds == b.predicted_seconds);
      QCOMPARE(a.predicted_seconds, made.alone(a).longer() * made.layers());
    }
  }

  // Beside one that keeps the link busy nothing is lost by recomputing; beside one that computes, by loading.
  void aSplitFollowsWhatOthersDo_data() {
    QTest::addColumn<double>("link");
    QTest::addColumn<double>("compute");
    QTest::newRow("they read") << 1.0 << 0.0;
    QTest::newRow("they compute") << 0.0 << 1.0;
  }
  void aSplitFollowsWhatOthersDo() {
    QFETCH(const double, link);
    QFETCH(const double, compute);
    const GoldenCase golden("opt");
    Requests made(golden, folder_);
    const auto alone = made.begin(45, SplitMode::solved, nullptr);
    const auto peers = std::make_shared<OffloadedPeers>();
    const auto other = peers->join();
    other->note({link, compute});
    const auto beside = made.begin(45, SplitMode::solved, peers);
    QVERIFY(all_same_bits(made.run(*beside, 45), made.run(*alone, 45)));
    for (std::size_t i = 0; i < steps; ++i) {
      const OffloadedStep& step = beside->steps()[i];
      const int halved = alone->steps()[i].recomputed_tokens;
      if (link > 0)
        QVERIFY2(step.recomputed_tokens > halved, qPrintable(QString::number(step.recomputed_tokens)));
      else
        QCOMPARE(step.recomputed_tokens, 0);
      QCOMPARE(step.predicted_seconds, (made.alone(step) + LayerSeconds{link, compute}).longer() * made.layers());
    }
  }

  // Two requests share the link, until one of them ends.
  void aTokenTakesAsLongAsThoseOfAll() {
    const GoldenCase golden("opt");
    Requests made(golden, folder_);
    const auto peers = std::make_shared<OffloadedPeers>();
    const auto first = made.begin(45, SplitMode::load_only, peers);
    auto second = made.begin(21, SplitMode::load_only, peers);
    const auto alone = made.begin(45, SplitMode::load_only, nullptr);
    const std::int32_t token = golden.tokens[44];
    QVERIFY(first->step(token).has_value() && alone->step(token).has_value());
    QVERIFY(second->step(golden.tokens[20]).has_value());
    const LayerSeconds of_first = made.alone(first->steps()[0]), of_second = made.alone(second->steps()[0]);
    QVERIFY(of_first.link > of_second.link && of_second.link > 0);
    QCOMPARE(first->steps()[0].predicted_seconds, (of_first + of_second).longer() * made.layers());
    QCOMPARE(second->steps()[0].predicted_seconds, first->steps()[0].predicted_seconds);
    QCOMPARE(alone->steps()[0].predicted_seconds, of_first.longer() * made.layers());
    second.reset();
    const std::int32_t next = greedy(first->logits());
    QVERIFY(first->step(next).has_value() && alone->step(next).has_value());
    QCOMPARE(first->steps()[1].predicted_seconds, alone->steps()[1].predicted_seconds);
    QVERIFY(same_bits(first->logits(), alone->logits()));
  }
};

KV_TEST_GUILESS_MAIN(OffloadedPeersTest)

}  // namespace offloaded_peers_test

#include "offloaded_peers_test.moc"
