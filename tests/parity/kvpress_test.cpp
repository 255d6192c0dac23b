// links: kv_experiments
// Our methods keep the tokens that kvpress keeps, given the same keys and queries.
#include "tests/parity/kvpress_golden.h"
#include "tests/support/test_program.h"

namespace kvpress_test {

using namespace kvantage;

class KvpressTest : public QObject {
  Q_OBJECT

 private slots:
  void theSameTokensAreKept_data() {
    QTest::addColumn<QString>("name");
    for (const char* name : {"llama", "llama_short", "qwen3"}) QTest::newRow(name) << name;
  }
  void theSameTokensAreKept() {
    QFETCH(QString, name);
    const auto golden = KvpressGolden::read(name.toStdString());
    BlockPool pool(golden.shape(), 32, std::size_t{16} << 20);
    KvCache cache(pool);
    std::vector<std::int32_t> positions(static_cast<std::size_t>(golden.tokens));
    for (std::size_t t = 0; t < positions.size(); ++t) positions[t] = static_cast<std::int32_t>(t);
    const std::size_t head_floats = positions.size() * static_cast<std::size_t>(golden.head_dim);
    for (int l = 0; l < golden.layers; ++l)
      for (int h = 0; h < golden.kv_heads; ++h) {
        const auto keys =
            std::as_bytes(std::span(golden.keys)
                              .subspan(static_cast<std::size_t>(l * golden.kv_heads + h) * head_floats, head_floats));
        QVERIFY(cache.append_head(l, h, keys, keys, positions).has_value());
      }
    const auto count = compare_with_kvpress(golden, cache, Observation{golden.window_queries(), {}, {}, {}});
    qInfo("%d cuts compared, %d ties and %d close calls skipped", count.compared, count.ties, count.close);
    QCOMPARE(count.different, 0);
    QVERIFY(count.close * 10 <= count.compared);
    QVERIFY(count.compared > 80);
  }
};

KV_TEST_GUILESS_MAIN(KvpressTest)

}  // namespace kvpress_test

#include "kvpress_test.moc"
