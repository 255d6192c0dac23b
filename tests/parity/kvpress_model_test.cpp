// links: kv_experiments
// The whole way: the checkpoints that kvpress was run on, through our own runtime, lose the same tokens.
#include <QTemporaryDir>

#include "core/model/transformer.h"
#include "tests/parity/kvpress_golden.h"
#include "tests/support/test_program.h"

namespace kvpress_model_test {

using namespace kvantage;

class KvpressModelTest : public QObject {
  Q_OBJECT

 private slots:
  void theSameTokensAreKept_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<int>("chunk_tokens");
    for (const char* name : {"llama", "llama_short", "qwen3"})
      for (const int chunk : {32, 256})
        QTest::addRow("%s, prefilled %d tokens at a time", name, chunk) << QString(name) << chunk;
  }
  void theSameTokensAreKept() {
    QFETCH(QString, name);
    QFETCH(int, chunk_tokens);
    const auto golden = KvpressGolden::read(name.toStdString());
    QTemporaryDir folder;
    golden.write_checkpoint(folder.path().toStdString());
    const auto model = Transformer::load(folder.path().toStdString());
    QVERIFY2(model.has_value(), model ? "" : model.error().message.c_str());
    QVERIFY((*model)->kv_shape() == golden.shape());

    BlockPool pool(golden.shape(), 32, std::size_t{16} << 20);
    KvCache cache(pool);
    PrefillTask prefill(**model, cache, golden.json.at("prompt").get<std::vector<std::int32_t>>(), 0,
                        {.chunk_tokens = chunk_tokens, .window_queries = golden.window});
    const auto status = prefill.run();
    QVERIFY2(status.has_value(), status ? "" : status.error().message.c_str());
    const WindowQueries queries = prefill.take_window_queries();
    QCOMPARE(queries.window, golden.window);

    double key_error = 0, query_error = 0;
    const std::size_t head_floats = static_cast<std::size_t>(golden.tokens * golden.head_dim);
    std::vector<float> keys(head_floats);
    for (int l = 0; l < golden.layers; ++l) {
      for (int h = 0; h < golden.kv_heads; ++h) {
        cache.gather_head(l, h, reinterpret_cast<std::byte*>(keys.data()), nullptr, nullptr);
        const float* expected = golden.keys.data() + static_cast<std::size_t>(l * golden.kv_heads + h) * head_floats;
        for (std::size_t i = 0; i < head_floats; ++i)
          key_error = std::max(key_error, static_cast<double>(std::abs(keys[i] - expected[i])));
      }
      const auto& ours = queries.layers[static_cast<std::size_t>(l)];
      const auto theirs = golden.window_queries().layers[static_cast<std::size_t>(l)];
      QCOMPARE(ours.size(), theirs.size());
      for (std::size_t i = 0; i < ours.size(); ++i)
        query_error = std::max(query_error, static_cast<double>(std::abs(ours[i] - theirs[i])));
    }
    qInfo("largest difference of keys %.1e, of window queries %.1e", key_error, query_error);
    QVERIFY(key_error < 1e-4 && query_error < 1e-4);

    const auto count = compare_with_kvpress(golden, cache, Observation{queries, {}, {}, {}});
    qInfo("%d cuts compared, %d ties and %d close calls skipped", count.compared, count.ties, count.close);
    QCOMPARE(count.different, 0);
    QVERIFY(count.compared > 80);
  }
};

KV_TEST_GUILESS_MAIN(KvpressModelTest)

}  // namespace kvpress_model_test

#include "kvpress_model_test.moc"
