// links: kv_runtime
// Entries that hold layer inputs in place of the keys and values of their first tokens: layout, sizes, and what damaged
// or forged bytes lead to. tests/kvpr/stored_inputs_test.cpp restores them with a model.
#include "core/kv/serial_inputs.h"

#include <xxhash.h>

#include <QtTest>

#include <cstring>

#include "core/base/random.h"
#include "tests/kv/inputs_sample.h"
#include "tests/support/test_program.h"

namespace serial_inputs_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

constexpr int chunk = inputs_chunk;
constexpr KvShape shape = inputs_shape;
using Stored = StoredInputs;

}  // namespace

class SerialInputsTest : public QObject {
  Q_OBJECT

 private slots:
  void theFrontIsWholeChunks() {
    QCOMPARE(tokens_as_inputs(1, 200, chunk), 200);
    QCOMPARE(tokens_as_inputs(0.5, 200, chunk), 64);
    QCOMPARE(tokens_as_inputs(0.5, 256, chunk), 128);
    QCOMPARE(tokens_as_inputs(0.5, 100, chunk), 0);
    QCOMPARE(tokens_as_inputs(0, 200, chunk), 0);
    QCOMPARE(tokens_as_inputs(0.5, 200, 0), 0);
  }

  void rowsAndSizesAreThoseWritten_data() {
    QTest::addColumn<int>("tokens");
    QTest::addColumn<double>("share");
    for (const int tokens : {1, 63, 64, 200, 513})
      for (const double share : {1.0, 0.5, 0.25}) QTest::addRow("%d, %g", tokens, share) << tokens << share;
  }
  void rowsAndSizesAreThoseWritten() {
    QFETCH(int, tokens);
    QFETCH(double, share);
    const std::string codec = share == 1 ? "layer_inputs" : "layer_inputs(share=" + std::to_string(share) + ")";
    const Stored stored(tokens, parse_codec(codec).value()->text());
    const int front = tokens_as_inputs(share, static_cast<std::size_t>(tokens), chunk);
    QCOMPARE(stored.bytes.size(),
             inputs_entry_bytes(
                 shape, static_cast<std::size_t>(tokens), front, stored.inputs.row_bytes(),
                 stored.sample.header.compression.method.size() + stored.sample.header.compression.codec.size()));
    const auto parsed = parse_entry_header(stored.bytes);
    QVERIFY2(parsed.has_value(), parsed ? "" : parsed.error().message.c_str());
    QVERIFY(parsed->holds_layer_inputs() && parsed->key() == stored.sample.header.key());
    QVERIFY(header_block(*parsed) ==
            std::vector<std::byte>(stored.bytes.begin(),
                                   stored.bytes.begin() + static_cast<std::ptrdiff_t>(parsed->header_bytes)));
    const std::size_t row = shape.bytes_per_row();
    std::vector<std::byte> keys(row * static_cast<std::size_t>(tokens)), values(keys.size());
    for (int layer = 0; layer < shape.layers; ++layer) {
      const auto read = read_inputs_layer(*parsed, layer, stored.layer(layer), true);
      QVERIFY2(read.has_value(), read ? "" : read.error().message.c_str());
      QCOMPARE(read->input_tokens, front);
      QCOMPARE(read->input_row_bytes, stored.inputs.row_bytes());
      QVERIFY(std::ranges::equal(read->inputs, stored.inputs.rows(layer, 0, front)));
      const std::size_t rest = row * static_cast<std::size_t>(tokens - front);
      for (int head = 0; head < shape.kv_heads; ++head) {
        stored.sample.cache->gather_head(layer, head, keys.data(), values.data(), nullptr);
        const std::size_t at = rest * static_cast<std::size_t>(head);
        QVERIFY(std::ranges::equal(read->keys.subspan(at, rest), std::span(keys).last(rest)));
        QVERIFY(std::ranges::equal(read->values.subspan(at, rest), std::span(values).last(rest)));
      }
    }
  }

  // Whoever has no model does not take inputs for rows.
  void withoutAModelNothingIsRestored() {
    const Stored stored;
    KvCache cache(*stored.sample.pool);
    const Status restored = restore_layer(stored.sample.header, 0, stored.layer(0), true, cache);
    QVERIFY(!restored && restored.error().code == ErrorCode::internal);
    QCOMPARE(cache.kept_rows(), std::size_t{0});
    EntryHeader header = stored.sample.header;
    QVERIFY(!serialize(*stored.sample.cache, header, nullptr));
    QVERIFY(!read_inputs_layer(stored.sample.header, 0, stored.layer(0).first(4096), true));
  }

  void onlyACacheOfAllTokensIsStoredSo() {
    Random random(9);
    Sample sample = make_sample(shape, 200, 120, false, 0, random);
    const RandomInputs inputs(200, 96, random);
    sample.header.compression = {.method = "layer_inputs", .codec = "layer_inputs", .removed_fraction = 0};
    QVERIFY(!serialize(*sample.cache, sample.header, nullptr, &inputs));
    Sample whole = make_sample(shape, 200, 200, false, 0, random);
    whole.header.compression = sample.header.compression;
    const RandomInputs few(128, 96, random);
    QVERIFY(!serialize(*whole.cache, whole.header, nullptr, &few));
  }

  void everyFlippedBitIsFound() {
    Stored stored(100);
    Random random(3);
    for (const Extent& extent : stored.sample.header.extents)
      for (int flip = 0; flip < 200 && extent.bytes > 0; ++flip) {
        const std::size_t at = extent.offset + random.below(extent.bytes);
        const auto bit = std::byte{1} << random.below(8);
        stored.bytes[at] ^= bit;
        const auto read = read_inputs_layer(stored.sample.header, extent.layer, stored.layer(extent.layer), true);
        QVERIFY(!read && read.error().code == ErrorCode::corrupt);
        stored.bytes[at] ^= bit;
      }
  }

  void forgedCountsAreRefused_data() {
    QTest::addColumn<int>("at");
    QTest::addColumn<uint>("value");
    for (const uint value : {0U, 63U, 65U, 128U, 200U, 201U, 0xffffffffU})
      QTest::addRow("%u inputs", value) << 0 << value;
    for (const uint value : {0U, 95U, 97U, 0x80000000U, 0xffffffffU}) QTest::addRow("%u bytes", value) << 4 << value;
  }
  void forgedCountsAreRefused() {
    QFETCH(int, at);
    QFETCH(uint, value);
    Stored stored;
    const auto read = stored.forged(static_cast<std::size_t>(at), value);
    QVERIFY(!read && read.error().code == ErrorCode::corrupt);
  }

  void theCodecStandsAlone() {
    for (const char* text :
         {"layer_inputs+zstd", "kivi4+layer_inputs", "layer_inputs(share=0)", "layer_inputs(share=2)"})
      QVERIFY2(!parse_codec(text), text);
    QCOMPARE(parse_codec("layer_inputs(share=0.25)").value()->layer_input_share(), 0.25);
    QCOMPARE(parse_codec("layer_inputs").value()->layer_input_share(), 1.0);
  }
};

KV_TEST_GUILESS_MAIN(SerialInputsTest)

}  // namespace serial_inputs_test

#include "serial_inputs_test.moc"
