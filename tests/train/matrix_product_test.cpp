// links: core_train kvantage::torch
// Products and their derivatives against double precision, on processors with and without AVX-512: sums in fp32, one
// rounding to bf16.
#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>
#include <QtTest>

#include "core/train/matrix_product.h"
#include "tests/support/test_program.h"

namespace matrix_product_test {

using namespace kvantage;

constexpr double bf16_rounding = 0x1p-8, fp32_rounding = 0x1p-24;  // half a unit in the last place, relative

at::Tensor bf16(const at::Tensor& values) { return values.to(at::kBFloat16); }
at::Tensor leaf(const at::Tensor& values) { return values.detach().clone().requires_grad_(true); }

/// How far an entry of a x b is from the one in double, as a share of what fp32 sums and one rounding to `type` may
/// leave: at most 1.
double error_share(const at::Tensor& got, const at::Tensor& a, const at::Tensor& b) {
  const at::Tensor x = a.detach().to(at::kDouble), y = b.detach().to(at::kDouble), wanted = at::mm(x, y);
  const double terms = static_cast<double>(x.size(1));
  const double rounding = got.scalar_type() == at::kBFloat16 ? bf16_rounding : 0;
  // A sum of n terms in fp32 is off by n roundings of the sum of their absolute values at most.
  const at::Tensor in_sum = at::mm(x.abs(), y.abs()) * (terms * fp32_rounding);
  const at::Tensor allowed = in_sum + (wanted.abs() + in_sum) * rounding + 1e-30;
  return ((got.detach().to(at::kDouble) - wanted).abs() / allowed).max().item<double>();
}

class MatrixProductTest : public QObject {
  Q_OBJECT

 private slots:
  void init() { at::manual_seed(7); }

  void forwardAndBackwardAreRoundedOnce_data() {
    QTest::addColumn<int>("rows");
    QTest::addColumn<int>("inner");
    QTest::addColumn<int>("columns");
    QTest::newRow("one number") << 1 << 1 << 1;
    QTest::newRow("a row") << 1 << 64 << 96;
    QTest::newRow("a column") << 33 << 17 << 1;
    QTest::newRow("odd sizes") << 37 << 65 << 29;
    QTest::newRow("long sums") << 5 << 4096 << 7;
    QTest::newRow("a layer") << 128 << 256 << 384;
  }
  void forwardAndBackwardAreRoundedOnce() {
    QFETCH(int, rows);
    QFETCH(int, inner);
    QFETCH(int, columns);
    for (const at::ScalarType type : {at::kBFloat16, at::kFloat}) {
      const at::Tensor a = leaf(at::randn({rows, inner}).to(type)), b = leaf(at::randn({inner, columns}).to(type));
      const at::Tensor pull = at::randn({rows, columns}).to(type);
      const at::Tensor product = matrix_product(a, b);
      QVERIFY(product.scalar_type() == type);
      QCOMPARE(product.size(0), std::int64_t{rows});
      QCOMPARE(product.size(1), std::int64_t{columns});
      const auto grads = torch::autograd::grad({product}, {a, b}, {pull});
      const double forward = error_share(product, a, b), in_a = error_share(grads[0], pull, b.t()),
                   in_b = error_share(grads[1], a.t(), pull);
      QVERIFY(grads[0].scalar_type() == type && grads[1].scalar_type() == type);
      QVERIFY2(forward <= 1 && in_a <= 1 && in_b <= 1,
               qPrintable(QString("%1 of the error allowed, %2 and %3 backward").arg(forward).arg(in_a).arg(in_b)));
    }
  }

  // As an optimizer wants it: one rounding of the whole, not one of the product and one of the sum.
  void addedProductsAreRoundedOnce_data() {
    QTest::addColumn<int>("rows");
    QTest::addColumn<int>("inner");
    QTest::addColumn<int>("columns");
    QTest::newRow("one number") << 1 << 1 << 1;
    QTest::newRow("odd sizes") << 37 << 65 << 29;
    QTest::newRow("a matrix of weights") << 256 << 256 << 384;
  }
  void addedProductsAreRoundedOnce() {
    QFETCH(int, rows);
    QFETCH(int, inner);
    QFETCH(int, columns);
    constexpr double share = 3.4445, factor = -0.625;
    for (const at::ScalarType type : {at::kBFloat16, at::kFloat}) {
      const at::Tensor a = at::randn({rows, inner}).to(type), b = at::randn({inner, columns}).to(type),
                       c = at::randn({rows, columns}).to(type);
      const at::Tensor got = add_matrix_product(c, share, a, b, factor);
      QVERIFY(got.scalar_type() == type);
      const at::Tensor x = a.to(at::kDouble), y = b.to(at::kDouble), z = c.to(at::kDouble);
      const at::Tensor wanted = z * share + at::mm(x, y) * factor;
      const at::Tensor in_sum =
          (at::mm(x.abs(), y.abs()) * std::abs(factor) + z.abs() * share) * ((inner + 3) * fp32_rounding);
      const double rounding = type == at::kBFloat16 ? bf16_rounding : 0;
      const at::Tensor allowed = in_sum + (wanted.abs() + in_sum) * rounding + 1e-30;
      const double worst = ((got.to(at::kDouble) - wanted).abs() / allowed).max().item<double>();
      QVERIFY2(worst <= 1, qPrintable(QString("%1 of the error allowed").arg(worst)));
    }
  }

  // A sum in bf16 would stop at 256, from where adding 1 changes nothing.
  void sumsAreKeptInFp32() {
    const at::Tensor product = matrix_product(bf16(at::ones({3, 5000})), bf16(at::ones({5000, 2})));
    QVERIFY(product.scalar_type() == at::kBFloat16);
    QVERIFY(at::all(product == bf16(at::full({3, 2}, 5000.0))).item<bool>());
  }

  void smallIntegersAreExact() {
    const at::Tensor a = at::randint(-3, 4, {19, 23}), b = at::randint(-3, 4, {23, 11});
    const at::Tensor wanted = at::mm(a.to(at::kDouble), b.to(at::kDouble));  // below 256: a number of bf16
    QVERIFY(wanted.abs().max().item<double>() <= 256);
    QVERIFY(at::equal(matrix_product(bf16(a), bf16(b)).to(at::kDouble), wanted));
  }

  void transposedAndStridedOperandsAreWhatTheyShow() {
    const at::Tensor a = bf16(at::randn({65, 37})).t(), b = bf16(at::randn({130, 29})).slice(0, 0, 130, 2);
    QVERIFY(!a.is_contiguous() && !b.is_contiguous());
    const double share = error_share(matrix_product(a, b), a, b);
    QVERIFY2(share <= 1, qPrintable(QString::number(share)));
  }

  void nothingTimesNothing() {
    const at::Tensor none = matrix_product(bf16(at::ones({4, 0})), bf16(at::ones({0, 3})));
    QVERIFY(at::equal(none, bf16(at::zeros({4, 3}))));
    QCOMPARE(matrix_product(bf16(at::ones({0, 5})), bf16(at::ones({5, 3}))).numel(), std::int64_t{0});
  }

  // Twice through the same weights, as where they are tied.
  void derivativesOfASharedOperandAreSummed() {
    const at::Tensor x = bf16(at::randn({16, 32})), weight = leaf(bf16(at::randn({32, 32})));
    const at::Tensor pull = bf16(at::randn({16, 32}));
    const at::Tensor product = matrix_product(x, weight);
    const at::Tensor grad = torch::autograd::grad({product + matrix_product(x, weight)}, {weight}, {pull})[0];
    const at::Tensor once = torch::autograd::grad({matrix_product(x, weight)}, {weight}, {pull})[0];
    QVERIFY(at::equal(grad, once + once));
  }
};

KV_TEST_GUILESS_MAIN(MatrixProductTest)

}  // namespace matrix_product_test

#include "matrix_product_test.moc"
