// links: kv_runtime kv_tiers
// What a compressed entry keeps, written beside it and read again; damage, and maps of other entries.
#include "core/load/kept_map.h"

#include <QtTest>

#include <cstring>
#include <functional>

#include "tests/support/random_entry.h"
#include "tests/support/scripted_tier.h"
#include "tests/support/test_program.h"
#include "tests/support/virtual_executor.h"
#include "tiers/buffer_pool.h"

namespace kept_map_test {

using namespace kvantage;
using namespace kvantage::test;

const RandomEntryOptions half{.kept = 0.5};
constexpr std::size_t first_bitmap = 44;  // after magic, version, layers, KV heads, tokens and the key

/// Makes the checksum right again, as one who knows the form can.
void sign(std::vector<std::byte>& map) {
  const std::uint64_t checksum = checksum_of(std::span(map).first(map.size() - 8));
  std::memcpy(map.data() + map.size() - 8, &checksum, 8);
}

class KeptMapTest : public QObject {
  Q_OBJECT

 private slots:
  void itKnowsTheTokensOfEachHead() {
    const RandomEntry entry(half);
    const KeptMap map = KeptMap::of(entry.cache);
    QCOMPARE(map.rows(), entry.header->kept_rows);
    for (int layer = 0; layer < entry.layers(); ++layer)
      for (const std::int32_t tokens : {0, 1, 255, 256, 257, 699, 700, 1'000'000}) {
        const KeptIndices kept = map.kept_below(layer, tokens);
        QCOMPARE(kept.size(), std::size_t{2});
        for (int head = 0; head < 2; ++head) {
          std::vector<std::int32_t> wanted = contents(entry.cache, layer, head).positions;
          std::erase_if(wanted, [&](std::int32_t position) { return position >= tokens; });
          QCOMPARE(kept[static_cast<std::size_t>(head)], wanted);
        }
      }
  }

  void whatIsWrittenIsReadAgain_data() {
    QTest::addColumn<int>("tokens");
    QTest::addColumn<double>("kept");
    QTest::newRow("some") << 700 << 0.5;
    QTest::newRow("all") << 700 << 1.0;
    QTest::newRow("none") << 700 << 0.0;
    QTest::newRow("one token") << 1 << 1.0;
    QTest::newRow("a whole chunk") << 256 << 0.3;
    QTest::newRow("more than a page") << 6000 << 0.1;
  }
  void whatIsWrittenIsReadAgain() {
    QFETCH(int, tokens);
    QFETCH(double, kept);
    const RandomEntry entry({.tokens = tokens, .kept = kept});
    const KeptMap map = KeptMap::of(entry.cache);
    const auto bytes = map.bytes(*entry.header);
    QCOMPARE(bytes.size(), kept_map_bytes(*entry.header));
    QCOMPARE(bytes.size() % entry_alignment, std::size_t{0});
    const auto read = KeptMap::parse(bytes, *entry.header);
    QVERIFY2(read.has_value(), read ? "" : read.error().message.c_str());
    QCOMPARE(read->rows(), map.rows());
    for (int layer = 0; layer < entry.layers(); ++layer)
      QCOMPARE(read->kept_below(layer, tokens), map.kept_below(layer, tokens));
  }

  void damageAnywhereIsFound() {
    const RandomEntry entry(half);
    auto bytes = KeptMap::of(entry.cache).bytes(*entry.header);
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      bytes[at] ^= std::byte{1} << (at % 8);
      const auto read = KeptMap::parse(bytes, *entry.header);
      QVERIFY2(!read && read.error().code == ErrorCode::corrupt, qPrintable(QString("byte %1").arg(at)));
      bytes[at] ^= std::byte{1} << (at % 8);
    }
    QVERIFY(KeptMap::parse(bytes, *entry.header));
  }

  void anotherLengthIsCorrupt() {
    const RandomEntry entry(half);
    auto bytes = KeptMap::of(entry.cache).bytes(*entry.header);
    for (const std::size_t length : {std::size_t{0}, std::size_t{8}, bytes.size() - 1, bytes.size() - 8})
      QCOMPARE(KeptMap::parse(std::span(bytes).first(length), *entry.header).error().code, ErrorCode::corrupt);
    bytes.resize(bytes.size() + entry_alignment);
    sign(bytes);
    QCOMPARE(KeptMap::parse(bytes, *entry.header).error().code, ErrorCode::corrupt);
  }

  // With its checksum right again.
  void aMapThatIsNotTheEntrysIsCorrupt_data() {
    QTest::addColumn<std::size_t>("at");
    QTest::addColumn<int>("bit");
    QTest::newRow("another signature") << std::size_t{2} << 0;
    QTest::newRow("another version") << std::size_t{8} << 1;
    QTest::newRow("more layers") << std::size_t{12} << 3;
    QTest::newRow("more heads") << std::size_t{16} << 3;
    QTest::newRow("more tokens") << std::size_t{20} << 0;
    QTest::newRow("key, upper half") << std::size_t{28} << 5;
    QTest::newRow("key, lower half") << std::size_t{36} << 5;
    QTest::newRow("a token more or less in a chunk") << first_bitmap + 3 << 2;
    QTest::newRow("a token behind the last one") << first_bitmap + 87 << 4;  // 700 tokens: four bits of byte 87
  }
  void aMapThatIsNotTheEntrysIsCorrupt() {
    QFETCH(std::size_t, at);
    QFETCH(int, bit);
    const RandomEntry entry(half);
    auto bytes = KeptMap::of(entry.cache).bytes(*entry.header);
    sign(bytes);
    QVERIFY(KeptMap::parse(bytes, *entry.header));
    bytes[at] ^= std::byte{1} << bit;
    sign(bytes);
    const auto read = KeptMap::parse(bytes, *entry.header);
    QVERIFY(!read && read.error().code == ErrorCode::corrupt);
  }

  // The rows of a chunk are counted over its heads: as many in all, but in another chunk.
  void aTokenInAnotherChunkDoesNotFit() {
    const RandomEntry entry({.tokens = 512, .kept = 1});
    KvCache front(entry.cache.share()), back(entry.cache.share());
    for (int layer = 0; layer < entry.layers(); ++layer) {
      std::vector<std::int32_t> all(511);
      std::iota(all.begin(), all.end(), 0);
      QVERIFY(front.keep(layer, {all, all}));  // without the last token
      std::iota(all.begin(), all.end(), 1);
      QVERIFY(back.keep(layer, {all, all}));  // without the first one
    }
    EntryHeader header;
    header.identity = entry.header->identity;
    header.token_ids = entry.header->token_ids;
    header.compression.method = "knorm";
    QVERIFY(serialize(front, header, nullptr));
    QVERIFY(KeptMap::of(front).fits(header));
    QVERIFY(!KeptMap::of(back).fits(header) && !KeptMap::of(entry.cache).fits(header));
    QCOMPARE(KeptMap::of(front).rows(), KeptMap::of(back).rows());
    QVERIFY(!KeptMap::of(entry.cache).fits(*RandomEntry({.tokens = 512, .codec = "kivi4"}).header));
  }

  void itIsWrittenBesideItsEntryAndReadFromThere() {
    const RandomEntry entry(half);
    VirtualExecutor executor;
    ScriptedTier tier(executor);
    BufferPool lender(std::size_t{1} << 20);
    QVERIFY(write_kept_map(tier, entry.cache, *entry.header));
    QCOMPARE(tier.stored.size(), std::size_t{1});
    QVERIFY(tier.stored.contains(kept_map_key(entry.header->key())));
    QVERIFY(kept_map_key(entry.header->key()) != entry.header->key());
    QVERIFY(kept_map_key({1, 2}) != kept_map_key({2, 1}));
    const auto read = read_kept_map(tier, lender, *entry.header);
    QVERIFY(read.has_value());
    QCOMPARE(read->kept_below(2, 700), KeptMap::of(entry.cache).kept_below(2, 700));
    QCOMPARE(lender.leased_bytes(), std::size_t{0});
  }

  void aMapOfAnotherCacheIsNotWritten() {
    const RandomEntry entry(half), other({.kept = 0.5, .seed = 6}), longer({.tokens = 800, .kept = 0.5}),
        wider({.shape = {3, 2, 64, KvType::bf16}, .kept = 0.5});
    VirtualExecutor executor;
    ScriptedTier tier(executor);
    for (const RandomEntry* wrong : {&other, &longer, &wider}) {
      const Status status = write_kept_map(tier, wrong->cache, *entry.header);
      QVERIFY(!status && status.error().code == ErrorCode::internal);
    }
    KvCache shorter(entry.cache.share());
    shorter.set_sequence_length(699);
    QVERIFY(!write_kept_map(tier, shorter, *entry.header));
    QVERIFY(tier.stored.empty());
  }

  void errorsAreThoseOfTheTierAndTheLender() {
    const RandomEntry entry(half);
    VirtualExecutor executor;
    ScriptedTier tier(executor);
    BufferPool lender(std::size_t{1} << 20), small(1024);
    tier.refuses_writes = true;
    QCOMPARE(write_kept_map(tier, entry.cache, *entry.header).error().code, ErrorCode::io);
    QCOMPARE(read_kept_map(tier, lender, *entry.header).error().code, ErrorCode::not_found);
    tier.refuses_writes = false;
    QVERIFY(write_kept_map(tier, entry.cache, *entry.header));
    const auto refused = small.lease(kept_map_bytes(*entry.header));
    QCOMPARE(read_kept_map(tier, small, *entry.header).error().code, refused.error().code);
    auto& stored = tier.stored.at(kept_map_key(entry.header->key()));
    auto damaged = std::make_shared<std::vector<std::byte>>(*stored);
    (*damaged)[50] ^= std::byte{1};
    stored = damaged;
    QCOMPARE(read_kept_map(tier, lender, *entry.header).error().code, ErrorCode::corrupt);
    QCOMPARE(lender.leased_bytes(), std::size_t{0});
  }
};

KV_TEST_GUILESS_MAIN(KeptMapTest)

}  // namespace kept_map_test

#include "kept_map_test.moc"
