// links: kv_runtime
// KIVI's sizes, its newest rows, its errors, and its bytes on every instruction set.
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/base/random.h"
#include "core/kv/codecs/kivi.h"
#include "tests/kv/codec_rows.h"
#include "tests/support/test_program.h"

namespace kivi_test {

using namespace kvantage;
using namespace kvantage::testing;

namespace {

std::vector<Isa> present_isas() {
  std::vector<Isa> isas;
  for (const Isa isa : {Isa::portable, Isa::avx2, Isa::avx512, Isa::avx512bf16})
    if (isa <= best_isa()) isas.push_back(isa);
  return isas;
}

}  // namespace

class KiviTest : public QObject {
  Q_OBJECT

 private slots:
  void kiviTakesOneBitMoreThanItsBits() {
    // Whole groups of 32: b bits of code and 32 bits of scale and minimum for 32 elements.
    for (const int bits : {8, 4, 2})
      for (const auto kind : {ExtentKind::keys, ExtentKind::values}) {
        const auto codec = make_kivi({bits, 128, 32}, best_isa());
        for (const int count : {256, 300, 1024 + 77}) {
          const int newest = kind == ExtentKind::keys ? count % 128 : 128;
          const auto quantized = static_cast<std::uint64_t>((count - newest) * 64);
          QCOMPARE(codec->encoded_bytes(rows_of(64, count, kind)).value(),
                   quantized * static_cast<std::uint64_t>(bits + 1) / 8 + static_cast<std::uint64_t>(newest * 64 * 2));
        }
      }
  }

  void theNewestRowsStayAsHeld() {
    for (const auto kind : {ExtentKind::keys, ExtentKind::values})
      for (const int count : {5, 64, 100, 128, 130, 300}) {
        const CodecRows rows = rows_of(32, count, kind);
        const auto data = channel_rows(rows, 3);
        const auto back =
            decoded(*codec_of("kivi2(residual=64)"), rows, encoded(*codec_of("kivi2(residual=64)"), rows, data));
        const int newest = kind == ExtentKind::keys ? count % 64 : std::min(count, 64);
        QVERIFY(std::equal(data.end() - newest * 64, data.end(), back.end() - newest * 64));
        if (count > newest) QVERIFY(!std::equal(data.begin(), data.end() - newest * 64, back.begin()));
      }
  }

  void errorsAreAtMostHalfAStep_data() {
    QTest::addColumn<int>("bits");
    QTest::addColumn<bool>("wide");
    for (const int bits : {8, 4, 2})
      for (const bool wide : {false, true}) QTest::addRow("%d bits%s", bits, wide ? ", fp32" : "") << bits << wide;
  }
  void errorsAreAtMostHalfAStep() {
    QFETCH(int, bits);
    QFETCH(bool, wide);
    const KvType type = wide ? KvType::fp32 : KvType::bf16;
    const auto codec = make_kivi({bits, 0, 32}, best_isa());
    for (const auto kind : {ExtentKind::keys, ExtentKind::values}) {
      const CodecRows rows = rows_of(64, 96, kind, type);
      const auto data = channel_rows(rows, static_cast<std::uint64_t>(bits));
      const auto before = as_floats(data, type),
                 after = as_floats(decoded(*codec, rows, encoded(*codec, rows, data)), type);
      for (std::size_t t = 0; t < 96; ++t)
        for (std::size_t c = 0; c < 64; ++c) {
          float low = std::numeric_limits<float>::max(), high = -low;
          for (std::size_t i = 0; i < 32; ++i) {
            const float x =
                kind == ExtentKind::keys ? before[(t / 32 * 32 + i) * 64 + c] : before[t * 64 + c / 32 * 32 + i];
            low = std::min(low, x);
            high = std::max(high, x);
          }
          const float step = (high - low) / static_cast<float>((1 << bits) - 1);
          // fp16's own rounding of the scale, and the rounding of the result to bf16.
          const float slack = std::abs(low) / 1024 / static_cast<float>((1 << bits) - 1) + (high - low) / 1000 +
                              (wide ? 0.0F : std::max(std::abs(low), std::abs(high)) / 256);
          QVERIFY(std::abs(before[t * 64 + c] - after[t * 64 + c]) <= step / 2 + slack);
        }
    }
  }

  void everyInstructionSetMakesTheSameBytes() {
    std::uint64_t seed = 100;
    for (const int bits : {8, 4, 2})
      for (const int head_dim : {6, 16, 24, 32, 64, 96, 128, 160, 256})
        for (const int count : {1, 33, 65, 200})
          for (const auto type : {KvType::bf16, KvType::fp32})
            for (const auto kind : {ExtentKind::keys, ExtentKind::values})
              for (const bool wild : {false, true}) {
                const CodecRows rows = rows_of(head_dim, count, kind, type);
                auto data = channel_rows(rows, ++seed);
                Random random(seed);
                if (wild)  // any bit pattern there is: zeros of both signs, subnormals, infinities, NaN
                  for (auto& byte : data)
                    byte = static_cast<std::byte>(random.below(4) == 0 ? random.next() : 0x80 * random.below(2));
                const auto portable = make_kivi({bits, 0, 32}, Isa::portable);
                const auto bytes = encoded(*portable, rows, data);
                const auto back = decoded(*portable, rows, bytes);
                for (const Isa isa : present_isas()) {
                  const auto codec = make_kivi({bits, 0, 32}, isa);
                  QVERIFY2(encoded(*codec, rows, data) == bytes, to_string(isa));
                  QVERIFY2(decoded(*codec, rows, bytes) == back, to_string(isa));
                }
              }
  }

  void groupsOfEverySignAreTheSameBytes() {
    // Minimum and maximum come from the bits: of positive, negative and mixed groups, of zeros with either sign, and
    // next to what fp16 does not hold.
    std::uint64_t seed = 900;
    for (const auto kind : {ExtentKind::keys, ExtentKind::values})
      for (const int bits : {8, 4, 2})
        for (const int head_dim : {32, 64, 256})
          for (const int count : {1, 31, 32, 75}) {
            const CodecRows rows = rows_of(head_dim, count, kind);
            Random random(++seed);
            std::vector<float> numbers;
            for (std::size_t i = 0; i < rows.elements(); ++i) {
              const std::size_t channel = i % static_cast<std::size_t>(head_dim),
                                row = i / static_cast<std::size_t>(head_dim);
              // One pattern for a channel and a block of rows, so that groups of both kinds have one.
              const std::size_t pattern = (channel / 32 + row / 32 + (kind == ExtentKind::keys ? channel : row)) % 6;
              const double size = std::exp2(random.uniform() * 20 - 10), sign = random.below(2) == 0 ? -1.0 : 1.0;
              const double drawn[] = {
                  size, -size, sign * size, sign * 0.0, sign * (random.below(2) == 0 ? 0.0 : size), sign * 65280.0};
              numbers.push_back(static_cast<float>(drawn[pattern]));
            }
            const auto data = as_held(numbers, KvType::bf16);
            const auto portable = make_kivi({bits, 0, 32}, Isa::portable);
            const auto bytes = encoded(*portable, rows, data), back = decoded(*portable, rows, bytes);
            for (const Isa isa : present_isas()) {
              const auto codec = make_kivi({bits, 0, 32}, isa);
              QVERIFY2(encoded(*codec, rows, data) == bytes, to_string(isa));
              QVERIFY2(decoded(*codec, rows, bytes) == back, to_string(isa));
            }
          }
  }
};

KV_TEST_GUILESS_MAIN(KiviTest)

}  // namespace kivi_test

#include "kivi_test.moc"
