// links: kv_experiments
// A model with batch-invariant products: neither the tokens computed together nor the threads change a bit, and its
// numbers are as near to transformers' as with libtorch's products.
#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <cstring>

#include "core/model/batch_decode.h"
#include "core/model/generate.h"
#include "tests/model/cache_contents.h"
#include "tests/model/golden_model.h"
#include "tests/support/test_program.h"

namespace batch_invariant_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

/// Biases, norms of heads and after sublayers, windows, experts, sinks.
constexpr const char* names[] = {"qwen2", "opt_norm_after", "olmo2", "gemma2", "mixtral", "gpt_oss"};

LoadOptions invariant(int isa) {
  LoadOptions options;
  options.isa = static_cast<Isa>(isa);
  options.batch_invariant = true;
  return options;
}

struct Prefilled {
  std::vector<float> logits;  // of all tokens
  std::vector<std::byte> cache;
  bool operator==(const Prefilled& other) const {
    return cache == other.cache && logits.size() == other.logits.size() &&
           std::memcmp(logits.data(), other.logits.data(), logits.size() * sizeof(float)) == 0;
  }
};

Prefilled prefilled(Transformer& model, const std::vector<std::int32_t>& tokens, int chunk_tokens) {
  BlockPool pool(model.kv_shape(), 32, std::size_t{64} << 20);
  KvCache cache(pool);
  PrefillTask task(model, cache, tokens, 0, {.chunk_tokens = chunk_tokens, .logits = PrefillLogits::all});
  if (const auto status = task.run(); !status) qFatal("%s", status.error().message.c_str());
  return {{task.logits().begin(), task.logits().end()}, contents(cache)};
}

}  // namespace

class BatchInvariantTest : public QObject {
  Q_OBJECT

  static void rows() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<int>("isa");
    QTest::addColumn<bool>("bf16");
    for (const char* name : names)
      for (int isa = 0; isa <= static_cast<int>(best_isa()); ++isa)
        for (const bool bf16 : {false, true})
          QTest::newRow((std::string(name) + (bf16 ? " bf16 " : " fp32 ") + to_string(static_cast<Isa>(isa))).c_str())
              << QString(name) << isa << bf16;
  }

 private slots:
  // A chunk of one token is that token alone.
  void tokensComputedTogetherChangeNoBit_data() { rows(); }
  void tokensComputedTogetherChangeNoBit() {
    QFETCH(QString, name);
    QFETCH(int, isa);
    QFETCH(bool, bf16);
    const GoldenCase golden = golden_of(name.toStdString());
    const QTemporaryDir folder;
    const auto model = load_golden(golden, folder, bf16, invariant(isa));
    const Prefilled whole = prefilled(*model, golden.tokens, 4096);
    for (const int chunk_tokens : {1, 2, 7, 32})
      QVERIFY2(prefilled(*model, golden.tokens, chunk_tokens) == whole, qPrintable(QString::number(chunk_tokens)));
    const int threads_before = compute_threads(), version = model->numerics_version();
    for (const int threads : {1, 2, 3, 8}) {
      set_compute_threads(threads);
      const bool same = prefilled(*model, golden.tokens, 4096) == whole && model->numerics_version() == version;
      set_compute_threads(threads_before);
      QVERIFY2(same, qPrintable(QString("%1 threads").arg(threads)));
    }
  }

  // As with libtorch's products (architectures_test): a fp32 model within 1e-4, a bf16 one as near as transformers'.
  void numbersAreAsNearToTransformers_data() { rows(); }
  void numbersAreAsNearToTransformers() {
    QFETCH(QString, name);
    QFETCH(int, isa);
    QFETCH(bool, bf16);
    const GoldenCase golden = golden_of(name.toStdString());
    const QTemporaryDir folder;
    LoadOptions options = invariant(isa);
    if (!bf16) options.compute = ComputeType::fp32;
    const auto model = load_golden(golden, folder, bf16, options);
    const Prefilled whole = prefilled(*model, golden.tokens, 4096);
    QVERIFY(whole.logits.size() >= golden.logits.size() && !golden.logits.empty());
    const std::size_t skipped = whole.logits.size() - golden.logits.size();  // the last tokens' alone
    double difference = 0;
    for (std::size_t i = 0; i < golden.logits.size(); ++i)
      difference = std::max(
          difference, std::abs(static_cast<double>(whole.logits[skipped + i]) - static_cast<double>(golden.logits[i])));
    qInfo("%.2e, transformers' own in bf16 %.3f", difference, golden.bf16_difference);
    QVERIFY(difference <= (bf16 ? 1.5 * golden.bf16_difference : 1e-4));
  }

  // Sixteen sequences decoded in one pass have the bits of one at a time.
  void sequencesDecodedTogetherChangeNoBit_data() { rows(); }
  void sequencesDecodedTogetherChangeNoBit() {
    QFETCH(QString, name);
    QFETCH(int, isa);
    QFETCH(bool, bf16);
    const QTemporaryDir folder;
    const auto model = load_golden(golden_of(name.toStdString()), folder, bf16, invariant(isa));
    BlockPool pool(model->kv_shape(), 32, std::size_t{64} << 20);
    std::vector<KvCache> together, alone;
    std::vector<DecodeSequence> sequences;
    Random random(7);
    for (std::size_t s = 0; s < 16; ++s) {
      const auto tokens = random_tokens(random, 1 + 3 * s, model->config().vocab_size);
      KvCache cache(pool);
      PrefillTask prefill(*model, cache, tokens, 0);
      QVERIFY(prefill.run().has_value());
      together.push_back(cache.share());
      alone.push_back(cache.share());
      sequences.push_back({nullptr, tokens.front(), static_cast<std::int32_t>(tokens.size())});
    }
    for (std::size_t s = 0; s < together.size(); ++s) sequences[s].cache = &together[s];
    BatchDecodeTask task(*model, sequences);
    QVERIFY(task.run().has_value());
    for (std::size_t s = 0; s < alone.size(); ++s) {
      std::vector<float> logits(task.logits(s).size());
      QVERIFY(model->decode(alone[s], sequences[s].token, sequences[s].position, logits).has_value());
      QVERIFY(std::memcmp(logits.data(), task.logits(s).data(), logits.size() * sizeof(float)) == 0);
      QVERIFY(contents(alone[s]) == contents(together[s]));
    }
  }

  // Caches of one are not taken for those of the other.
  void theirCachesAreOthers() {
    const GoldenCase golden("qwen2");
    const QTemporaryDir folder;
    LoadOptions options = invariant(static_cast<int>(best_isa()));
    const auto own = load_golden(golden, folder, true, options);
    options.batch_invariant = false;
    const auto library = load_golden(golden, folder, true, options);
    QVERIFY(own->numerics_version() != library->numerics_version());
    QVERIFY(own->path_description().find("batch-invariant") != std::string::npos);
    QVERIFY(library->path_description().find("batch-invariant") == std::string::npos);
  }
};

KV_TEST_APPLESS_MAIN(BatchInvariantTest)

}  // namespace batch_invariant_test

#include "batch_invariant_test.moc"
