// links: kv_experiments
// Logits of five architectures against transformers (goldens of tests/parity/make_logits_goldens.py).
#include <QTest>
#include <cmath>

#include "tests/model/golden_model.h"
#include "tests/support/test_program.h"

namespace logits_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

enum class Way { whole, chunks, token_by_token };

/// Logits of all tokens: [tokens, vocab].
std::vector<float> compute(Transformer& model, const std::vector<std::int32_t>& tokens, Way way) {
  BlockPool pool(model.kv_shape(), 32, std::size_t{64} << 20);
  KvCache cache(pool);
  const auto vocab = static_cast<std::size_t>(model.config().vocab_size);
  if (way != Way::token_by_token) {
    PrefillTask task(model, cache, tokens, 0,
                     {.chunk_tokens = way == Way::whole ? 256 : 7, .window_queries = 0, .logits = PrefillLogits::all});
    if (const auto status = task.run(); !status) qFatal("%s", status.error().message.c_str());
    return {task.logits().begin(), task.logits().end()};
  }
  std::vector<float> logits(tokens.size() * vocab);
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    const auto status = model.decode(cache, tokens[t], static_cast<std::int32_t>(t), {&logits[t * vocab], vocab});
    if (!status) qFatal("%s", status.error().message.c_str());
  }
  return logits;
}

constexpr Way ways[] = {Way::whole, Way::chunks, Way::token_by_token};
constexpr const char* way_names[] = {"prefill", "chunks of 7", "token by token"};

}  // namespace

class LogitsTest : public QObject {
  Q_OBJECT
  void rows() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<int>("isa");
    for (const auto& name : GoldenCase::names())
      for (int isa = 0; isa <= static_cast<int>(best_isa()); ++isa)
        QTest::addRow("%s, %s", name.c_str(), to_string(static_cast<Isa>(isa))) << QString::fromStdString(name) << isa;
  }

 private slots:
  void goldensSpreadEnoughToMeanSomething() {
    QCOMPARE(GoldenCase::names().size(), std::size_t{12});
    for (const auto& name : GoldenCase::names()) {
      const GoldenCase golden(name);
      double sum = 0, squares = 0;
      for (const float x : golden.logits) {
        sum += static_cast<double>(x);
        squares += static_cast<double>(x) * static_cast<double>(x);
      }
      const auto n = static_cast<double>(golden.logits.size());
      QVERIFY(std::sqrt(squares / n - sum / n * sum / n) >= 1.0);
    }
  }

  void fp32IsWithinOneTenThousandth_data() { rows(); }
  void fp32IsWithinOneTenThousandth() {
    QFETCH(QString, name);
    QFETCH(int, isa);
    const GoldenCase golden(name.toStdString());
    QTemporaryDir folder;
    golden.write(folder.path().toStdString(), false);
    auto model =
        Transformer::load(folder.path().toStdString(), {.compute = {}, .kv_type = {}, .isa = static_cast<Isa>(isa)});
    QVERIFY2(model.has_value(), model ? "" : model.error().message.c_str());
    QCOMPARE((*model)->compute(), ComputeType::fp32);
    QCOMPARE((*model)->kv_shape().type, KvType::fp32);
    for (std::size_t way = 0; way < 3; ++way) {
      const double difference = largest_difference(compute(**model, golden.tokens, ways[way]), golden.logits);
      qInfo("%s: %.2e", way_names[way], difference);
      QVERIFY2(difference <= 1e-4, way_names[way]);
    }
  }

  void bf16IsAsNearAsTransformersIs_data() { rows(); }
  void bf16IsAsNearAsTransformersIs() {
    QFETCH(QString, name);
    QFETCH(int, isa);
    const GoldenCase golden(name.toStdString());
    QTemporaryDir folder;
    golden.write(folder.path().toStdString(), true);
    auto model =
        Transformer::load(folder.path().toStdString(), {.compute = {}, .kv_type = {}, .isa = static_cast<Isa>(isa)});
    QVERIFY2(model.has_value(), model ? "" : model.error().message.c_str());
    QCOMPARE((*model)->compute(), static_cast<Isa>(isa) == Isa::avx512bf16 ? ComputeType::bf16 : ComputeType::fp32);
    QCOMPARE((*model)->kv_shape().type, KvType::bf16);
    for (std::size_t way = 0; way < 3; ++way) {
      const double difference = largest_difference(compute(**model, golden.tokens, ways[way]), golden.logits);
      qInfo("%s: %.3f, transformers' own %.3f", way_names[way], difference, golden.bf16_difference);
      QVERIFY2(difference <= 1.5 * golden.bf16_difference, way_names[way]);
    }
  }

  void greedyAnswersOfOpt_data() {
    QTest::addColumn<QString>("name");
    for (const char* name : {"opt", "opt_norm_after"}) QTest::newRow(name) << name;
  }
  void greedyAnswersOfOpt() {
    QFETCH(QString, name);
    const GoldenCase golden(name.toStdString());
    QTemporaryDir folder;
    golden.write(folder.path().toStdString(), false);
    const auto model = Transformer::load(folder.path().toStdString());
    QVERIFY2(model.has_value(), model ? "" : model.error().message.c_str());
    QVERIFY((*model)->config().learned_positions());
    BlockPool pool((*model)->kv_shape(), 32, std::size_t{64} << 20);
    KvCache cache(pool);
    PrefillTask prefill(**model, cache, golden.tokens, 0);
    QVERIFY(prefill.run().has_value());
    std::vector<float> logits(prefill.logits().begin(), prefill.logits().end());
    std::vector<std::int32_t> answer;
    const auto wanted = golden.json["greedy"].get<std::vector<std::int32_t>>();
    QCOMPARE(wanted.size(), std::size_t{24});
    auto position = static_cast<std::int32_t>(golden.tokens.size());
    while (answer.size() < wanted.size()) {
      answer.push_back(static_cast<std::int32_t>(std::max_element(logits.begin(), logits.end()) - logits.begin()));
      QVERIFY((*model)->decode(cache, answer.back(), position++, logits).has_value());
    }
    QCOMPARE(answer, wanted);
  }

  void positionsOfOptEnd() {
    const GoldenCase golden("opt");
    QTemporaryDir folder;
    golden.write(folder.path().toStdString(), false);
    const auto model = Transformer::load(folder.path().toStdString());
    QVERIFY(model.has_value());
    QCOMPARE((*model)->config().max_positions, 128);
    BlockPool pool((*model)->kv_shape(), 32, std::size_t{64} << 20);
    KvCache cache(pool);
    std::vector<float> logits(256);
    QVERIFY((*model)->decode(cache, 3, 127, logits).has_value());
    const auto beyond = (*model)->decode(cache, 3, 128, logits);
    QVERIFY(!beyond.has_value());
    QVERIFY(beyond.error().message.find("position 128 is beyond the model's 128 positions") != std::string::npos);
  }

  void aBf16CheckpointForcedToFp32IsExact() {
    const GoldenCase golden("qwen2");
    QTemporaryDir folder;
    golden.write(folder.path().toStdString(), true);
    auto model =
        Transformer::load(folder.path().toStdString(), {.compute = ComputeType::fp32, .kv_type = {}, .isa = {}});
    QVERIFY(model.has_value());
    QCOMPARE((*model)->kv_shape().type, KvType::fp32);
    QVERIFY(largest_difference(compute(**model, golden.tokens, Way::whole), golden.logits) <= 1e-4);
  }
};

KV_TEST_GUILESS_MAIN(LogitsTest)

}  // namespace logits_test

#include "logits_test.moc"
