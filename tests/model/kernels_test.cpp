// links: core_model_kernels
// Against plain double-precision arithmetic, for every instruction set that runs here. No libtorch: this test also runs
// under `qemu-x86_64 -cpu Haswell`.
#include "tests/model/kernel_rows.h"

#include <limits>
#include <span>
#include <thread>

#include "tests/support/test_program.h"

namespace kernels_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

/// A chunk of `queries` tokens at the end of `rows`, `group` heads; queries unscaled in, outputs as float.
std::vector<float> prefill(Isa isa, const KvRows& rows, int head_dim, int group, int queries,
                           const std::vector<float>& q, Element type, int split = 1) {
  std::vector<float> scaled = q;
  for (float& x : scaled) x *= query_scale(head_dim);
  std::vector<Bf16> scaled_half = halves(scaled), output_half(q.size());
  std::vector<float> output(q.size());
  PrefillAttention job;
  job.rows = rows;
  job.head_dim = head_dim;
  job.group = group;
  job.visible_before = rows.kept - queries;
  job.queries = type == Element::bf16 ? static_cast<const void*>(scaled_half.data()) : scaled.data();
  job.output = type == Element::bf16 ? static_cast<void*>(output_half.data()) : output.data();
  job.stride = group * head_dim;
  job.type = type;
  for (int part = 0; part < split; ++part) {
    job.first = queries * part / split;
    job.last = queries * (part + 1) / split;
    kernels(isa).attention_prefill(job);
  }
  if (type == Element::bf16)
    for (std::size_t i = 0; i < output.size(); ++i) output[i] = to_float(output_half[i]);
  return output;
}

}  // namespace

class KernelsTest : public QObject {
  Q_OBJECT
  /// One vector of the batch by itself, its rows in two parts.
  static std::vector<float> alone_in_two_parts(const MatVec& job, int vector) {
    std::vector<float> single(static_cast<std::size_t>(job.last));
    MatVec one = job;
    one.input = job.input + vector * job.input_stride;
    one.output = single.data();
    one.batch = 1;
    one.last = 19;
    kernels(isa_of_row()).matvec(one);
    one.first = 19;
    one.last = job.last;
    kernels(isa_of_row()).matvec(one);
    return single;
  }

 private slots:
  void initTestCase() { qInfo("best instruction set here: %s", to_string(best_isa())); }
  void initTestCase_data() { isa_rows(); }

  void roundingToBf16IsToNearestEven() {
    QCOMPARE(to_bf16(1.0F).bits, std::uint16_t{0x3f80});
    QCOMPARE(to_bf16(std::bit_cast<float>(0x3f808000U)).bits, std::uint16_t{0x3f80});  // tie, even below
    QCOMPARE(to_bf16(std::bit_cast<float>(0x3f818000U)).bits, std::uint16_t{0x3f82});  // tie, even above
    QCOMPARE(to_bf16(std::bit_cast<float>(0x3f808001U)).bits, std::uint16_t{0x3f81});
    QCOMPARE(to_bf16(INFINITY).bits, std::uint16_t{0x7f80});
    QVERIFY(std::isnan(to_float(to_bf16(NAN))));
    // and the vector path rounds alike: a norm with all weights 1 of numbers whose mean square is 1
    const Isa isa = isa_of_row();
    for (unsigned seed = 0; seed < 20; ++seed) {
      const auto x = normals(37, seed);
      std::vector<float> wide(37);
      std::vector<Bf16> narrow(37);
      const std::vector<float> ones(37, 1.0F);
      kernels(isa).rms_norm(x.data(), ones.data(), 37, 1e-6F, wide.data(), Element::fp32);
      kernels(isa).rms_norm(x.data(), ones.data(), 37, 1e-6F, narrow.data(), Element::bf16);
      for (std::size_t i = 0; i < 37; ++i) QCOMPARE(narrow[i].bits, to_bf16(wide[i]).bits);
    }
  }

  void prefillAgreesWithDoublePrecision_data() {
    QTest::addColumn<int>("rows_type");
    QTest::addColumn<int>("type");
    QTest::newRow("fp32 rows, fp32 queries") << 1 << 1;
    QTest::newRow("bf16 rows, fp32 queries") << 0 << 1;
    QTest::newRow("bf16 rows, bf16 queries") << 0 << 0;
    QTest::newRow("fp32 rows, bf16 queries") << 1 << 0;
  }
  void prefillAgreesWithDoublePrecision() {
    QFETCH(int, rows_type);
    QFETCH(int, type);
    const auto element = static_cast<Element>(type);
    const double tolerance = element == Element::fp32 ? 3e-6 : 3e-2;
    for (const Shape& shape : shapes) {
      const Rows rows(shape.kept, shape.head_dim, static_cast<Element>(rows_type), 1);
      const Blocks blocks(rows, 32);
      const auto q = normals(static_cast<std::size_t>(shape.queries * shape.group * shape.head_dim), 2);
      const auto got = prefill(isa_of_row(), blocks.rows, shape.head_dim, shape.group, shape.queries, q, element);
      double worst = 0;
      for (int i = 0; i < shape.queries; ++i)
        for (int g = 0; g < shape.group; ++g) {
          const auto offset = static_cast<std::size_t>((i * shape.group + g) * shape.head_dim);
          const auto want = naive_attention(rows, &q[offset], shape.kept - shape.queries + i + 1);
          for (std::size_t d = 0; d < want.size(); ++d)
            worst = std::max(worst, std::abs(want[d] - static_cast<double>(got[offset + d])));
        }
      QVERIFY2(worst < tolerance, qPrintable(QString("kept %1 queries %2 head_dim %3 group %4: off by %5")
                                                 .arg(shape.kept)
                                                 .arg(shape.queries)
                                                 .arg(shape.head_dim)
                                                 .arg(shape.group)
                                                 .arg(worst)));
    }
  }

  void decodeAgreesWithDoublePrecision() {
    for (const Element type : {Element::bf16, Element::fp32})
      for (const Shape& shape : shapes) {
        const Rows rows(shape.kept, shape.head_dim, type, 3);
        const Blocks blocks(rows, 32);
        const auto got = decode(isa_of_row(), blocks.rows, shape.head_dim, shape.group);
        const auto q = decode_queries(shape.head_dim, shape.group);
        for (int g = 0; g < shape.group; ++g) {
          const auto offset = static_cast<std::size_t>(g * shape.head_dim);
          const auto want = naive_attention(rows, &q[offset], shape.kept);
          for (std::size_t d = 0; d < want.size(); ++d)
            QVERIFY2(std::abs(want[d] - static_cast<double>(got[offset + d])) < 3e-6,
                     qPrintable(QString("kept %1 head_dim %2").arg(shape.kept).arg(shape.head_dim)));
        }
      }
  }

  void blockSizeChangesNoBit() {
    for (const Element type : {Element::bf16, Element::fp32}) {
      const Rows rows(555, 32, type, 4);
      const auto q = normals(100 * 2 * 32, 5);
      const Blocks reference(rows, 32);
      const auto first = prefill(isa_of_row(), reference.rows, 32, 2, 100, q, type);
      const auto first_decode = decode(isa_of_row(), reference.rows, 32, 2);
      const auto first_in_bf16 = decode(isa_of_row(), reference.rows, 32, 2, Element::bf16);
      for (int block_tokens : {4, 8, 16, 64, 128, 24}) {
        const Blocks blocks(rows, block_tokens);
        QVERIFY(same_bits(first, prefill(isa_of_row(), blocks.rows, 32, 2, 100, q, type)));
        QVERIFY(same_bits(first_decode, decode(isa_of_row(), blocks.rows, 32, 2)));
        QVERIFY(same_bits(first_in_bf16, decode(isa_of_row(), blocks.rows, 32, 2, Element::bf16)));
      }
    }
  }

  /// Rows spread over twice as many slots, in order and in none: the list of slots keeps the logical order.
  void whereRowsLieChangesNoBit() {
    for (const Element type : {Element::bf16, Element::fp32}) {
      const Rows rows(555, 32, type, 4);
      const auto q = normals(100 * 2 * 32, 5);
      const Blocks dense(rows, 32);
      const auto expected = prefill(isa_of_row(), dense.rows, 32, 2, 100, q, type);
      const auto expected_decode = decode(isa_of_row(), dense.rows, 32, 2);
      const auto expected_in_bf16 = decode(isa_of_row(), dense.rows, 32, 2, Element::bf16);
      for (const bool scrambled : {false, true})
        for (int block_tokens : {4, 16, 24, 128}) {
          std::vector<std::int32_t> slot_of_row;
          for (int i = 0; i < rows.kept; ++i) slot_of_row.push_back(2 * i + (i / 3) % 2);
          if (scrambled) std::shuffle(slot_of_row.begin(), slot_of_row.end(), std::mt19937(17));
          Rows spread(2 * rows.kept + 1, 32, type, 99);  // other numbers wherever no row is
          for (auto [to, from] : {std::pair{&spread.keys, &rows.keys}, std::pair{&spread.values, &rows.values}})
            for (std::size_t i = 0; i < slot_of_row.size(); ++i)
              std::copy_n(from->begin() + static_cast<std::ptrdiff_t>(i * 32), 32,
                          to->begin() + static_cast<std::ptrdiff_t>(slot_of_row[i]) * 32);
          const Blocks blocks(spread, block_tokens);
          KvRows through_slots = blocks.rows;
          through_slots.kept = rows.kept;
          through_slots.row_slots = slot_of_row.data();
          QVERIFY(same_bits(expected, prefill(isa_of_row(), through_slots, 32, 2, 100, q, type)));
          QVERIFY(same_bits(expected_decode, decode(isa_of_row(), through_slots, 32, 2)));
          QVERIFY(same_bits(expected_in_bf16, decode(isa_of_row(), through_slots, 32, 2, Element::bf16)));
        }
    }
  }

  void splittingTheQueriesChangesNoBit() {
    for (const Element type : {Element::bf16, Element::fp32}) {
      const Rows rows(444, 32, type, 6);
      const Blocks blocks(rows, 64);
      const auto q = normals(300 * 2 * 32, 7);
      const auto whole = prefill(isa_of_row(), blocks.rows, 32, 2, 300, q, type);
      for (int split : {2, 3, 7, 300})
        QVERIFY(same_bits(whole, prefill(isa_of_row(), blocks.rows, 32, 2, 300, q, type, split)));
    }
  }

  void rowsAppendedLaterChangeNoBitOfEarlierQueries() {
    const Rows rows(300, 32, Element::bf16, 8);
    const Blocks blocks(rows, 32);
    const auto q = normals(100 * 2 * 32, 9);
    const auto whole = prefill(isa_of_row(), blocks.rows, 32, 2, 100, q, Element::bf16);
    KvRows fewer = blocks.rows;
    fewer.kept = 250;
    auto early = prefill(isa_of_row(), fewer, 32, 2, 50, {q.begin(), q.begin() + 50 * 64}, Element::bf16);
    QVERIFY(same_bits(early, {whole.begin(), whole.begin() + 50 * 64}));
  }

  void threadsChangeNoBit() {
    const int heads = 6;
    std::vector<Rows> rows;
    std::vector<Blocks> blocks;
    for (int h = 0; h < heads; ++h)
      rows.emplace_back(90 + 61 * h, 32, Element::bf16, static_cast<unsigned>(h));  // ragged
    for (const Rows& r : rows) blocks.emplace_back(r, 32);
    const auto q = normals(80 * 2 * 32, 10);
    const auto run = [&](int threads) {
      std::vector<std::vector<float>> result(heads);
      std::vector<std::thread> workers;
      const Isa isa = isa_of_row();
      for (int t = 0; t < threads; ++t)
        workers.emplace_back([&, t] {
          for (int h = t; h < heads; h += threads) {
            const auto at = static_cast<std::size_t>(h);
            result[at] = prefill(isa, blocks[at].rows, 32, 2, 80, q, Element::bf16);
          }
        });
      for (auto& worker : workers) worker.join();
      return result;
    };
    const auto alone = run(1);
    for (int threads : {2, 3, 6}) {
      const auto together = run(threads);
      for (std::size_t h = 0; h < heads; ++h) QVERIFY(same_bits(alone[h], together[h]));
    }
  }

  void extremeScoresStayFinite() {
    Rows rows(130, 32, Element::fp32, 11);
    for (float& x : rows.keys) x *= 300.0F;  // weights underflow to nothing but one
    const Blocks blocks(rows, 32);
    const auto q = normals(130 * 32, 12);
    const auto got = prefill(isa_of_row(), blocks.rows, 32, 1, 130, q, Element::fp32);
    for (int i = 0; i < 130; ++i) {
      const auto want = naive_attention(rows, &q[static_cast<std::size_t>(i * 32)], i + 1);
      for (int d = 0; d < 32; ++d)
        QVERIFY(std::abs(static_cast<double>(got[static_cast<std::size_t>(i * 32 + d)]) -
                         want[static_cast<std::size_t>(d)]) < 2e-3);
    }
  }

  void matvecAgreesWithDoublePrecisionAndIgnoresTheBatch() {
    for (const int columns : {1, 16, 33, 256, 704}) {
      const int rows = 45, batch = 6;
      const auto weight = normals(static_cast<std::size_t>(rows * columns), 13);
      const auto half = halves(weight);
      const auto input = normals(static_cast<std::size_t>(batch * columns), 14);
      const auto bias = normals(static_cast<std::size_t>(rows), 15);
      for (const Element type : {Element::bf16, Element::fp32}) {
        std::vector<float> output(static_cast<std::size_t>(rows * batch));
        MatVec job;
        job.weight = type == Element::bf16 ? static_cast<const void*>(half.data()) : weight.data();
        job.type = type;
        job.columns = columns;
        job.last = rows;
        job.bias = bias.data();
        job.input = input.data();
        job.input_stride = columns;
        job.output = output.data();
        job.output_stride = rows;
        job.batch = batch;
        kernels(isa_of_row()).matvec(job);
        for (int b = 0; b < batch; ++b) {
          for (int r = 0; r < rows; ++r) {
            double want = static_cast<double>(bias[static_cast<std::size_t>(r)]);
            for (int k = 0; k < columns; ++k) {
              const auto at = static_cast<std::size_t>(r * columns + k);
              const float w = type == Element::bf16 ? to_float(half[at]) : weight[at];
              want += static_cast<double>(w) * static_cast<double>(input[static_cast<std::size_t>(b * columns + k)]);
            }
            QVERIFY(std::abs(static_cast<double>(output[static_cast<std::size_t>(b * rows + r)]) - want) <
                    1e-5 * std::sqrt(columns) + 1e-6);
          }
          QVERIFY(same_bits(alone_in_two_parts(job, b), {output.begin() + b * rows, output.begin() + (b + 1) * rows}));
        }
      }
    }
  }

  void quantizedMatvecAgreesWithDoublePrecisionAndIgnoresTheBatch() {
    for (const int columns : {32, 96, 256, 704}) {
      const int rows = 45, batch = 7;
      std::vector<signed char> codes;
      for (const float number : normals(static_cast<std::size_t>(rows * columns), 23))
        codes.push_back(static_cast<signed char>(std::clamp(40 * number, -128.0F, 127.0F)));
      codes[0] = -128;
      codes[1] = 127;
      auto scales = normals(static_cast<std::size_t>(rows * columns / 32), 24);
      for (float& scale : scales) scale /= 40;
      const auto input = normals(static_cast<std::size_t>(batch * columns), 25),
                 bias = normals(static_cast<std::size_t>(rows), 26);
      std::vector<float> output(static_cast<std::size_t>(rows * batch));
      MatVec job;
      job.codes = codes.data();
      job.scales = scales.data();
      job.columns = columns;
      job.last = rows;
      job.bias = bias.data();
      job.input = input.data();
      job.input_stride = columns;
      job.output = output.data();
      job.output_stride = rows;
      job.batch = batch;
      kernels(isa_of_row()).matvec(job);
      for (int b = 0; b < batch; ++b) {
        for (int r = 0; r < rows; ++r) {
          double want = static_cast<double>(bias[static_cast<std::size_t>(r)]), variance = 0;
          for (int k = 0; k < columns; ++k) {
            const double weight = static_cast<double>(scales[static_cast<std::size_t>((r * columns + k) / 32)]) *
                                  codes[static_cast<std::size_t>(r * columns + k)];
            const auto block = std::span(input).subspan(static_cast<std::size_t>(b * columns + k / 32 * 32), 32);
            want += weight * static_cast<double>(block[static_cast<std::size_t>(k % 32)]);
            const float largest = std::abs(*std::ranges::max_element(block, {}, [](float x) { return std::abs(x); }));
            variance +=
                std::pow(weight * static_cast<double>(largest) / 32767, 2) / 12;  // of rounding to steps of that size
          }
          const double error = std::abs(static_cast<double>(output[static_cast<std::size_t>(b * rows + r)]) - want);
          QVERIFY(error < 6 * std::sqrt(variance) + 1e-6 * std::sqrt(columns));
        }
        QVERIFY(same_bits(alone_in_two_parts(job, b), {output.begin() + b * rows, output.begin() + (b + 1) * rows}));
      }
    }
  }

  void quantizedMatvecTakesZerosAndShowsWhatIsNotFinite() {
    const int columns = 64;
    const std::vector<signed char> codes(columns, 3);
    const std::vector<float> scales = {0.5F, 0.25F};
    std::vector<float> input(columns, 0.0F);
    float output = 7;
    MatVec job;
    job.codes = codes.data();
    job.scales = scales.data();
    job.columns = columns;
    job.last = 1;
    job.input = input.data();
    job.output = &output;
    kernels(isa_of_row()).matvec(job);
    QCOMPARE(output, 0.0F);
    input[40] = -2.0F;
    kernels(isa_of_row()).matvec(job);
    QCOMPARE(output, -1.5F);
    for (const float wrong : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                              -std::numeric_limits<float>::infinity()}) {
      for (const std::size_t place : {std::size_t{0}, std::size_t{33}, std::size_t{63}}) {
        std::vector<float> spoiled = input;
        spoiled[place] = wrong;
        job.input = spoiled.data();
        kernels(isa_of_row()).matvec(job);
        QVERIFY(!std::isfinite(output));
      }
    }
  }

  void headsAreBiasedNormedAndRotated() {
    const int tokens = 3, heads = 2, head_dim = 20, half = head_dim / 2;
    const auto input = normals(tokens * heads * head_dim, 16);
    const auto bias = normals(heads * head_dim, 17);
    const auto norm = normals(head_dim, 18);
    std::vector<float> cosines, sines;
    for (int i = 0; i < tokens * half; ++i) {
      cosines.push_back(std::cos(0.3F * static_cast<float>(i)));
      sines.push_back(std::sin(0.3F * static_cast<float>(i)));
    }
    std::vector<float> output(input.size());
    HeadPass job;
    job.input = input.data();
    job.output = output.data();
    job.tokens = tokens;
    job.heads = heads;
    job.head_dim = head_dim;
    job.bias = bias.data();
    job.norm = norm.data();
    job.eps = 1e-5F;
    job.cosines = cosines.data();
    job.sines = sines.data();
    job.scale = 0.5F;
    kernels(isa_of_row()).head_pass(job);
    for (int t = 0; t < tokens; ++t)
      for (int h = 0; h < heads; ++h) {
        std::vector<double> row;
        double squares = 0;
        for (int d = 0; d < head_dim; ++d) {
          row.push_back(static_cast<double>(input[static_cast<std::size_t>((t * heads + h) * head_dim + d)]) +
                        static_cast<double>(bias[static_cast<std::size_t>(h * head_dim + d)]));
          squares += row.back() * row.back();
        }
        for (int d = 0; d < head_dim; ++d)
          row[static_cast<std::size_t>(d)] *=
              static_cast<double>(norm[static_cast<std::size_t>(d)]) / std::sqrt(squares / head_dim + 1e-5);
        for (int d = 0; d < head_dim; ++d) {
          const auto pair = static_cast<std::size_t>(t * half + d % half);
          const double other =
              d < half ? -row[static_cast<std::size_t>(d + half)] : row[static_cast<std::size_t>(d - half)];
          const double want = 0.5 * (row[static_cast<std::size_t>(d)] * static_cast<double>(cosines[pair]) +
                                     other * static_cast<double>(sines[pair]));
          QVERIFY(std::abs(static_cast<double>(output[static_cast<std::size_t>((t * heads + h) * head_dim + d)]) -
                           want) < 2e-6);
        }
      }
  }

  void siluGateIsExactToRounding() {
    auto gate = normals(1003, 19, 10.0F);
    gate[0] = -200.0F;
    gate[1] = 200.0F;
    gate[2] = 0.0F;
    const auto up = normals(1003, 20);
    std::vector<float> output(1003);
    kernels(isa_of_row()).gated(Activation::silu, gate.data(), up.data(), output.data(), 1003, Element::fp32);
    for (std::size_t i = 0; i < 1003; ++i) {
      const double g = static_cast<double>(gate[i]);
      const double want = g / (1 + std::exp(-g)) * static_cast<double>(up[i]);
      QVERIFY(std::abs(static_cast<double>(output[i]) - want) <= 1e-6 * std::abs(want) + 1e-7);
    }
  }

  void layerNormAgreesWithDoublePrecision() {
    for (const int size : {1, 7, 16, 37, 1003}) {
      const auto n = static_cast<std::size_t>(size);
      auto x = normals(n, 23, 3.0F);
      for (float& number : x) number += 100.0F;  // far from 0: the variance is that around the mean
      const auto weight = normals(n, 24), bias = normals(n, 25);
      double mean = 0, variance = 0;
      for (const float number : x) mean += static_cast<double>(number) / size;
      for (const float number : x)
        variance += (static_cast<double>(number) - mean) * (static_cast<double>(number) - mean) / size;
      std::vector<float> output(n);
      std::vector<Bf16> narrow(n);
      kernels(isa_of_row()).layer_norm(x.data(), weight.data(), bias.data(), size, 1e-5F, output.data(), Element::fp32);
      kernels(isa_of_row()).layer_norm(x.data(), weight.data(), bias.data(), size, 1e-5F, narrow.data(), Element::bf16);
      for (std::size_t i = 0; i < n; ++i) {
        const double want =
            (static_cast<double>(x[i]) - mean) / std::sqrt(variance + 1e-5) * static_cast<double>(weight[i]) +
            static_cast<double>(bias[i]);
        QVERIFY(std::abs(static_cast<double>(output[i]) - want) <= 5e-5 * (1 + std::abs(want)));
        QCOMPARE(narrow[i].bits, to_bf16(output[i]).bits);
      }
    }
  }

  void reluKeepsWhatIsPositive() {
    for (const std::size_t n : {1, 15, 16, 100}) {
      const auto before = normals(n, 26);
      auto x = before;
      std::vector<Bf16> narrow;
      for (const float number : before) narrow.push_back(to_bf16(number));
      kernels(isa_of_row()).activate(Activation::relu, x.data(), n, Element::fp32);
      kernels(isa_of_row()).activate(Activation::relu, narrow.data(), n, Element::bf16);
      for (std::size_t i = 0; i < n; ++i) {
        QCOMPARE(x[i], std::max(before[i], 0.0F));
        QCOMPARE(narrow[i].bits, to_bf16(x[i]).bits);
      }
    }
  }

  void sumsAddTheBiasOfEachColumn() {
    std::vector<float> x(6, 1.0F);
    const std::vector<float> y{1, 2, 3, 4, 5, 6}, bias{10, 20, 30};
    kernels(isa_of_row()).add(x.data(), y.data(), bias.data(), 2, 3, Element::fp32);
    QVERIFY(same_bits(x, {12, 23, 34, 15, 26, 37}));
  }
};

KV_TEST_GUILESS_MAIN(KernelsTest)

}  // namespace kernels_test

#include "kernels_test.moc"
