// links: kv_runtime
// A range of tokens of an entry, read alone: the rows that the whole entry gives there, verified by checksums of its
// own.
#include "core/kv/serial_chunk.h"

#include "tests/compress/random_context.h"
#include "tests/support/test_program.h"

namespace serial_chunk_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

constexpr KvShape shape{2, 3, 16, KvType::bf16};

struct Stored {
  RandomContext context{shape, 1100, 8};
  EntryHeader header;
  std::vector<std::byte> entry;

  explicit Stored(double removed_fraction) {
    if (!compress(context.cache, context.observed, *method_of(removed_fraction > 0 ? "adakv(knorm)" : "none"),
                  removed_fraction))
      qFatal("compress");
    header.token_ids.resize(1100, 5);
    header.compression.method = removed_fraction > 0 ? "adakv(knorm)" : "none";
    header.compression.removed_fraction = removed_fraction;
    entry = serialize(context.cache, header, nullptr).value();
  }
  std::span<const std::byte> bytes(int layer, int first, int last) const {
    const auto [begin, end] = chunk_range(header, layer, first, last);
    return std::span(entry).subspan(begin, end - begin);
  }
};

}  // namespace

class SerialChunkTest : public QObject {
  Q_OBJECT
 private slots:
  void rangesGiveTheRowsOfTheWhole() {
    for (const double removed : {0.0, 0.7}) {
      const Stored stored(removed);
      QCOMPARE(stored.header.chunks(), 5);
      // Every way to cut five chunks into ranges.
      for (unsigned cuts = 0; cuts < 16; ++cuts) {
        BlockPool pool(shape, 32, std::size_t{8} << 20);
        KvCache cache(pool);
        for (int layer = 0; layer < shape.layers; ++layer)
          for (int first = 0; first < 5;) {
            int last = first + 1;
            while (last < 5 && (cuts >> (last - 1) & 1U) == 0) ++last;
            const auto rows = read_chunks(stored.header, layer, first, last, stored.bytes(layer, first, last), true);
            QVERIFY2(rows.has_value(), rows ? "" : rows.error().message.c_str());
            QCOMPARE(rows->size(), static_cast<std::size_t>(last - first));
            QVERIFY(append_chunks(*rows, layer, cache).has_value());
            first = last;
          }
        for (int layer = 0; layer < shape.layers; ++layer)
          for (int h = 0; h < shape.kv_heads; ++h) {
            QVERIFY(bytes_of_head(cache, layer, h) == bytes_of_head(stored.context.cache, layer, h));
            std::vector<std::int32_t> ours(static_cast<std::size_t>(cache.kept(layer, h))), theirs(ours.size());
            cache.gather_head(layer, h, nullptr, nullptr, ours.data());
            stored.context.cache.gather_head(layer, h, nullptr, nullptr, theirs.data());
            QCOMPARE(ours, theirs);
          }
      }
    }
  }

  void rangesLieBehindEachOther() {
    const Stored stored(0.5);
    for (int layer = 0; layer < shape.layers; ++layer) {
      QCOMPARE(chunk_range(stored.header, layer, 0, 5).first, stored.header.layer_range(layer).first);
      for (int chunk = 0; chunk < 4; ++chunk)
        QCOMPARE(chunk_range(stored.header, layer, chunk, chunk + 1).second,
                 chunk_range(stored.header, layer, chunk + 1, chunk + 2).first);
      QVERIFY(chunk_range(stored.header, layer, 0, 5).second <= stored.header.layer_range(layer).second);
    }
    QVERIFY(chunk_extents(stored.header, 0, 4, 6).empty());
    QVERIFY(chunk_extents(stored.header, 2, 0, 1).empty());
  }

  void everyDamagedByteIsSeen() {
    const Stored stored(0.7);
    Random random(4);
    for (int round = 0; round < 500; ++round) {
      const int layer = static_cast<int>(random.below(2)), chunk = static_cast<int>(random.below(5));
      const auto bytes = stored.bytes(layer, chunk, chunk + 1);
      std::vector<std::byte> damaged(bytes.begin(), bytes.end());
      QVERIFY(read_chunks(stored.header, layer, chunk, chunk + 1, damaged, true).has_value());
      damaged[random.below(damaged.size())] ^= std::byte{1} << random.below(8);
      const auto rows = read_chunks(stored.header, layer, chunk, chunk + 1, damaged, true);
      QVERIFY(!rows.has_value());
      QCOMPARE(rows.error().code, ErrorCode::corrupt);
      QVERIFY(rows.error().message.find("; the entry is dropped") != std::string::npos);
    }
    QVERIFY(!read_chunks(stored.header, 0, 0, 2, stored.bytes(0, 0, 1), true).has_value());  // cut short
  }
};

KV_TEST_GUILESS_MAIN(SerialChunkTest)

}  // namespace serial_chunk_test

#include "serial_chunk_test.moc"
