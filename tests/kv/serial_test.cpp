// links: kv_runtime
// The serial form against what was put in, against its own promises about sizes, and under damage of every kind.
#include "core/kv/serial.h"

#include <QFile>
#include <QtTest>

#include "core/base/random.h"
#include "tests/kv/serial_sample.h"
#include "tests/support/test_program.h"

namespace serial_test {

using namespace kvantage;
using namespace kvantage::test;

class SerialTest : public QObject {
  Q_OBJECT

 private slots:
  void roundTripIsExactToTheBit_data() {
    QTest::addColumn<int>("layers");
    QTest::addColumn<int>("heads");
    QTest::addColumn<int>("head_dim");
    QTest::addColumn<bool>("wide");
    QTest::addColumn<int>("tokens");
    QTest::addColumn<int>("window");
    QTest::newRow("one token") << 1 << 1 << 8 << false << 1 << 0;
    QTest::newRow("a chunk less one") << 2 << 2 << 16 << false << 255 << 4;
    QTest::newRow("a chunk") << 2 << 1 << 16 << true << 256 << 64;
    QTest::newRow("a chunk and one") << 3 << 2 << 12 << false << 257 << 0;
    QTest::newRow("several chunks") << 6 << 4 << 64 << false << 1700 << 64;
    QTest::newRow("fp32") << 2 << 3 << 24 << true << 900 << 5;
  }
  void roundTripIsExactToTheBit() {
    QFETCH(int, layers);
    QFETCH(int, heads);
    QFETCH(int, head_dim);
    QFETCH(bool, wide);
    QFETCH(int, tokens);
    QFETCH(int, window);
    Random random(11);
    for (const bool ragged : {false, true}) {
      Sample sample = make_sample({layers, heads, head_dim, wide ? KvType::fp32 : KvType::bf16}, tokens,
                                  (tokens + 1) / 2, ragged, window, random);
      const auto entry = serialized(sample);
      QCOMPARE(entry.size() % entry_alignment, std::size_t{0});
      const auto parsed = parse_entry_header(std::span(entry).first(sample.header.header_bytes));
      QVERIFY2(parsed.has_value(), parsed ? "" : parsed.error().message.c_str());
      QCOMPARE(entry_header_bytes(std::span(entry).first(entry_alignment)).value(), sample.header.header_bytes);
      QCOMPARE(parsed->entry_bytes, std::uint64_t{entry.size()});
      QCOMPARE(parsed->token_ids, sample.header.token_ids);
      QCOMPARE(parsed->compression.method, sample.header.compression.method);
      QCOMPARE(parsed->compression.removed_fraction, sample.header.compression.removed_fraction);
      QCOMPARE(parsed->kept_rows, std::uint64_t{sample.cache->kept_rows()});
      QVERIFY(parsed->key() == sample.header.key());
      QVERIFY(parsed->shape == sample.cache->shape());

      KvCache restored(*sample.pool);
      // Layers come in any order.
      for (int l = layers - 1; l >= 0; --l)
        QVERIFY(restore_layer(*parsed, l, range_of(entry, parsed->layer_range(l)), true, restored).has_value());
      QVERIFY(same_contents(*sample.cache, restored));
      for (int l = 0; l < layers && window > 0; ++l)
        QCOMPARE(restore_window_queries(*parsed, l, range_of(entry, parsed->window_queries_range(l))).value(),
                 sample.queries.layers[static_cast<std::size_t>(l)]);
      if (window == 0) QCOMPARE(restore_window_queries(*parsed, 0, {}).error().code, ErrorCode::not_found);
    }
  }

  void rangesTileTheEntryAndQueriesLieBehindAllLayers() {
    Random random(5);
    Sample sample = make_sample({3, 2, 16, KvType::bf16}, 700, 300, true, 8, random);
    const auto entry = serialized(sample);
    std::uint64_t at = sample.header.header_bytes;
    for (int l = 0; l < 3; ++l) {
      const auto [begin, end] = sample.header.layer_range(l);
      QCOMPARE(begin, at);
      std::uint64_t packed = begin;
      for (const Extent& extent : sample.header.layer_extents(l)) {
        QCOMPARE(extent.offset, packed);
        packed += extent.bytes;
      }
      QVERIFY(end - packed < entry_alignment);
      at = end;
    }
    for (int l = 0; l < 3; ++l) {
      QCOMPARE(sample.header.window_queries_range(l).first, at);
      at = sample.header.window_queries_range(l).second;
    }
    QCOMPARE(at, std::uint64_t{entry.size()});
  }

  void predictedBytesAreTheBytes() {
    Random random(6);
    for (int round = 0; round < 150; ++round) {
      const KvShape shape{1 + static_cast<int>(random.below(4)), 1 + static_cast<int>(random.below(4)),
                          8 * (1 + static_cast<int>(random.below(8))), random.below(2) ? KvType::bf16 : KvType::fp32};
      const int tokens = 1 + static_cast<int>(random.below(1100));
      const int kept = 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(tokens)));
      const int window = round % 3 == 0 ? 1 + static_cast<int>(random.below(64)) : 0;
      Sample sample = make_sample(shape, tokens, kept, false, window, random);
      sample.header.compression.method = std::string(random.below(60), 'm');
      const auto query_bytes = static_cast<std::size_t>(2 * shape.kv_heads * window * shape.head_dim) * sizeof(float);
      QCOMPARE(predicted_entry_bytes(shape, static_cast<std::size_t>(tokens), static_cast<std::size_t>(kept),
                                     sample.header.compression.method.size(), query_bytes),
               std::uint64_t{serialized(sample).size()});
    }
  }

  void removingAFractionTakesThatFractionOfTheBytes() {
    // In memory, on disk and in the accounting: payload falls exactly, the rest is headers, bitmaps and padding.
    Random random(7);
    const KvShape shape{4, 2, 64, KvType::bf16};
    const int tokens = 2048;
    const std::size_t full = shape.bytes_per_token() * static_cast<std::size_t>(tokens);
    for (const int removed_eighths : {0, 2, 4, 6, 7}) {
      const int kept = tokens * (8 - removed_eighths) / 8;
      const std::size_t payload = full * static_cast<std::size_t>(8 - removed_eighths) / 8;
      Sample sample = make_sample(shape, tokens, kept, false, 0, random);
      QCOMPARE(sample.cache->payload_bytes(), payload);
      const std::size_t memory_rows = sample.pool->live_blocks() * 32;
      QCOMPARE(memory_rows * shape.bytes_per_head_token(), payload);  // 32 divides every kept count here
      const auto entry = serialized(sample);
      const std::size_t bitmaps = 4 * 8 * 2 * 32;
      QVERIFY(entry.size() >= payload + sample.header.header_bytes + bitmaps);
      QVERIFY(entry.size() < payload + sample.header.header_bytes + bitmaps + 4 * entry_alignment);
      QVERIFY(sample.header.header_bytes < 8192 + 4 * tokens + 4096);
      QCOMPARE(
          predicted_entry_bytes(shape, 2048, static_cast<std::size_t>(kept), sample.header.compression.method.size()),
          std::uint64_t{entry.size()});
    }
  }

  void anyBitFlippedInTheHeaderIsCorrupt() {
    Random random(8);
    Sample sample = make_sample({2, 2, 16, KvType::bf16}, 300, 100, true, 3, random);
    const auto entry = serialized(sample);
    std::vector<std::byte> header(entry.begin(),
                                  entry.begin() + static_cast<std::ptrdiff_t>(sample.header.header_bytes));
    for (std::size_t bit = 0; bit < header.size() * 8; bit += bit < 1024 ? 1 : 37) {
      header[bit / 8] ^= std::byte{1} << (bit % 8);
      const auto parsed = parse_entry_header(header);
      QVERIFY(!parsed.has_value());
      QCOMPARE(parsed.error().code, ErrorCode::corrupt);
      header[bit / 8] ^= std::byte{1} << (bit % 8);
    }
    QVERIFY(parse_entry_header(header).has_value());
  }

  void cutShortIsCorrupt() {
    Random random(9);
    Sample sample = make_sample({2, 2, 16, KvType::bf16}, 2000, 100, true, 0, random);
    const auto entry = serialized(sample);
    QVERIFY(sample.header.header_bytes > 2 * entry_alignment);
    for (std::size_t size = 0; size < sample.header.header_bytes; size += 61)
      QCOMPARE(parse_entry_header(std::span(entry).first(size)).error().code, ErrorCode::corrupt);
    KvCache restored(*sample.pool);
    const auto layer = range_of(entry, sample.header.layer_range(1));
    for (std::size_t size = 0; size < layer.size(); size += 1021)
      QCOMPARE(restore_layer(sample.header, 1, layer.first(size), true, restored).error().code, ErrorCode::corrupt);
    QCOMPARE(restored.kept_rows(), std::size_t{0});
  }

  void aSignedHeaderThatLiesNeverCrashesAReader() {
    // Checksums are right, contents are not: whatever still parses must restore without touching foreign memory.
    Random random(10);
    Sample sample = make_sample({2, 2, 16, KvType::bf16}, 300, 100, true, 3, random);
    const auto entry = serialized(sample);
    int accepted = 0;
    for (int round = 0; round < 20000; ++round) {
      auto damaged = entry;
      const auto header = std::span(damaged).first(sample.header.header_bytes);
      for (std::uint64_t changes = 1 + random.below(3); changes > 0; --changes) {
        // Counts, shape and lengths are in the first 144 bytes, the table at the end of the header.
        const std::size_t at = random.below(2) ? 8 + random.below(136) : 144 + random.below(header.size() - 152);
        const auto kind = random.below(3);
        header[at] = kind == 0 ? std::byte{0xff} : kind == 1 ? std::byte{0} : static_cast<std::byte>(random.next());
      }
      sign(header);
      const auto parsed = parse_entry_header(damaged);
      if (!parsed) {
        QCOMPARE(parsed.error().code, ErrorCode::corrupt);
        continue;
      }
      ++accepted;
      QVERIFY(parsed->entry_bytes <= damaged.size());
      KvCache restored(*sample.pool);
      (void)restore_all(*parsed, damaged, round % 2 == 0, restored);
      for (int l = 0; l < parsed->shape.layers; ++l)
        (void)restore_window_queries(*parsed, l, range_of(damaged, parsed->window_queries_range(l)));
    }
    QVERIFY(accepted > 0);
    QCOMPARE(parse_entry_header(entry).has_value(), true);
  }

  void anyDamageToALayerIsCorruptAndChangesNothing() {
    Random random(12);
    Sample sample = make_sample({2, 2, 16, KvType::bf16}, 600, 100, true, 3, random);
    const auto entry = serialized(sample);
    const auto [begin, end] = sample.header.layer_range(1);
    const Extent& last = sample.header.layer_extents(1).back();
    const std::size_t packed = last.offset + last.bytes - begin;
    KvCache restored(*sample.pool);
    for (int round = 0; round < 3000; ++round) {
      std::vector<std::byte> layer(entry.begin() + static_cast<std::ptrdiff_t>(begin),
                                   entry.begin() + static_cast<std::ptrdiff_t>(end));
      layer[random.below(packed)] ^= static_cast<std::byte>(1 + random.below(255));
      QCOMPARE(restore_layer(sample.header, 1, layer, true, restored).error().code, ErrorCode::corrupt);
      QCOMPARE(restored.kept_rows(), std::size_t{0});
    }
    auto queries = std::vector<std::byte>(range_of(entry, sample.header.window_queries_range(0)).begin(),
                                          range_of(entry, sample.header.window_queries_range(0)).end());
    queries[5] ^= std::byte{1};
    QCOMPARE(restore_window_queries(sample.header, 0, queries).error().code, ErrorCode::corrupt);
  }

  void wrongBitmapsAreCorruptEvenUnverified() {
    Random random(13);
    Sample sample = make_sample({1, 2, 16, KvType::bf16}, 600, 300, true, 0, random);
    auto entry = serialized(sample);
    const std::size_t begin = sample.header.layer_range(0).first;
    KvCache restored(*sample.pool);
    entry[begin] ^= std::byte{1};  // one row more or less than there are
    QCOMPARE(
        restore_layer(sample.header, 0, range_of(entry, sample.header.layer_range(0)), false, restored).error().code,
        ErrorCode::corrupt);
    QCOMPARE(restored.kept_rows(), std::size_t{0});
  }

  void aFullPoolLeavesTheLayerAsItWas() {
    Random random(14);
    Sample sample = make_sample({2, 2, 16, KvType::bf16}, 600, 300, false, 0, random);
    const auto entry = serialized(sample);
    BlockPool small(sample.cache->shape(), 32, 15 * sample.pool->block_bytes());
    KvCache restored(small);
    const auto status = restore_layer(sample.header, 0, range_of(entry, sample.header.layer_range(0)), true, restored);
    QCOMPARE(status.error().code, ErrorCode::no_space);
    QCOMPARE(small.live_blocks(), std::size_t{0});
    QCOMPARE(restored.sequence_length(), 0);
  }

  void anotherShapeIsRefused() {
    Random random(15);
    Sample sample = make_sample({1, 2, 16, KvType::bf16}, 50, 30, false, 0, random);
    const auto entry = serialized(sample);
    BlockPool other({1, 2, 32, KvType::bf16}, 32, 1 << 20);
    KvCache cache(other);
    QCOMPARE(restore_layer(sample.header, 0, range_of(entry, sample.header.layer_range(0)), true, cache).error().code,
             ErrorCode::rejected_input);
  }

  void anEntryOfVersionOneIsReadAndWrittenAsBefore() {
    QFile file(QString(KVANTAGE_SOURCE_DIR) + "/tests/goldens/entry_version_1.bin");
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray read = file.readAll();
    const auto* data = reinterpret_cast<const std::byte*>(read.data());
    const std::vector<std::byte> entry(data, data + read.size());
    const auto header = parse_entry_header(entry);
    QVERIFY2(header.has_value(), header ? "" : header.error().message.c_str());
    QVERIFY(!header->is_encoded());
    QCOMPARE(header->compression.method, std::string("snapkv(window=32)"));
    BlockPool pool(header->shape, 32, 1 << 20);
    KvCache cache(pool);
    QVERIFY(restore_all(*header, entry, true, cache).has_value());
    for (int l = 0; l < 2; ++l)
      for (int h = 0; h < 2; ++h) QCOMPARE(cache.kept(l, h), (260 + 8 + l + h) / (9 + l + h));
    WindowQueries queries{header->query_heads, header->query_window, {}};
    for (int l = 0; l < 2; ++l)
      queries.layers.push_back(
          restore_window_queries(*header, l, range_of(entry, header->window_queries_range(l))).value());
    QCOMPARE(queries.layers[1][3], 1.375F);
    EntryHeader again{{.identity = header->identity,
                       .shape = {},
                       .compression = {.method = header->compression.method,
                                       .codec = {},
                                       .removed_fraction = header->compression.removed_fraction},
                       .token_ids = header->token_ids},
                      {}};
    QVERIFY(serialize(cache, again, &queries).value() == entry);
  }

  void keysTellMethodsFractionsAndContextsApart() {
    const CacheIdentity identity{{1, 2}, {3, 4}, KvType::bf16, 256, 1};
    const std::vector<std::int32_t> tokens{1, 2, 3}, longer{1, 2, 3, 0};
    const ContextKey context = context_key(identity, tokens);
    QVERIFY(context != context_key(identity, longer));
    for (int field = 0; field < 5; ++field) {
      CacheIdentity other = identity;
      if (field == 0) other.model.low = 9;
      if (field == 1) other.tokenizer.high = 9;
      if (field == 2) other.kv_type = KvType::fp32;
      if (field == 3) other.prefill_chunk_tokens = 128;
      if (field == 4) other.numerics_version = 2;
      QVERIFY(context != context_key(other, tokens));
    }
    QVERIFY(entry_key(context, "knorm", 0.5) != entry_key(context, "snapkv", 0.5));
    QVERIFY(entry_key(context, "knorm", 0.5) != entry_key(context, "knorm", 0.25));
    QVERIFY(entry_key(context, "none", -0.0) == entry_key(context, "none", 0.0));
  }
};

KV_TEST_GUILESS_MAIN(SerialTest)

}  // namespace serial_test

#include "serial_test.moc"
