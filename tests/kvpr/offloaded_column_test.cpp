// links: kv_experiments kv_tiers
// Requests that decode in column order answer as each would alone, and the matrices of a layer are read once for all.
#include "core/kvpr/offloaded_column.h"

#include <QTemporaryDir>
#include <QtTest>

#include "tests/kvpr/plain_decode.h"
#include "tests/support/test_program.h"

namespace offloaded_column_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

/// Requests over one tier, whose matrices are on it.
struct Requests {
  Requests(const GoldenCase& given, QTemporaryDir& folder, WeightLoading streamed)
      : golden(given), model(load_golden(given, folder, true)), loading(streamed) {
    auto written = OffloadedWeights::write(*model, *tier, "weights", LentWeights::Own::beside);
    weights = std::move(*written);
    column = std::make_shared<OffloadedColumn>(*tier, weights, loading, model->config().layers);
  }
  /// The first `tokens` tokens, asked to continue with the last of them. `together`: in the column.
  std::unique_ptr<OffloadedDecode> begin(int tokens, bool together) {
    const std::vector<std::int32_t> prompt(golden.tokens.begin(), golden.tokens.begin() + tokens);
    const PrefilledWithInputs prefilled(*model, prompt);
    const std::string name = "context " + std::to_string(++begun);
    const RowCodec rows = *RowCodec::make(model->kv_shape(), nullptr);
    auto written = OffloadedPrompt::write(*model, prefilled.cache, prefilled.inputs, tokens, chunk, rows, *tier, name);
    auto decode = OffloadedDecode::begin(*model, buffers, std::move(*written),
                                         {.page_tokens = 4,
                                          .mode = SplitMode::load_only,
                                          .profile = half(*model),
                                          .name = "answer " + std::to_string(begun),
                                          .weights = loading,
                                          .frozen = true,
                                          .shared_weights = weights,
                                          .column = together ? column : nullptr});
    return std::move(*decode);
  }
  /// The logits of `steps` tokens alone, and the bytes of matrices of one of them.
  std::vector<std::vector<float>> alone(int tokens, int steps, std::uint64_t& weight_bytes) {
    const auto decode = begin(tokens, false);
    std::vector<std::vector<float>> all;
    std::int32_t token = golden.tokens[static_cast<std::size_t>(tokens - 1)];
    for (int i = 0; i < steps; ++i) {
      weight_bytes = decode->step(token)->weight_bytes;
      all.emplace_back(decode->logits().begin(), decode->logits().end());
      token = greedy(all.back());
    }
    return all;
  }

  const GoldenCase& golden;
  std::unique_ptr<StorageTier> tier = memory_tier();
  BufferPool buffers{std::size_t{8} << 20};
  std::unique_ptr<Transformer> model;
  WeightLoading loading;
  std::shared_ptr<OffloadedWeights> weights;
  std::shared_ptr<OffloadedColumn> column;
  int begun = 0;
};

/// A request of the column while it answers.
struct Answering {
  std::unique_ptr<OffloadedDecode> decode;
  std::int32_t token;
  std::vector<std::vector<float>> logits = {};
  int layers = 0;  // computed

  void begin_token() { QVERIFY(decode->begin_pass(std::span(&token, 1), OffloadedDecode::Pass::decode).has_value()); }
  void step_layer() {
    while (!decode->layer_arrived(0.1)) {
    }
    const Status stepped = decode->step_layer();
    QVERIFY2(stepped.has_value(), stepped ? "" : stepped.error().message.c_str());
    ++layers;
    if (decode->in_pass()) return;
    logits.emplace_back(decode->logits().begin(), decode->logits().end());
    token = greedy(logits.back());
  }
};

}  // namespace

class OffloadedColumnTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;

 private slots:
  void answersAreThoseAlone_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<int>("loading");
    for (const char* name : {"opt", "qwen3"})
      for (const WeightLoading loading : {WeightLoading::keys_values_first, WeightLoading::whole})
        QTest::addRow("%s, %d", name, static_cast<int>(loading)) << QString(name) << static_cast<int>(loading);
  }
  void answersAreThoseAlone() {
    QFETCH(QString, name);
    QFETCH(int, loading);
    const GoldenCase golden(name.toStdString());
    Requests made(golden, folder_, static_cast<WeightLoading>(loading));
    constexpr int steps = 5;
    const std::vector<int> lengths{45, 40, 21};
    std::uint64_t bytes_alone = 0;
    std::vector<std::vector<std::vector<float>>> expected;
    for (const int tokens : lengths) expected.push_back(made.alone(tokens, steps, bytes_alone));
    QVERIFY(bytes_alone > 0);
    {
      std::vector<Answering> requests;
      for (const int tokens : lengths)
        requests.push_back({made.begin(tokens, true), golden.tokens[static_cast<std::size_t>(tokens - 1)]});
      for (int i = 0; i < steps; ++i) {
        for (Answering& request : requests) request.begin_token();
        for (int layer = 0; layer < made.model->config().layers; ++layer)
          for (Answering& request : requests) {
            QVERIFY(request.decode->may_step());
            request.step_layer();
            QCOMPARE(request.decode->may_step(), &request == &requests.back());  // it is ahead of those after it
          }
      }
      std::uint64_t bytes = 0;
      for (std::size_t r = 0; r < requests.size(); ++r) {
        for (std::size_t i = 0; i < steps; ++i)
          QVERIFY2(same_bits(requests[r].logits[i], expected[r][i]),
                   qPrintable(QString("request %1, token %2").arg(r).arg(i)));
        bytes += requests[r].decode->steps().back().weight_bytes;
        // The time of a token is that of all three.
        const double predicted = requests[r].decode->steps().back().predicted_seconds;
        QVERIFY(predicted > 0);
        QCOMPARE(predicted, requests[0].decode->steps().back().predicted_seconds);
      }
      QCOMPARE(bytes, bytes_alone);
    }
    made.column.reset();
    made.weights.reset();
    QCOMPARE(made.tier->used_bytes(), std::uint64_t{0});
    QCOMPARE(made.buffers.leased_bytes(), std::size_t{0});
  }

  // A request that joins waits for the next pass; one that leaves in the middle of a pass holds nobody up.
  void requestsJoinAndLeave() {
    const GoldenCase golden("opt");
    Requests made(golden, folder_, WeightLoading::keys_values_first);
    const int layers = made.model->config().layers;
    QVERIFY(layers >= 2);
    std::uint64_t bytes = 0;
    const auto expected = made.alone(45, 3, bytes), expected_late = made.alone(21, 2, bytes);
    Answering first{made.begin(45, true), golden.tokens[44]}, leaves{made.begin(40, true), golden.tokens[39]};
    first.begin_token();
    leaves.begin_token();
    first.step_layer();
    QVERIFY(!first.decode->may_step() && leaves.decode->may_step());
    Answering late{made.begin(21, true), golden.tokens[20]};
    late.begin_token();
    QVERIFY(!late.decode->may_step());  // the pass has begun
    leaves.decode.reset();
    QVERIFY(first.decode->may_step());
    while (first.layers < layers) first.step_layer();
    first.begin_token();
    QVERIFY(first.decode->may_step() && late.decode->may_step());
    for (int i = 0; i < 2 * layers; ++i) {
      first.step_layer();
      QVERIFY(!first.decode->may_step() && late.decode->may_step());
      late.step_layer();
      if (first.layers == 2 * layers) first.begin_token();
      if (late.layers == layers) late.begin_token();
    }
    for (std::size_t i = 0; i < 3; ++i) QVERIFY(same_bits(first.logits[i], expected[i]));
    for (std::size_t i = 0; i < 2; ++i) QVERIFY(same_bits(late.logits[i], expected_late[i]));
    first.decode.reset();
    late.decode.reset();
    QCOMPARE(made.buffers.leased_bytes(), std::size_t{0});
    // Later ones begin again.
    Answering again{made.begin(45, true), golden.tokens[44]};
    again.begin_token();
    for (int i = 0; i < layers; ++i) again.step_layer();
    QVERIFY(same_bits(again.logits[0], expected[0]));
  }

  void withoutMatricesOnlyTheOrderIsShared() {
    const GoldenCase golden("opt");
    Requests made(golden, folder_, WeightLoading::keys_values_first);
    OffloadedColumn* const bare = (made.column = std::make_shared<OffloadedColumn>(
                                       *made.tier, nullptr, WeightLoading::resident, made.model->config().layers))
                                      .get();
    auto one = bare->join(made.buffers), two = bare->join(made.buffers);
    QCOMPARE(one->members(), std::size_t{2});
    const auto read = one->request();
    QVERIFY(read.has_value() && *read == nullptr);
    QVERIFY(one->complete(nullptr).has_value());
    one->predict(2);
    two->predict(3);
    QCOMPARE(one->predicted_seconds_of_all(), 5.0);
    one->computed_layer();
    QVERIFY(!one->may_compute() && two->may_compute());
    two.reset();
    QVERIFY(one->may_compute());
    QCOMPARE(one->weight_bytes(), std::uint64_t{0});
  }

  void aFailedReadIsEverybodys() {
    const GoldenCase golden("opt");
    Requests made(golden, folder_, WeightLoading::whole);
    auto one = made.column->join(made.buffers), two = made.column->join(made.buffers);
    QVERIFY(made.tier->erase(made.weights->layer(0).key).has_value());
    const auto first = one->request(), second = two->request();
    QVERIFY(first.has_value() && *first == *second);
    QVERIFY(!one->wait((*first)->keys_values));
    QVERIFY(!two->wait((*second)->others));
    QVERIFY(one->arrived(**first, 0));
    const auto next = one->request();
    QVERIFY(next.has_value() && one->wait((*next)->keys_values).has_value());
    QCOMPARE(two->weight_bytes(), std::uint64_t{0});
  }
};

KV_TEST_GUILESS_MAIN(OffloadedColumnTest)

}  // namespace offloaded_column_test

#include "offloaded_column_test.moc"
