// links: kv_runtime
// A cache without the rows past its windows gives every later token the numbers of the whole cache, bit for bit, in
// every architecture with windows.
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

#include "core/model/unseen_rows.h"
#include "tests/model/golden_model.h"
#include "tests/support/test_program.h"

namespace unseen_rows_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

using Tokens = std::vector<std::int32_t>;

std::vector<float> prefill(Transformer& model, KvCache& cache, const Tokens& tokens, int chunk) {
  PrefillTask task(model, cache, tokens, cache.sequence_length(),
                   {.chunk_tokens = chunk, .window_queries = 0, .logits = PrefillLogits::all});
  if (const auto status = task.run(); !status) qFatal("%s", status.error().message.c_str());
  return {task.logits().begin(), task.logits().end()};
}

}  // namespace

class UnseenRowsTest : public QObject {
  Q_OBJECT

  static LoadOptions stored_types(int isa) {
    return {.compute = {}, .kv_type = {}, .memory_limit_bytes = 0, .isa = static_cast<Isa>(isa)};
  }

 private slots:
  void laterTokensGetTheSameBits_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<bool>("bf16");
    for (const auto& name : GoldenCase::names(GoldenCase::architectures()))
      for (const bool bf16 : {false, true})
        QTest::addRow("%s, %s", name.c_str(), bf16 ? "bf16" : "fp32") << QString::fromStdString(name) << bf16;
  }
  void laterTokensGetTheSameBits() {
    QFETCH(QString, name);
    QFETCH(bool, bf16);
    const GoldenCase golden(name.toStdString(), GoldenCase::architectures());
    for (int isa = 0; isa <= static_cast<int>(best_isa()); ++isa) {
      const QTemporaryDir folder;
      const auto model = load_golden(golden, folder, bf16, stored_types(isa));
      BlockPool pool(model->kv_shape(), 32, std::size_t{64} << 20);
      Random random(7);
      // Lengths within the model: 40 tokens of an answer pass the windows of 24, and so do 29.
      const int positions = model->config().max_positions, length = std::min(203, positions - 40);
      const Tokens context = random_tokens(random, static_cast<std::size_t>(length), 256);
      const Tokens question = random_tokens(random, 11, 256);
      const int answer = std::min(40, positions - length - 11);
      QVERIFY(length > 87 && answer > 25);
      KvCache whole(pool);
      (void)prefill(*model, whole, context, 64);
      KvCache fewer = whole.share();
      std::size_t evicted = 0;
      for (int layer = 0; layer < model->config().layers; ++layer) {
        const int window = model->config().window(layer);
        const auto rows = evict_unseen_rows(*model, fewer, layer, length);
        QVERIFY(rows.has_value());
        evicted += *rows;
        // length - window + 1 is the first position that the question sees, and rows go by tiles of 64.
        const int gone = window == 0 ? 0 : (length - window + 1) / 64 * 64;
        for (int head = 0; head < model->config().kv_heads; ++head) {
          QCOMPARE(fewer.kept(layer, head), length - gone);
          QVERIFY(fewer.head(layer, head).row_slots.empty());
        }
      }
      QCOMPARE(evicted > 0, model->config().has_windows());
      QCOMPARE(fewer.kept_rows() + evicted, whole.kept_rows());
      QCOMPARE(fewer.kept_mean(evicted), whole.kept_mean());
      QVERIFY(has_seen_rows(*model, fewer, length) && has_seen_rows(*model, whole, 1));
      QCOMPARE(has_seen_rows(*model, fewer, 30), evicted == 0);
      QVERIFY(prefill(*model, fewer, question, 4) == prefill(*model, whole, question, 4));
      std::vector<float> of_fewer(256), of_whole(256);
      for (const std::int32_t token : random_tokens(random, static_cast<std::size_t>(answer), 256)) {
        QVERIFY(model->decode(fewer, token, fewer.sequence_length(), of_fewer).has_value());
        QVERIFY(model->decode(whole, token, whole.sequence_length(), of_whole).has_value());
        QVERIFY(of_fewer == of_whole);
      }
      fewer.truncate(length);
      whole.truncate(length);
      QVERIFY(prefill(*model, fewer, question, 256) == prefill(*model, whole, question, 256));
    }
  }

  // While a text is computed, too: chunks that follow get the same bits, so keys and values are those of the whole.
  void aPrefillThatEvictsGivesTheSameBits_data() { laterTokensGetTheSameBits_data(); }
  void aPrefillThatEvictsGivesTheSameBits() {
    QFETCH(QString, name);
    QFETCH(bool, bf16);
    const GoldenCase golden(name.toStdString(), GoldenCase::architectures());
    const QTemporaryDir folder;
    const auto model = load_golden(golden, folder, bf16, stored_types(static_cast<int>(best_isa())));
    BlockPool pool(model->kv_shape(), 32, std::size_t{64} << 20);
    Random random(11);
    constexpr int chunk = 48;
    const int length = std::min(203, model->config().max_positions - 40);
    const Tokens context = random_tokens(random, static_cast<std::size_t>(length), 256);
    const Tokens question = random_tokens(random, 11, 256);
    KvCache whole(pool), fewer(pool);
    (void)prefill(*model, whole, context, chunk);
    PrefillTask task(*model, fewer, context, 0, {.chunk_tokens = chunk, .logits = PrefillLogits::none});
    const auto evicted = run_evicting(*model, fewer, task, chunk);
    QVERIFY(evicted.has_value());
    QCOMPARE(*evicted > 0, model->config().has_windows());
    std::size_t at_once = 0;
    KvCache after = whole.share();
    for (int layer = 0; layer < model->config().layers; ++layer)
      at_once += evict_unseen_rows(*model, after, layer, length).value();
    QCOMPARE(*evicted, at_once);
    QCOMPARE(fewer.kept_rows(), after.kept_rows());
    QVERIFY(prefill(*model, fewer, question, 4) == prefill(*model, whole, question, 4));
  }

  void aTextWithinTheWindowStaysWhole() {
    const QTemporaryDir folder;
    const auto model = load_golden(GoldenCase("mistral_window", GoldenCase::architectures()), folder, false,
                                   stored_types(static_cast<int>(best_isa())));
    BlockPool pool(model->kv_shape(), 32, std::size_t{64} << 20);
    Random random(9);
    for (const std::size_t tokens : {std::size_t{5}, std::size_t{24}, std::size_t{86}}) {  // 86 - 24 + 1 is below 64
      KvCache cache(pool);
      (void)prefill(*model, cache, random_tokens(random, tokens, 256), 256);
      for (int layer = 0; layer < model->config().layers; ++layer)
        QCOMPARE(evict_unseen_rows(*model, cache, layer, static_cast<std::int32_t>(tokens)).value(), std::size_t{0});
      QCOMPARE(cache.kept(0, 0), static_cast<int>(tokens));
    }
  }
};

KV_TEST_GUILESS_MAIN(UnseenRowsTest)

}  // namespace unseen_rows_test

#include "unseen_rows_test.moc"
