// links: kv_runtime
// e4m3's kernels of every instruction set that runs here against a search among all of e4m3's numbers: every bf16
// number there is, drawn floats and those in the middle between two codes, any count and any place in memory.
#include <QtTest>
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include "core/base/random.h"
#include "core/kv/codecs/codec.h"
#include "core/kv/codecs/fp8_kernels.h"
#include "tests/support/test_program.h"

namespace fp8_kernels_test {

using namespace kvantage;

namespace {

/// The number of a code below 0x7f: a fraction of three bits, exponent 0 for the multiples of 2^-9 below 2^-6.
double number_of(unsigned code) {
  const unsigned exponent = code >> 3, fraction = code & 7U;
  return exponent == 0 ? std::ldexp(fraction, -9) : std::ldexp(8 + fraction, static_cast<int>(exponent) - 10);
}

const std::vector<double>& all_numbers() {
  static const std::vector<double> numbers = [] {
    std::vector<double> list;
    for (unsigned code = 0; code < 0x7f; ++code) list.push_back(number_of(code));
    return list;
  }();
  return numbers;
}

/// The nearest code, of two as near the even one; beyond 448 the highest.
std::byte nearest(float value) {
  const unsigned sign = std::signbit(value) ? 0x80U : 0U;
  if (std::isnan(value)) return std::byte(sign | 0x7fU);
  const double magnitude = std::abs(static_cast<double>(value));
  const auto& numbers = all_numbers();
  const auto above = std::ranges::upper_bound(numbers, magnitude);
  if (above == numbers.end()) return std::byte(sign | 0x7eU);
  const auto code = static_cast<unsigned>(above - numbers.begin()) - 1;
  const double down = magnitude - numbers[code], up = *above - magnitude;
  return std::byte(sign | (up < down || (up == down && code % 2 == 1) ? code + 1 : code));
}

std::vector<std::byte> every_bf16() {
  std::vector<std::byte> all(65536 * sizeof(Bf16));
  for (unsigned bits = 0; bits < 65536; ++bits) store_u16(&all[bits * sizeof(Bf16)], static_cast<std::uint16_t>(bits));
  return all;
}

/// Any bits; and for each two neighboring codes the number in the middle and its neighbors.
std::vector<float> floats() {
  Random random(4);
  std::vector<float> list;
  for (int i = 0; i < 200000; ++i) {
    const auto bits = static_cast<std::uint32_t>(random.next());
    list.push_back(std::bit_cast<float>(i % 2 == 0 ? bits : (bits & 0x87ffffffU) | 0x38000000U));
  }
  const auto& numbers = all_numbers();
  for (std::size_t code = 0; code + 1 < numbers.size(); ++code) {
    const auto middle = static_cast<float>((numbers[code] + numbers[code + 1]) / 2);
    for (const float sign : {1.0F, -1.0F})
      for (const float number : {std::nextafter(middle, 0.0F), middle, std::nextafter(middle, 1e9F)})
        list.push_back(sign * number);
  }
  return list;
}

}  // namespace

class Fp8KernelsTest : public QObject {
  Q_OBJECT

  static const Fp8Kernels& table(bool is_bf16) {
    QFETCH_GLOBAL(int, isa);
    return fp8_kernels(is_bf16, static_cast<Isa>(isa));
  }

 private slots:
  void initTestCase_data() {
    QTest::addColumn<int>("isa");
    for (int isa = 0; isa <= static_cast<int>(best_isa()); ++isa)
      QTest::newRow(to_string(static_cast<Isa>(isa))) << isa;
  }

  void everyBf16NumberGetsTheNearestCode() {
    const auto all = every_bf16();
    std::vector<std::byte> codes(65536);
    table(true).encode(all.data(), codes.size(), codes.data());
    for (std::size_t i = 0; i < codes.size(); ++i) {
      const std::byte expected = nearest(load_element<Bf16>(all.data(), i));
      QVERIFY2(codes[i] == expected, qPrintable(QString("bf16 %1: %2, not %3")
                                                    .arg(i, 4, 16)
                                                    .arg(static_cast<int>(codes[i]), 2, 16)
                                                    .arg(static_cast<int>(expected), 2, 16)));
    }
  }

  void everyFloatGetsTheNearestCode() {
    const auto list = floats();
    std::vector<std::byte> codes(list.size());
    table(false).encode(reinterpret_cast<const std::byte*>(list.data()), list.size(), codes.data());
    for (std::size_t i = 0; i < list.size(); ++i)
      QVERIFY2(codes[i] == nearest(list[i]), qPrintable(QString::number(static_cast<double>(list[i]), 'g', 9)));
  }

  void everyCodeIsItsNumber() {
    std::vector<std::byte> codes(256);
    for (unsigned code = 0; code < 256; ++code) codes[code] = std::byte(code);
    std::vector<std::byte> halves(256 * sizeof(Bf16)), wide(256 * sizeof(float));
    table(true).decode(codes.data(), 256, halves.data());
    table(false).decode(codes.data(), 256, wide.data());
    for (unsigned code = 0; code < 256; ++code)
      for (const float number : {load_element<Bf16>(halves.data(), code), load_element<float>(wide.data(), code)}) {
        QCOMPARE(std::signbit(number), code >= 0x80);
        if ((code & 0x7fU) == 0x7fU) {
          QVERIFY(std::isnan(number));
        } else {
          QVERIFY(std::abs(static_cast<double>(number)) == number_of(code & 0x7fU));
        }
      }
    std::vector<std::byte> portable(halves.size());
    fp8_kernels(true, Isa::portable).decode(codes.data(), 256, portable.data());
    QVERIFY(halves == portable);  // the bits of NaN, too
  }

  // Rows of head dimensions 32 to 256 in odd numbers, and any count, from any address: nothing else is read or written.
  void anyCountAtAnyPlace() {
    Random random(9);
    std::vector<std::size_t> counts{0, 1, 31, 32, 33, 63, 64, 65};
    for (const std::size_t head_dim : {32, 48, 64, 80, 96, 128, 160, 256})
      for (const std::size_t rows : {1, 3, 17}) counts.push_back(head_dim * rows);
    for (int i = 0; i < 50; ++i) counts.push_back(random.below(700));
    for (const bool is_bf16 : {true, false})
      for (const std::size_t count : counts) {
        const std::size_t size = is_bf16 ? sizeof(Bf16) : sizeof(float), shift = random.below(4);
        // Exactly as long as the elements are: a byte read behind them is outside the allocation.
        std::vector<std::byte> data(shift + count * size), codes(count + 2, std::byte{0x5a});
        for (std::byte& byte : data) byte = static_cast<std::byte>(random.next());
        table(is_bf16).encode(data.data() + shift, count, codes.data() + 1);
        QCOMPARE(codes.front(), std::byte{0x5a});
        QCOMPARE(codes.back(), std::byte{0x5a});
        for (std::size_t i = 0; i < count; ++i)
          QCOMPARE(codes[i + 1], nearest(is_bf16 ? load_element<Bf16>(data.data() + shift, i)
                                                 : load_element<float>(data.data() + shift, i)));
        const std::vector<std::byte> exact(codes.begin() + 1, codes.end() - 1);
        std::vector<std::byte> back(shift + count * size + 1, std::byte{0x5a});
        table(is_bf16).decode(exact.data(), count, back.data() + shift);
        QCOMPARE(back.back(), std::byte{0x5a});
        QVERIFY(shift == 0 || back[shift - 1] == std::byte{0x5a});
        for (std::size_t i = 0; i < count; ++i) {
          const float number =
              is_bf16 ? load_element<Bf16>(back.data() + shift, i) : load_element<float>(back.data() + shift, i);
          QCOMPARE(nearest(number), exact[i]);  // a number of e4m3 is its own nearest
        }
      }
  }

  void encodingAppendsAndGrows() {
    // More elements than are written at once, behind what is there; the codec itself runs on the best set.
    const auto codec = parse_codec("fp8").value();
    const CodecRows rows{{1, 1, 64, KvType::bf16}, 0, ExtentKind::keys, 1024};  // as many elements as bf16 numbers
    const auto all = every_bf16();
    std::vector<std::byte> out{std::byte{9}};
    for (int turn = 0; turn < 3; ++turn) QVERIFY(codec->encode(rows, all, out).has_value());
    QCOMPARE(out.size(), std::size_t{1} + 3 * 65536);
    QCOMPARE(out.front(), std::byte{9});
    for (std::size_t i = 0; i < 3 * 65536; ++i)
      QCOMPARE(out[i + 1], nearest(load_element<Bf16>(all.data(), i % 65536)));
  }
};

KV_TEST_GUILESS_MAIN(Fp8KernelsTest)

}  // namespace fp8_kernels_test

#include "fp8_kernels_test.moc"
