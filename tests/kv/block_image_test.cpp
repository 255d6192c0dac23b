// links: core_kv
// Entries in blocks of a device: every row where the block's form has it, and from the blocks the entry's bytes again.
#include "core/kv/block_image.h"

#include <QtTest>

#include "tests/kv/block_form.h"
#include "tests/kv/plain_cache.h"
#include "tests/kv/serial_sample.h"
#include "tests/support/test_program.h"

namespace block_image_test {

using namespace kvantage;
using namespace kvantage::test;

constexpr KvShape shape{3, 2, 32, KvType::bf16};

/// The rows of one head, row by row out of its blocks; what no row takes must be zero.
PlainHead rows_in(const std::vector<std::byte>& blocks, std::size_t first, int kept, const CacheBlockForm& form) {
  const std::size_t row = static_cast<std::size_t>(form.head_dim) * 2;
  PlainHead head;
  std::vector<std::byte> rest = blocks;
  for (int token = 0; token < kept; ++token) {
    const std::size_t block = (first + static_cast<std::size_t>(token / form.block_tokens)) * form.block_bytes,
                      slot = static_cast<std::size_t>(token % form.block_tokens);
    const std::size_t key = block + slot * row, value = block + form.values_at + slot * row,
                      position = block + form.positions_at + slot * sizeof(std::int32_t);
    const auto bytes_at = [&](std::size_t at, std::size_t count) {
      std::vector<std::byte> bytes(count);
      std::memcpy(bytes.data(), blocks.data() + at, count);
      std::memset(rest.data() + at, 0, count);
      return bytes;
    };
    for (const auto& [at, plane] : {std::pair{key, &head.keys}, std::pair{value, &head.values}}) {
      const auto bytes = bytes_at(at, row);
      plane->insert(plane->end(), bytes.begin(), bytes.end());
    }
    std::int32_t number = 0;
    std::memcpy(&number, bytes_at(position, sizeof number).data(), sizeof number);
    head.positions.push_back(number);
  }
  const std::size_t count = static_cast<std::size_t>((kept + form.block_tokens - 1) / form.block_tokens);
  const auto begin = rest.begin() + static_cast<std::ptrdiff_t>(first * form.block_bytes);
  const bool zero = std::all_of(begin, begin + static_cast<std::ptrdiff_t>(count * form.block_bytes),
                                [](std::byte byte) { return byte == std::byte{0}; });
  if (!zero) head.positions.push_back(-1);
  return head;
}

/// A random entry and how its rows lie in blocks.
struct EntryInBlocks {
  Sample sample;
  std::vector<std::byte> entry;
  BlockImage image;

  EntryInBlocks(int tokens, int kept, bool ragged, int block_tokens, Random& random)
      : sample(make_sample(shape, tokens, kept, ragged, 0, random)),
        entry(serialized(sample)),
        image(BlockImage::of(entry, block_form(shape.head_dim, block_tokens)).value()) {}

  std::vector<std::byte> blocks_of(int layer) const { return image.layer_blocks(layer, entry).value(); }
  bool has(int layer, const std::vector<std::byte>& bytes) const {
    return std::ranges::equal(bytes, range_of(entry, sample.header.layer_range(layer)));
  }
};

class BlockImageTest : public QObject {
  Q_OBJECT

 private slots:
  void everyRowIsInItsPlaceAndTheBytesComeAgain_data() {
    QTest::addColumn<int>("tokens");
    QTest::addColumn<int>("kept");
    QTest::addColumn<bool>("ragged");
    for (const int tokens : {1, 255, 256, 257, 700}) {
      QTest::addRow("%d tokens, all kept", tokens) << tokens << tokens << false;
      QTest::addRow("%d tokens, none kept", tokens) << tokens << 0 << false;
      QTest::addRow("%d tokens, ragged heads", tokens) << tokens << 0 << true;
    }
  }
  void everyRowIsInItsPlaceAndTheBytesComeAgain() {
    QFETCH(int, tokens);
    QFETCH(int, kept);
    QFETCH(bool, ragged);
    Random random(static_cast<std::uint64_t>(tokens) + 7);
    for (const int block_tokens : {4, 16, 32}) {
      Sample sample = make_sample(shape, tokens, kept, ragged, 0, random);
      const auto entry = serialized(sample);
      const CacheBlockForm form = block_form(shape.head_dim, block_tokens);
      const auto image = BlockImage::of(entry, form);
      QVERIFY(image.has_value());
      QVERIFY(image->header().key() == sample.header.key());
      std::size_t all = 0;
      for (int layer = 0; layer < shape.layers; ++layer) {
        const auto blocks = image->layer_blocks(layer, entry);
        QVERIFY(blocks.has_value());
        QCOMPARE(blocks->size(), image->blocks(layer) * form.block_bytes);
        QCOMPARE(image->first_block(layer), all);
        std::size_t first = 0;
        for (int head = 0; head < shape.kv_heads; ++head) {
          const int rows = sample.cache->kept(layer, head);
          QCOMPARE(image->kept()[static_cast<std::size_t>(layer * shape.kv_heads + head)], rows);
          QVERIFY(rows_in(*blocks, first, rows, form) == contents(*sample.cache, layer, head));
          first += static_cast<std::size_t>((rows + block_tokens - 1) / block_tokens);
        }
        QCOMPARE(image->blocks(layer), first);
        all += first;
        const auto bytes = image->layer_bytes(layer, *blocks);
        QVERIFY(bytes.has_value());
        QVERIFY(std::ranges::equal(*bytes, range_of(entry, sample.header.layer_range(layer))));
      }
      QCOMPARE(image->blocks(), all);
    }
  }

  void aChangedRowIsNoEntry() {
    Random random(5);
    const EntryInBlocks made(600, 333, false, 16, random);
    for (int layer = 0; layer < shape.layers; ++layer) {
      const auto blocks = made.blocks_of(layer);
      std::size_t found = 0, tried = 0;
      for (std::size_t at = 0; at < blocks.size(); at += 1 + random.below(300)) {
        auto changed = blocks;
        changed[at] ^= std::byte{0x41};
        const auto bytes = made.image.layer_bytes(layer, changed);
        ++tried;
        if (bytes) {  // only where no row is
          QVERIFY(made.has(layer, *bytes));
          continue;
        }
        QVERIFY(bytes.error().code == ErrorCode::corrupt);
        ++found;
      }
      QVERIFY(tried > 50 && found > tried / 2);
    }
  }

  /// Positions of any kind, in any order, and blocks of another number.
  void whateverTheBlocksHoldNothingElseIsTouched() {
    Random random(6);
    const EntryInBlocks made(520, 0, true, 16, random);
    const CacheBlockForm& form = made.image.form();
    const auto written = made.blocks_of(0);
    QVERIFY(!written.empty());
    for (int round = 0; round < 200; ++round) {
      auto blocks = written;
      for (std::size_t block = 0; block < made.image.blocks(0); ++block)
        for (int slot = 0; slot < form.block_tokens; ++slot) {
          if (random.below(4) != 0) continue;
          const auto position = static_cast<std::int32_t>(random.next() % 1200) - 300;
          std::memcpy(blocks.data() + block * form.block_bytes + form.positions_at +
                          static_cast<std::size_t>(slot) * sizeof position,
                      &position, sizeof position);
        }
      if (const auto bytes = made.image.layer_bytes(0, blocks)) QVERIFY(made.has(0, *bytes));
      blocks.resize(random.below(blocks.size()));
      QVERIFY(!made.image.layer_bytes(0, blocks));
    }
  }

  void aDamagedEntryIsNotPutIntoBlocks() {
    Random random(8);
    EntryInBlocks made(300, 200, false, 32, random);
    const auto [begin, end] = made.sample.header.layer_range(1);
    made.entry[begin + shape.kv_heads * 32 + 5] ^= std::byte{1};  // behind the bitmaps
    QVERIFY(end > begin);
    QVERIFY(made.image.layer_blocks(0, made.entry).has_value());
    const auto blocks = made.image.layer_blocks(1, made.entry);
    QVERIFY(!blocks);
    QVERIFY(blocks.error().code == ErrorCode::corrupt);
  }

  void otherBytesStayBytes() {
    Random random(9);
    const CacheBlockForm form = block_form(shape.head_dim, 32);
    Sample plain = make_sample(shape, 300, 100, false, 0, random),
           windowed = make_sample(shape, 300, 100, false, 8, random),
           wide = make_sample({3, 2, 32, KvType::fp32}, 300, 100, false, 0, random),
           encoded = make_sample(shape, 300, 100, false, 0, random);
    encoded.header.compression.codec = "kivi4";
    auto entry = serialized(plain);
    QVERIFY(BlockImage::of(entry, form));
    QVERIFY(!BlockImage::of(entry, block_form(64, 32)));
    QVERIFY(!BlockImage::of(serialized(windowed), form));
    QVERIFY(!BlockImage::of(serialized(wide), form));
    QVERIFY(!BlockImage::of(serialized(encoded), form));
    QVERIFY(!BlockImage::of(std::span(entry).first(entry.size() - 4096), form));
    QVERIFY(!BlockImage::of({}, form));
    entry[100] ^= std::byte{1};
    QVERIFY(!BlockImage::of(entry, form));
    QVERIFY(!BlockImage::of(random_bytes(random, 20000), form));
  }
};

KV_TEST_GUILESS_MAIN(BlockImageTest)

}  // namespace block_image_test

#include "block_image_test.moc"
