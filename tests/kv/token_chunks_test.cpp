// links: kv_runtime
// Entries in chunks of tokens: every chunk of every head, read alone, has the rows that the cache has, and damage in it
// is found.
#include "core/kv/token_chunks.h"

#include <QtTest>

#include <set>

#include "core/kv/codecs/codec.h"
#include "core/ports/storage_tier.h"
#include "tests/support/random_entry.h"
#include "tests/support/test_program.h"

namespace token_chunks_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

using Run = TokenChunks::Run;

RandomEntry stored_in_chunks(int length, int tokens = 100, KvType type = KvType::bf16) {
  return RandomEntry(
      {.shape = {2, 3, 16, type}, .tokens = tokens, .codec = "token_chunks(length=" + std::to_string(length) + ")"});
}

/// One head's keys or values of a layer.
std::vector<std::byte> rows_of(const KvCache& cache, int layer, ExtentKind kind, int head) {
  std::vector<std::byte> keys(static_cast<std::size_t>(cache.kept(layer, head)) * cache.shape().bytes_per_row()),
      values(keys.size());
  cache.gather_head(layer, head, keys.data(), values.data(), nullptr);
  return kind == ExtentKind::keys ? keys : values;
}

}  // namespace

class TokenChunksTest : public QObject {
  Q_OBJECT

 private slots:
  void everyRangeHasTheRowsOfTheCache_data() {
    QTest::addColumn<int>("length");
    QTest::addColumn<int>("tokens");
    QTest::newRow("the last one is short") << 16 << 100;
    QTest::newRow("all full") << 25 << 100;
    QTest::newRow("single tokens") << 1 << 9;
    QTest::newRow("one") << 64 << 40;
  }
  void everyRangeHasTheRowsOfTheCache() {
    QFETCH(const int, length);
    QFETCH(const int, tokens);
    for (const KvType type : {KvType::bf16, KvType::fp32}) {
      const RandomEntry entry = stored_in_chunks(length, tokens, type);
      const auto chunks = TokenChunks::of(*entry.header);
      QVERIFY2(chunks.has_value(), chunks ? "" : chunks.error().message.c_str());
      QCOMPARE(chunks->count(), (tokens + length - 1) / length);
      const std::size_t row = entry.header->shape.bytes_per_row();
      for (int layer = 0; layer < entry.layers(); ++layer)
        for (const ExtentKind kind : {ExtentKind::keys, ExtentKind::values})
          for (int head = 0; head < entry.header->shape.kv_heads; ++head) {
            const std::vector<std::byte> all = rows_of(entry.cache, layer, kind, head);
            for (int first = 0; first < chunks->count(); ++first)
              for (int last = first + 1; last <= chunks->count(); ++last) {
                const auto [begin, end] = chunks->range(layer, kind, head, {first, last});
                std::vector<std::byte> rows;
                const auto bytes = std::span(*entry.bytes).subspan(begin, end - begin);
                QVERIFY(chunks->unpack({first, last}, bytes, rows).has_value());
                const auto from = static_cast<std::size_t>(first * length),
                           to = static_cast<std::size_t>(std::min(last * length, tokens));
                QCOMPARE(static_cast<std::size_t>(chunks->tokens_in({first, last})), to - from);
                QVERIFY(std::ranges::equal(rows, std::span(all).subspan(from * row, (to - from) * row)));
                // Nothing but the rows and 8 bytes for each chunk.
                QCOMPARE(end - begin, rows.size() + 8 * static_cast<std::size_t>(last - first));
              }
          }
    }
  }

  void aWholeEntryRestores() {
    const RandomEntry entry = stored_in_chunks(16);
    BlockPool pool(entry.header->shape, 32, std::size_t{16} << 20);
    KvCache restored(pool);
    for (int layer = 0; layer < entry.layers(); ++layer) {
      const auto [begin, end] = entry.header->layer_range(layer);
      QVERIFY(restore_layer(*entry.header, layer, std::span(*entry.bytes).subspan(begin, end - begin), true, restored));
      for (const ExtentKind kind : {ExtentKind::keys, ExtentKind::values})
        for (int head = 0; head < entry.header->shape.kv_heads; ++head)
          QVERIFY(rows_of(restored, layer, kind, head) == rows_of(entry.cache, layer, kind, head));
    }
    QCOMPARE(restored.sequence_length(), 100);
  }

  void theSizeIsKnownBefore() {
    const RandomEntry entry = stored_in_chunks(16);
    const auto codec = parse_codec("token_chunks(length=16)").value();
    const auto bytes = entry_bytes(entry.cache, std::string("none").size(), *codec);
    QCOMPARE(*bytes, std::uint64_t{entry.bytes->size()});
    QVERIFY(codec->is_lossless() && codec->chunk_tokens() == 16);
    QCOMPARE(parse_codec("token_chunks").value()->chunk_tokens(), 64);
    QVERIFY(!parse_codec("token_chunks+zstd") && !parse_codec("token_chunks(length=0)"));
  }

  void flippedBitsAreFoundInTheirChunkAlone() {
    const RandomEntry entry = stored_in_chunks(16);
    const TokenChunks chunks = TokenChunks::of(*entry.header).value();
    Random random(7);
    for (int trial = 0; trial < 200; ++trial) {
      const int layer = static_cast<int>(random.below(2)), head = static_cast<int>(random.below(3)),
                chunk = static_cast<int>(random.below(static_cast<std::uint64_t>(chunks.count())));
      const ExtentKind kind = random.below(2) == 0 ? ExtentKind::keys : ExtentKind::values;
      const auto [begin, end] = chunks.range(layer, kind, head, {chunk, chunk + 1});
      const auto damaged = entry.damaged(begin + random.below(end - begin));
      for (int other = 0; other < chunks.count(); ++other) {
        const auto [from, to] = chunks.range(layer, kind, head, {other, other + 1});
        std::vector<std::byte> rows;
        const Status unpacked = chunks.unpack({other, other + 1}, std::span(*damaged).subspan(from, to - from), rows);
        QCOMPARE(unpacked.has_value(), other != chunk);
        if (!unpacked) QCOMPARE(unpacked.error().code, ErrorCode::corrupt);
      }
    }
    std::vector<std::byte> rows;
    const auto [begin, end] = chunks.range(0, ExtentKind::keys, 0, {0, 2});
    QVERIFY(!chunks.unpack({0, 2}, std::span(*entry.bytes).subspan(begin, end - begin - 1), rows));
  }

  void chunksOfTokensAreTheirRuns() {
    const RandomEntry entry = stored_in_chunks(16, 500);
    const TokenChunks chunks = TokenChunks::of(*entry.header).value();
    QCOMPARE(chunks.all(), (Run{0, 32}));
    Random random(3);
    for (int trial = 0; trial < 300; ++trial) {
      std::set<std::int32_t> drawn;
      for (std::uint64_t left = random.below(80) + 1; left > 0; --left)
        drawn.insert(static_cast<std::int32_t>(random.below(500)));
      const std::vector<std::int32_t> tokens(drawn.begin(), drawn.end());
      std::set<int> expected, covered;
      for (const std::int32_t token : tokens) expected.insert(token / 16);
      int before = -1;
      for (const Run run : chunks.runs_of(tokens)) {
        QVERIFY(run.first > before && run.last > run.first);  // neighbors are one run
        before = run.last;
        for (int chunk = run.first; chunk < run.last; ++chunk) covered.insert(chunk);
      }
      QVERIFY(covered == expected);
    }
    QVERIFY(chunks.runs_of({}).empty());
  }

  void otherEntriesAreRefused() {
    QCOMPARE(TokenChunks::of(*RandomEntry().header).error().code, ErrorCode::rejected_input);
    QCOMPARE(TokenChunks::of(*RandomEntry({.codec = "fp8"}).header).error().code, ErrorCode::rejected_input);
    const RandomEntry half({.kept = 0.5, .codec = "token_chunks"});
    QCOMPARE(TokenChunks::of(*half.header).error().code, ErrorCode::rejected_input);
    EntryHeader longer = *stored_in_chunks(16).header;
    longer.extents[1].bytes += 8;
    QCOMPARE(TokenChunks::of(longer).error().code, ErrorCode::corrupt);
  }
};

KV_TEST_GUILESS_MAIN(TokenChunksTest)

}  // namespace token_chunks_test

#include "token_chunks_test.moc"
