// links: kv_runtime kv_gpu_emulated
// The references that kernels are compared with are core's own codecs and re-rotation: the same bytes, the same rows,
// the same bits.
#include <QtTest>
#include <cmath>
#include <cstring>
#include <vector>

#include "core/base/random.h"
#include "core/compress/rerotate.h"
#include "core/kv/codecs/codec.h"
#include "core/kv/codecs/kivi.h"

#undef slots  // Qt's word, and a member of the paged heads; Q_SLOTS says the same
#include "gpu/kernels/fp8.h"
#include "gpu/kernels/kivi.h"
#include "gpu/kernels/rerotate.h"

using namespace kvantage;

class ReferencesMatchCoreCodecsTest : public QObject {
  Q_OBJECT

  static std::span<const std::byte> bytes_of_rows(const std::vector<std::uint16_t>& rows) {
    return std::as_bytes(std::span(rows));
  }
  /// special: NaN, infinite, subnormal and beyond fp16 among them, and groups that are constant.
  static std::vector<std::uint16_t> random_rows(std::size_t elements, bool special, Random& random) {
    std::vector<std::uint16_t> rows(elements);
    for (std::uint16_t& number : rows) {
      number = gpu::narrowed(static_cast<float>(
          random.normal() * (special ? std::exp2(static_cast<double>(random.below(40)) - 30) : 1.0)));
      if (special && random.below(50) == 0) number = static_cast<std::uint16_t>(random.below(1 << 16));
    }
    if (special)
      for (std::size_t i = 0; i < elements / 4; ++i) rows[i] = i % 2 == 0 ? 0 : 0x8000;
    return rows;
  }

 private Q_SLOTS:
  void kivi_data() {
    QTest::addColumn<int>("bits");
    QTest::addColumn<bool>("keys");
    for (const int bits : {2, 4, 8})
      for (const bool keys : {true, false})
        QTest::addRow("%d bits, %s", bits, keys ? "keys" : "values") << bits << keys;
  }
  void kivi() {
    QFETCH(int, bits);
    QFETCH(bool, keys);
    Random random(static_cast<std::uint64_t>(bits));
    struct Shape {
      int residual, group, head_dim;
    };
    for (const Shape& shape : {Shape{128, 32, 128}, Shape{32, 32, 64}, Shape{0, 32, 32}, Shape{25, 16, 96},
                               Shape{10, 128, 64}, Shape{7, 20, 36}})
      for (const int count : {0, 1, 31, 32, 33, 129, 300})
        for (const bool special : {false, true}) {
          const gpu::KiviForm form{bits, shape.residual, shape.group, shape.head_dim, keys};
          const CodecRows rows{
              {1, 1, shape.head_dim, KvType::bf16}, 0, keys ? ExtentKind::keys : ExtentKind::values, count};
          const std::vector<std::uint16_t> data = random_rows(rows.elements(), special, random);
          std::vector<unsigned char> reference(gpu::kivi_layout(form, count).bytes());
          gpu::kivi_encode_reference(form, count, data.data(), reference.data());
          std::vector<std::uint16_t> reference_rows(data.size()), core_rows(data.size());
          QVERIFY(gpu::kivi_decode_reference(form, count, reference.data(), reference_rows.data()));
          for (const Isa isa : {Isa::portable, best_isa()}) {
            const auto codec = make_kivi({bits, shape.residual, shape.group}, isa);
            std::vector<std::byte> encoded;
            QVERIFY(codec->encode(rows, bytes_of_rows(data), encoded).has_value());
            QCOMPARE(encoded.size(), reference.size());
            QVERIFY2(encoded.empty() || std::memcmp(encoded.data(), reference.data(), reference.size()) == 0,
                     qPrintable(QString("%1 rows of %2").arg(count).arg(shape.head_dim)));
            QVERIFY(codec->decode(rows, encoded, std::as_writable_bytes(std::span(core_rows))).has_value());
            QVERIFY2(core_rows == reference_rows, qPrintable(QString("%1 rows of %2").arg(count).arg(shape.head_dim)));
            if (gpu::kivi_layout(form, count).groups == 0) continue;
            encoded[1] = std::byte{0x7c};  // an infinite scale
            reference[1] = 0x7c;
            QVERIFY(!codec->decode(rows, encoded, std::as_writable_bytes(std::span(core_rows))).has_value());
            QVERIFY(!gpu::kivi_decode_reference(form, count, reference.data(), core_rows.data()));
            gpu::kivi_encode_reference(form, count, data.data(), reference.data());
          }
        }
  }

  void fp8() {
    std::vector<std::uint16_t> all(1 << 16);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint16_t>(i);
    const auto codec = parse_codec("fp8").value();
    const CodecRows rows{{1, 1, 64, KvType::bf16}, 0, ExtentKind::keys, static_cast<int>(all.size() / 64)};
    std::vector<std::byte> encoded;
    QVERIFY(codec->encode(rows, bytes_of_rows(all), encoded).has_value());
    std::vector<std::uint8_t> reference(all.size());
    gpu::fp8_encode_reference(all.data(), all.size(), reference.data());
    QVERIFY(encoded.size() == reference.size() && std::memcmp(encoded.data(), reference.data(), reference.size()) == 0);
    // Every code there is.
    for (std::size_t i = 0; i < all.size(); ++i)
      reference[i] = static_cast<std::uint8_t>(i), encoded[i] = static_cast<std::byte>(i);
    std::vector<std::uint16_t> reference_rows(all.size()), core_rows(all.size());
    gpu::fp8_decode_reference(reference.data(), reference.size(), reference_rows.data());
    QVERIFY(codec->decode(rows, encoded, std::as_writable_bytes(std::span(core_rows))).has_value());
    QVERIFY(core_rows == reference_rows);
  }

  void rerotate() {
    Random random(3);
    for (const int head_dim : {32, 64, 128}) {
      const KvShape shape{2, 2, head_dim, KvType::bf16};
      BlockPool pool(shape, 32, std::size_t{16} << 20);
      KvCache cache(pool);
      std::vector<float> frequencies;
      for (int f = 0; f < head_dim / 2; ++f)
        frequencies.push_back(static_cast<float>(std::pow(500000.0, -2.0 * f / head_dim)));
      constexpr int kept = 77;
      std::vector<std::vector<std::uint16_t>> expected;
      std::vector<std::int32_t> to(kept);
      for (std::size_t i = 0; i < to.size(); ++i) to[i] = static_cast<std::int32_t>(i);
      for (int l = 0; l < shape.layers; ++l)
        for (int h = 0; h < shape.kv_heads; ++h) {
          std::vector<std::uint16_t>& keys =
              expected.emplace_back(random_rows(static_cast<std::size_t>(kept * head_dim), false, random));
          std::vector<std::int32_t> from(kept);
          for (std::size_t i = 0; i < from.size(); ++i)
            from[i] =
                i < 4 ? static_cast<std::int32_t>(i) : from[i - 1] + 1 + static_cast<std::int32_t>(random.below(50));
          QVERIFY(cache.append_head(l, h, bytes_of_rows(keys), bytes_of_rows(keys), from).has_value());
          gpu::rerotate_reference(keys.data(), kept, head_dim, frequencies.data(), head_dim / 2, from.data(),
                                  to.data());
        }
      const KvCache moved = rerotated(cache, frequencies).value();
      for (int l = 0; l < shape.layers; ++l)
        for (int h = 0; h < shape.kv_heads; ++h) {
          std::vector<std::uint16_t> keys(static_cast<std::size_t>(kept * head_dim));
          moved.gather_head(l, h, reinterpret_cast<std::byte*>(keys.data()), nullptr, nullptr);
          QVERIFY2(keys == expected[static_cast<std::size_t>(l * shape.kv_heads + h)],
                   qPrintable(QString("head_dim %1, layer %2, head %3").arg(head_dim).arg(l).arg(h)));
        }
    }
  }
};

QTEST_GUILESS_MAIN(ReferencesMatchCoreCodecsTest)
#include "references_match_core_codecs_test.moc"
