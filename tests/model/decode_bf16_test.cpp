// links: core_model_kernels
// Attention of one token with products of bf16: that of fp32 where nothing is rounded, and no further from it than
// rounding goes.
#include "tests/model/kernel_rows.h"
#include "tests/support/test_program.h"

namespace decode_bf16_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

/// How far `output` may move where each element of the query and each weight moves by `part` of itself: no score moves
/// by more than its products together do, weights p to p 2^(moved + most moved), and the output by what weights take
/// from values beside it.
std::vector<double> rounding_bound(const Rows& rows, const float* query, const std::vector<double>& output,
                                   double part) {
  const auto kept = static_cast<std::size_t>(rows.kept), width = static_cast<std::size_t>(rows.head_dim);
  const double scale = static_cast<double>(query_scale(rows.head_dim));
  std::vector<double> weight(kept), moved(kept), bound(width);
  double total = 0, largest = -1e300;
  for (std::size_t t = 0; t < kept; ++t) {
    for (std::size_t d = 0; d < width; ++d) {
      const double product = scale * static_cast<double>(query[d]) * static_cast<double>(rows.keys[t * width + d]);
      weight[t] += product;
      moved[t] += part * std::abs(product);
    }
    largest = std::max(largest, weight[t]);
  }
  for (double& w : weight) total += w = std::exp2(w - largest);
  const double most = *std::max_element(moved.begin(), moved.end());
  for (std::size_t t = 0; t < kept; ++t)
    for (std::size_t d = 0; d < width; ++d) {
      const double factor = std::exp2(moved[t] + most), value = static_cast<double>(rows.values[t * width + d]);
      bound[d] += weight[t] / total * ((factor - 1) * std::abs(value - output[d]) + part * factor * std::abs(value));
    }
  return bound;
}

}  // namespace

class DecodeBf16Test : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase_data() { isa_rows(); }

  /// Scores are whole numbers and weights powers of two: bf16 holds them all, so that only sums are rounded.
  void decodeInBf16IsThatOfFp32WhereNothingIsRounded() {
    struct Case {
      int kept, head_dim, group;
      float keys;
    };
    for (const auto& [kept, head_dim, group, scale] :
         {Case{1, 32, 1, 1}, Case{2, 32, 2, 1}, Case{15, 64, 3, 1}, Case{16, 96, 4, 1}, Case{17, 64, 5, 1},
          Case{63, 32, 6, 1}, Case{64, 64, 7, 1}, Case{65, 128, 8, 1}, Case{127, 160, 9, 1}, Case{333, 64, 16, 1},
          Case{700, 256, 11, 1}, Case{300, 64, 7, 512},
          Case{200, 80, 3, 1}}) {  // of keys of 512, all weights but the largest vanish
      Rows rows(kept, head_dim, Element::bf16, 31);
      std::mt19937 random(32);
      const auto sign = [&] { return random() % 2 == 0 ? 1.0F : -1.0F; };
      for (float& x : rows.keys) x = random() % static_cast<unsigned>(head_dim) < 8 ? sign() * scale : 0.0F;
      std::vector<float> q(static_cast<std::size_t>(group * head_dim));
      for (float& x : q) x = sign();
      const Blocks blocks(rows, 24);
      const auto got = decode(isa_of_row(), blocks.rows, head_dim, group, Element::bf16, q);
      for (int g = 0; g < group; ++g) {
        const auto offset = static_cast<std::size_t>(g * head_dim);
        std::vector<float> plain(q.begin() + g * head_dim, q.begin() + (g + 1) * head_dim);
        for (float& x : plain) x /= query_scale(head_dim);
        const auto want = naive_attention(rows, plain.data(), kept);
        for (std::size_t d = 0; d < want.size(); ++d)
          QVERIFY2(std::abs(want[d] - static_cast<double>(got[offset + d])) < 3e-6,
                   qPrintable(QString("kept %1 head_dim %2 group %3: query %4, column %5")
                                  .arg(kept)
                                  .arg(head_dim)
                                  .arg(group)
                                  .arg(g)
                                  .arg(d)));
      }
    }
  }

  /// Queries and weights rounded to 8 bits, and no error beyond what follows from that.
  void decodeInBf16StaysWithinItsRounding() {
    constexpr double half_unit = 1.0 / 256;
    for (const Shape& shape : shapes) {
      const Rows rows(shape.kept, shape.head_dim, Element::bf16, 33);
      const Blocks blocks(rows, 32);
      const auto q = decode_queries(shape.head_dim, shape.group);
      const auto got = decode(isa_of_row(), blocks.rows, shape.head_dim, shape.group, Element::bf16);
      for (int g = 0; g < shape.group; ++g) {
        const auto offset = static_cast<std::size_t>(g * shape.head_dim);
        const auto want = naive_attention(rows, &q[offset], shape.kept);
        const auto bound = rounding_bound(rows, &q[offset], want, half_unit);
        for (std::size_t d = 0; d < want.size(); ++d)
          QVERIFY2(std::abs(want[d] - static_cast<double>(got[offset + d])) < bound[d] + 3e-6,
                   qPrintable(QString("kept %1 head_dim %2 group %3: bound %4")
                                  .arg(shape.kept)
                                  .arg(shape.head_dim)
                                  .arg(shape.group)
                                  .arg(bound[d])));
      }
    }
  }

  /// Rows in fp32, heads that fill no whole vectors and other instruction sets multiply in fp32 whatever is asked for.
  void decodeInBf16IsForRowsInItThatFillVectors() {
    struct Case {
      int head_dim;
      Element rows;
      bool rounds;
    };
    for (const auto& [head_dim, type, rounds] : {Case{64, Element::bf16, true}, Case{64, Element::fp32, false},
                                                 Case{80, Element::bf16, false}, Case{8, Element::bf16, false}}) {
      const Rows rows(200, head_dim, type, 34);
      const Blocks blocks(rows, 32);
      const bool same = same_bits(decode(isa_of_row(), blocks.rows, head_dim, 3, Element::bf16),
                                  decode(isa_of_row(), blocks.rows, head_dim, 3, Element::fp32));
      QCOMPARE(same, !(rounds && isa_of_row() >= Isa::avx512bf16));
    }
  }
};

KV_TEST_GUILESS_MAIN(DecodeBf16Test)

}  // namespace decode_bf16_test

#include "decode_bf16_test.moc"
