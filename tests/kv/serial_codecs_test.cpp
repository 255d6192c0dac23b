// links: kv_runtime
// Entries in the serial form whose rows a codec encoded: against the recoded cache, in size, and under damage.
#include <QtTest>
#include <cstring>

#include "core/base/random.h"
#include "core/kv/recode.h"
#include "core/kv/serial.h"
#include "tests/kv/codec_rows.h"
#include "tests/kv/serial_sample.h"
#include "tests/support/test_program.h"

namespace serial_codecs_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

const char* const some_codecs[] = {"fp8",      "kivi4", "kivi2(residual=16)", "kivi8(residual=0)",
                                   "cachegen", "zstd",  "kivi4+zstd"};

/// Rows as models make them, where random bytes would be NaN as often as not.
void make_sensible(KvCache& cache, std::uint64_t seed) {
  for (int l = 0; l < cache.shape().layers; ++l) {
    KeptIndices none(static_cast<std::size_t>(cache.shape().kv_heads));
    std::vector<std::vector<std::int32_t>> positions(none.size());
    for (int h = 0; h < cache.shape().kv_heads; ++h) {
      auto& list = positions[static_cast<std::size_t>(h)];
      list.resize(static_cast<std::size_t>(cache.kept(l, h)));
      cache.gather_head(l, h, nullptr, nullptr, list.data());
    }
    if (!cache.keep(l, none)) qFatal("keep");
    for (int h = 0; h < cache.shape().kv_heads; ++h) {
      const auto& list = positions[static_cast<std::size_t>(h)];
      const CodecRows rows{cache.shape(), l, ExtentKind::keys, static_cast<int>(list.size())};
      const auto keys = testing::channel_rows(rows, ++seed), values = testing::channel_rows(rows, ++seed);
      if (!cache.append_head(l, h, keys, values, list)) qFatal("append");
    }
  }
}

/// ... and the checksums of all extents.
void sign_extents(const EntryHeader& header, std::span<std::byte> entry) {
  std::size_t record = 32 + 4 * 8 + 3 * 4 + 4 * 4 + 3 * 4 + 5 * 8 + header.compression.method.size() +
                       header.compression.codec.size() + header.token_ids.size() * 4;
  for (const Extent& extent : header.extents) {
    const std::uint64_t sum = XXH3_64bits(entry.data() + extent.offset, extent.bytes);
    std::memcpy(entry.data() + record + 24, &sum, sizeof sum);
    record += 32;
  }
  sign(entry.first(header.header_bytes));
}

}  // namespace

class SerialCodecsTest : public QObject {
  Q_OBJECT

 private slots:
  void whatIsRestoredIsTheRecodedCache_data() {
    QTest::addColumn<QString>("codec");
    for (const char* codec : some_codecs) QTest::newRow(codec) << QString(codec);
  }
  void whatIsRestoredIsTheRecodedCache() {
    QFETCH(QString, codec);
    Random random(21);
    for (const int tokens : {1, 255, 700})
      for (const auto type : {KvType::bf16, KvType::fp32}) {
        Sample sample =
            make_sample({3, 2, 24, type}, tokens, (tokens + 1) / 2, tokens != 255, tokens == 255 ? 4 : 0, random);
        make_sensible(*sample.cache, 9);
        sample.header.compression.codec = codec.toStdString();
        const auto parsed_codec = parse_codec(sample.header.compression.codec).value();
        const auto queries = static_cast<std::size_t>(tokens == 255 ? 2 * 2 * 4 * 24 * 4 : 0);
        const std::uint64_t said =
            entry_bytes(*sample.cache, sample.header.compression.method.size(), *parsed_codec, queries).value();
        const auto entry = serialized(sample);
        QCOMPARE(std::uint64_t{entry.size()}, said);

        const auto parsed = parse_entry_header(entry);
        QVERIFY2(parsed.has_value(), parsed ? "" : parsed.error().message.c_str());
        QCOMPARE(parsed->compression.codec, parsed_codec->text());
        QVERIFY(parsed->key() == sample.header.key());
        KvCache restored(*sample.pool);
        QVERIFY(restore_all(*parsed, entry, true, restored).has_value());
        std::vector<std::uint64_t> layers;
        KvCache recoded = sample.cache->share();
        QVERIFY(recode(recoded, *parsed_codec, &layers).has_value());
        QVERIFY(same_contents(recoded, restored));
        QCOMPARE(recoded_entry_bytes(sample.cache->shape(), static_cast<std::size_t>(tokens),
                                     sample.header.compression.method.size(), *parsed_codec, layers, queries),
                 said);
        if (tokens == 700) QCOMPARE(same_contents(recoded, *sample.cache), codec == "zstd");
        if (queries > 0)
          QCOMPARE(restore_window_queries(*parsed, 1, range_of(entry, parsed->window_queries_range(1))).value(),
                   sample.queries.layers[1]);
      }
  }

  void bytesOfACodecAreCountedExactly() {
    // Held = stored = counted: payload by the codec's formula, the rest by the format's, no byte between.
    Random random(22);
    const KvShape shape{4, 2, 64, KvType::bf16};
    Sample sample = make_sample(shape, 1536, 1024, false, 0, random);
    make_sensible(*sample.cache, 3);
    for (const int bits : {8, 4, 2}) {
      sample.header.compression.codec = "kivi" + std::to_string(bits);
      const auto entry = serialized(sample);
      // Of 1024 kept rows per head the newest 128 values stay as held, and no key.
      const std::size_t rows = (1024 + 896) * 64 * static_cast<std::size_t>(bits + 1) / 8 + 128 * 64 * 2;
      const std::size_t layer = 2 * (1536 / 8 + 2 * 4 + rows);
      const std::size_t layers = 4 * ((layer + 4095) / 4096 * 4096);
      QCOMPARE(entry.size(), sample.header.header_bytes + layers);
      for (int l = 0; l < 4; ++l) {
        const auto extents = sample.header.layer_extents(l);
        QCOMPARE(extents.size(), std::size_t{2});
        QCOMPARE(extents[0].bytes + extents[1].bytes, std::uint64_t{layer});
      }
    }
    sample.header.compression.codec = "bf16";
    const auto plain = serialized(sample);
    QVERIFY(sample.header.compression.codec.empty());
    QCOMPARE(std::uint64_t{plain.size()},
             predicted_entry_bytes(shape, 1536, 1024, sample.header.compression.method.size()));
    QCOMPARE(entry_bytes(*sample.cache, sample.header.compression.method.size(), *parse_codec("bf16").value()).value(),
             std::uint64_t{plain.size()});
  }

  void aSignedEncodedEntryThatLiesNeverCrashesAReader() {
    // Every checksum right, header and layers not: anything but `corrupt` must be rows within the context.
    Random random(23);
    for (const char* codec : some_codecs) {
      Sample sample = make_sample({2, 2, 16, KvType::bf16}, 300, 100, true, 3, random);
      make_sensible(*sample.cache, 4);
      sample.header.compression.codec = codec;
      const auto entry = serialized(sample);
      int restored_some = 0, refused = 0;
      for (int round = 0; round < 3000; ++round) {
        auto damaged = entry;
        const bool in_header = round % 3 == 0;
        for (std::uint64_t changes = 1 + random.below(3); changes > 0; --changes) {
          const std::size_t at =
              in_header ? 8 + random.below(sample.header.header_bytes - 16)
                        : sample.header.header_bytes + random.below(damaged.size() - sample.header.header_bytes);
          damaged[at] = random.below(2) ? static_cast<std::byte>(random.next())
                                        : damaged[at] ^ static_cast<std::byte>(1U << random.below(8));
        }
        if (in_header) {
          sign(std::span(damaged).first(sample.header.header_bytes));
        } else {
          sign_extents(sample.header, damaged);
        }
        const auto parsed = parse_entry_header(damaged);
        if (!parsed) {
          QCOMPARE(parsed.error().code, ErrorCode::corrupt);
          ++refused;
          continue;
        }
        KvCache restored(*sample.pool);
        const Status status = restore_all(*parsed, damaged, !in_header, restored);
        if (!status) ++refused;
        if (status) ++restored_some;
        if (status) QVERIFY(restored.kept_rows() <= 2 * 2 * parsed->token_ids.size());
      }
      QVERIFY2(restored_some > 0 && refused > 0, codec);
    }
  }

  void anUnknownCodecIsRefusedBothWays() {
    Random random(24);
    Sample sample = make_sample({1, 2, 16, KvType::bf16}, 50, 30, false, 0, random);
    sample.header.compression.codec = "kivi5";
    QCOMPARE(serialize(*sample.cache, sample.header, nullptr).error().code, ErrorCode::usage);
    sample.header.compression.codec = "kivi4";
    auto entry = serialized(sample);
    const std::size_t name = 32 + 4 * 8 + 3 * 4 + 4 * 4 + 3 * 4 + 5 * 8 + sample.header.compression.method.size();
    QCOMPARE(entry[name + 4], std::byte{'4'});
    entry[name + 4] = std::byte{'5'};
    sign(std::span(entry).first(sample.header.header_bytes));
    QCOMPARE(parse_entry_header(entry).error().code, ErrorCode::corrupt);
  }
};

KV_TEST_GUILESS_MAIN(SerialCodecsTest)

}  // namespace serial_codecs_test

#include "serial_codecs_test.moc"
