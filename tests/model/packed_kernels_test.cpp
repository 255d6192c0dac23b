// links: core_model_kernels
// Products with packed weights against plain double-precision arithmetic after ggml's definitions, for every
// instruction set that runs here. No libtorch: this test also runs under `qemu-x86_64 -cpu Haswell`.
#include "tests/model/packed_blocks.h"

#include <limits>

#include "tests/model/kernel_rows.h"
#include "tests/support/test_program.h"

namespace packed_kernels_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

bool equal_bits(std::span<const float> a, std::span<const float> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

int tiles_in(const PackedMatrix& matrix) { return (matrix.rows + packed_tile - 1) / packed_tile; }

std::vector<std::byte> rounded_inputs(Isa isa, const PackedMatrix& matrix, const void* input, Element element,
                                      int count) {
  std::vector<std::byte> panels(packed_input_bytes(matrix.type, matrix.columns, count));
  PackedInput job{.type = matrix.type,
                  .columns = matrix.columns,
                  .input = input,
                  .element = element,
                  .stride = matrix.columns,
                  .first = 0,
                  .last = std::min(count, 8),
                  .panels = panels.data()};
  packed_kernels(isa).round_inputs(job);  // in two parts
  job.first = job.last;
  job.last = count;
  if (job.first < job.last) packed_kernels(isa).round_inputs(job);
  return panels;
}

/// Outputs [count, rows], tile by tile where `apart`.
std::vector<float> products_of(Isa isa, const PackedMatrix& matrix, std::span<const float> input, const float* bias,
                               bool apart = false) {
  const int count = static_cast<int>(input.size()) / matrix.columns;
  const auto panels = rounded_inputs(isa, matrix, input.data(), Element::fp32, count);
  std::vector<float> output(static_cast<std::size_t>(count * matrix.rows));
  PackedProduct job{.matrix = matrix,
                    .first_tile = 0,
                    .last_tile = tiles_in(matrix),
                    .panels = panels.data(),
                    .tokens = count,
                    .bias = bias,
                    .output = output.data(),
                    .output_stride = matrix.rows,
                    .element = Element::fp32};
  for (int tile = 0; apart && tile < tiles_in(matrix); ++tile) {
    job.first_tile = tile;
    job.last_tile = tile + 1;
    packed_kernels(isa).multiply(job);
  }
  if (!apart) packed_kernels(isa).multiply(job);
  return output;
}

}  // namespace

class PackedKernelsTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() { qInfo("best instruction set here: %s", to_string(best_isa())); }
  void initTestCase_data() { isa_rows(); }

  void typesAreKnownByNameAndWholeBlocks() {
    QVERIFY(packed_type("Q4_0", 32) == PackedType::q4_0);
    QVERIFY(packed_type("Q5_0", 896) == PackedType::q5_0);
    QVERIFY(packed_type("Q4_K", 512) == PackedType::q4_k);
    QVERIFY(packed_type("Q6_K", 256) == PackedType::q6_k);
    QVERIFY(!packed_type("Q4_K", 896) && !packed_type("Q4_0", 33) && !packed_type("Q4_0", 0) &&
            !packed_type("Q8_0", 32));
    // No more bytes than the file has, but for rows up to a whole tile and tiles up to 64 bytes.
    QCOMPARE(packed_bytes(PackedType::q4_0, 32, 64), std::size_t{32 * 2 * 18});
    QCOMPARE(packed_bytes(PackedType::q4_0, 17, 32), std::size_t{2 * 320});
    QCOMPARE(packed_bytes(PackedType::q5_0, 16, 64), std::size_t{16 * 2 * 22});
    QCOMPARE(packed_bytes(PackedType::q4_k, 48, 256), std::size_t{48 * 144});
    QCOMPARE(packed_bytes(PackedType::q6_k, 16, 512), std::size_t{16 * 2 * 210});
  }

  void halfPrecisionIsExact() {
    const auto same = [](float a, float b) { return equal_bits({&a, 1}, {&b, 1}); };
    QVERIFY(same(model_kernels::from_half(0x3c00), 1.0F) && same(model_kernels::from_half(0xc580), -5.5F));
    QVERIFY(same(model_kernels::from_half(0x0001), 0x1p-24F) && same(model_kernels::from_half(0x7bff), 65504.0F));
    QVERIFY(std::isinf(model_kernels::from_half(0xfc00)) && std::isnan(model_kernels::from_half(0x7e00)));
    for (unsigned bits = 0; bits + 1 < 0x7c00U; ++bits) {  // every finite one, and what is between it and the next
      const float number = model_kernels::from_half(static_cast<std::uint16_t>(bits)),
                  next = model_kernels::from_half(static_cast<std::uint16_t>(bits + 1)),
                  middle = number + (next - number) / 2;
      const bool kept = same(rounded_to_half(number), number),
                 even = same(rounded_to_half(middle), bits % 2 == 0 ? number : next),
                 above = same(rounded_to_half(std::nextafter(middle, 1e9F)), next),
                 below = same(rounded_to_half(std::nextafter(middle, 0.0F)), number);
      QVERIFY2(kept && even && above && below, qPrintable(QString::number(bits, 16)));
    }
    QVERIFY(std::isnan(rounded_to_half(std::numeric_limits<float>::quiet_NaN())));
  }

  void rowsComeOutAsTheyWentIn() {
    for (const PackedType type : packed_all) {
      const DrawnMatrix drawn(type, 19, 512, 3);
      std::vector<float> numbers(512);
      for (int row = 0; row < 19; ++row) {
        unpack_row(drawn.matrix, row, numbers.data());
        const auto& wanted = drawn.numbers[static_cast<std::size_t>(row)];
        for (std::size_t i = 0; i < numbers.size(); ++i)
          QVERIFY(std::abs(static_cast<double>(numbers[i]) - wanted[i]) <= 1e-6 * std::abs(wanted[i]) + 1e-7);
      }
    }
  }

  void productsAgreeWithDoublePrecision() {
    for (const PackedType type : packed_all)
      for (const int columns : {256, 768, type < PackedType::q4_k ? 416 : 1024}) {
        const int rows = 37, count = 23;
        const DrawnMatrix drawn(type, rows, columns, 5);
        const auto input = normals(static_cast<std::size_t>(count * columns), 6),
                   bias = normals(static_cast<std::size_t>(rows), 7);
        const auto output = products_of(isa_of_row(), drawn.matrix, input, bias.data());
        for (int t = 0; t < count; ++t) {
          const auto x = plain_rounded(
              type, std::span(input).subspan(static_cast<std::size_t>(t * columns), static_cast<std::size_t>(columns)));
          for (int r = 0; r < rows; ++r) {
            const auto& weights = drawn.numbers[static_cast<std::size_t>(r)];
            double want = static_cast<double>(bias[static_cast<std::size_t>(r)]), size = std::abs(want);
            for (std::size_t c = 0; c < x.size(); ++c) {
              want += weights[c] * x[c];
              size += std::abs(weights[c] * x[c]);
            }
            const double got = static_cast<double>(output[static_cast<std::size_t>(t * rows + r)]);
            QVERIFY2(std::abs(got - want) < 1e-6 * size,
                     qPrintable(QString("%1, %2 columns, row %3 of input %4: %5 instead of %6")
                                    .arg(packed_form(type).name)
                                    .arg(columns)
                                    .arg(r)
                                    .arg(t)
                                    .arg(got, 0, 'g', 9)
                                    .arg(want, 0, 'g', 9)));
          }
        }
      }
  }

  // The largest codes, scales and inputs: sums of 16 bits must not overflow.
  void extremesAreExact() {
    for (const PackedType type : packed_all) {
      DrawnMatrix drawn(type, 16, 256, 8);
      const PackedForm& form = packed_form(type);
      for (std::size_t at = 0; at < drawn.stored.size(); ++at) {
        const std::size_t in_block = at % static_cast<std::size_t>(form.bytes);
        const bool scale = type == PackedType::q6_k ? in_block >= 192 : in_block < (type == PackedType::q4_k ? 16 : 2);
        if (!scale) drawn.stored[at] = std::byte{0xff};
      }
      auto* const tiles = const_cast<std::byte*>(drawn.matrix.tiles);
      for (int row = 0; row < 16; ++row) pack_row(type, 256, drawn.blocks(row, 16), row, tiles);
      for (const float sign : {1.0F, -1.0F}) {
        const std::vector<float> input(256, sign * 3);
        const auto output = products_of(isa_of_row(), drawn.matrix, input, nullptr);
        const auto x = plain_rounded(type, input);
        for (int row = 0; row < 16; ++row) {
          const auto weights = plain_row(type, drawn.blocks(row, 16));
          double want = 0, size = 0;
          for (std::size_t c = 0; c < x.size(); ++c) want += weights[c] * x[c], size += std::abs(weights[c] * x[c]);
          QVERIFY(std::abs(static_cast<double>(output[static_cast<std::size_t>(row)]) - want) < 1e-6 * size);
        }
      }
    }
  }

  void bitsDoNotDependOnTheBatchOrTheSplit() {
    for (const PackedType type : packed_all) {
      const int rows = 45, columns = 512;
      const DrawnMatrix drawn(type, rows, columns, 9);
      const auto input = normals(150 * columns, 10), bias = normals(rows, 11);
      std::vector<std::vector<float>> alone;
      for (std::size_t t = 0; t < 150; ++t)
        alone.push_back(products_of(isa_of_row(), drawn.matrix, std::span(input).subspan(t * columns, columns),
                                    bias.data(), t % 2 == 1));
      for (const std::size_t batch : {2U, 3U, 4U, 5U, 6U, 7U, 8U, 11U, 16U, 29U, 64U, 65U, 67U, 68U, 149U}) {
        const std::size_t first = 150 - batch;
        const auto together = products_of(isa_of_row(), drawn.matrix,
                                          std::span(input).subspan(first * columns, batch * columns), bias.data());
        for (std::size_t t = 0; t < batch; ++t)
          QVERIFY2(equal_bits(std::span(together).subspan(t * rows, rows), alone[first + t]),
                   qPrintable(QString("%1: %2 of %3").arg(packed_form(type).name).arg(t).arg(batch)));
      }
    }
  }

  void bf16IsReadAndWritten() {
    for (const PackedType type : packed_all) {
      const int rows = 21, columns = 256, count = 6;
      const DrawnMatrix drawn(type, rows, columns, 12);
      const auto narrow = halves(normals(count * columns, 13));
      std::vector<float> wide;
      for (const Bf16 number : narrow) wide.push_back(to_float(number));
      const auto wanted = products_of(isa_of_row(), drawn.matrix, wide, nullptr);
      const auto panels = rounded_inputs(isa_of_row(), drawn.matrix, narrow.data(), Element::bf16, count);
      const int stride = rows + 3;  // what is between rows must stay
      std::vector<Bf16> output(count * stride, Bf16{0x1234});
      packed_kernels(isa_of_row())
          .multiply({.matrix = drawn.matrix,
                     .first_tile = 0,
                     .last_tile = 2,
                     .panels = panels.data(),
                     .tokens = count,
                     .bias = nullptr,
                     .output = output.data(),
                     .output_stride = stride,
                     .element = Element::bf16});
      for (int t = 0; t < count; ++t)
        for (int r = 0; r < stride; ++r) {
          const std::uint16_t want =
              r < rows ? to_bf16(wanted[static_cast<std::size_t>(t * rows + r)]).bits : std::uint16_t{0x1234};
          QCOMPARE(output[static_cast<std::size_t>(t * stride + r)].bits, want);
        }
    }
  }

  void zerosAndWhatIsNotFinite() {
    for (const PackedType type : packed_all) {
      const int columns = 512;
      const DrawnMatrix drawn(type, 16, columns, 14);
      std::vector<float> input(columns, 0.0F);
      for (const float output : products_of(isa_of_row(), drawn.matrix, input, nullptr)) QCOMPARE(output, 0.0F);
      for (const float wrong : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                                -std::numeric_limits<float>::infinity()})
        for (const std::size_t place : {std::size_t{0}, std::size_t{33}, std::size_t{511}}) {
          std::vector<float> spoiled = input;
          spoiled[place] = wrong;
          for (const float output : products_of(isa_of_row(), drawn.matrix, spoiled, nullptr))
            QVERIFY(!std::isfinite(output));
        }
    }
  }
};

KV_TEST_GUILESS_MAIN(PackedKernelsTest)

}  // namespace packed_kernels_test

#include "packed_kernels_test.moc"
