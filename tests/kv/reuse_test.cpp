// links: kv_runtime
// A cache that was stored and read back answers bit for bit like one that never left memory.
#include <QTemporaryDir>

#include "core/compress/method.h"
#include "core/model/transformer.h"
#include "tests/parity/kvpress_golden.h"
#include "tests/support/test_program.h"

namespace reuse_test {

using namespace kvantage;

namespace {

/// Prefills a question onto the cache and decodes a few tokens; all logits on the way.
std::vector<float> answer(Transformer& model, KvCache& cache) {
  PrefillTask question(model, cache, {5, 17, 3, 150, 42, 8, 99}, cache.sequence_length(),
                       {.chunk_tokens = 64, .logits = PrefillLogits::all});
  if (const auto status = question.run(); !status) qFatal("%s", status.error().message.c_str());
  std::vector<float> logits(question.logits().begin(), question.logits().end());
  std::vector<float> next(static_cast<std::size_t>(model.config().vocab_size));
  for (std::int32_t token = 20; token < 24; ++token) {
    if (!model.decode(cache, token, cache.sequence_length(), next)) qFatal("decode");
    logits.insert(logits.end(), next.begin(), next.end());
  }
  return logits;
}

}  // namespace

class ReuseTest : public QObject {
  Q_OBJECT

 private slots:
  void storedAndReadBackAnswersBitForBit_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<bool>("bf16");
    QTest::addColumn<double>("removed_fraction");
    for (const char* name : {"llama", "qwen3"})
      for (const bool bf16 : {false, true})
        for (const double removed : {0.0, 0.6})
          QTest::addRow("%s %s %g", name, bf16 ? "bf16" : "fp32", removed) << QString(name) << bf16 << removed;
  }
  void storedAndReadBackAnswersBitForBit() {
    QFETCH(QString, name);
    QFETCH(bool, bf16);
    QFETCH(double, removed_fraction);
    const auto golden = KvpressGolden::read(name.toStdString());
    QTemporaryDir folder;
    golden.write_checkpoint(folder.path().toStdString());
    LoadOptions options;
    options.kv_type = bf16 ? KvType::bf16 : KvType::fp32;
    const auto model = Transformer::load(folder.path().toStdString(), options);
    QVERIFY2(model.has_value(), model ? "" : model.error().message.c_str());
    QCOMPARE((*model)->kv_shape().type, bf16 ? KvType::bf16 : KvType::fp32);

    BlockPool pool((*model)->kv_shape(), 32, std::size_t{16} << 20);
    KvCache cache(pool);
    EntryHeader header;
    header.token_ids = golden.json.at("prompt").get<std::vector<std::int32_t>>();
    PrefillTask prefill(**model, cache, header.token_ids, 0, {.chunk_tokens = 64, .window_queries = 64});
    QVERIFY(prefill.run().has_value());
    const WindowQueries queries = prefill.take_window_queries();
    const auto method = parse_method(removed_fraction > 0 ? "snapkv" : "none").value();
    QVERIFY(compress(cache, Observation{queries, {}, {}, {}}, *method, removed_fraction).has_value());
    header.compression.method = method->text();
    header.compression.removed_fraction = removed_fraction;
    const auto entry = serialize(cache, header, nullptr).value();
    const std::vector<float> expected = answer(**model, cache);

    const auto parsed = parse_entry_header(entry).value();
    for (const int block_tokens : {4, 8, 16, 32, 64, 128}) {
      BlockPool other((*model)->kv_shape(), block_tokens, std::size_t{16} << 20);
      KvCache restored(other);
      for (int l = 0; l < golden.layers; ++l) {
        const auto [begin, end] = parsed.layer_range(l);
        QVERIFY(restore_layer(parsed, l, std::span(entry).subspan(begin, end - begin), true, restored).has_value());
      }
      const std::vector<float> logits = answer(**model, restored);
      QCOMPARE(logits.size(), expected.size());
      QVERIFY(std::memcmp(logits.data(), expected.data(), logits.size() * sizeof(float)) == 0);
    }
  }
};

KV_TEST_GUILESS_MAIN(ReuseTest)

}  // namespace reuse_test

#include "reuse_test.moc"
