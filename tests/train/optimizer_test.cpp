// links: core_train kvantage::torch
// The matrix that Muon steps by, against singular values in double precision.
#include <ATen/ATen.h>
#include <QtTest>

#include <cmath>

#include "core/train/optimizer.h"
#include "tests/support/test_program.h"

namespace optimizer_test {

using namespace kvantage;

class OptimizerTest : public QObject {
  Q_OBJECT

 private slots:
  void init() { at::manual_seed(11); }

  void aMatrixBecomesNearlySemiOrthogonal_data() {
    QTest::addColumn<int>("rows");
    QTest::addColumn<int>("columns");
    QTest::newRow("square") << 64 << 64;
    QTest::newRow("tall") << 96 << 48;
    QTest::newRow("wide") << 48 << 96;
    QTest::newRow("odd sizes") << 37 << 29;
  }
  void aMatrixBecomesNearlySemiOrthogonal() {
    QFETCH(int, rows);
    QFETCH(int, columns);
    // Singular values within a factor of ten of each other, as five iterations are made for.
    const auto basis = [](int size) { return std::get<0>(at::linalg_qr(at::randn({size, size}, at::kDouble))); };
    const int rank = std::min(rows, columns);
    const at::Tensor values = at::logspace(0, -1, rank, 10.0, at::kDouble);
    const at::Tensor left = basis(rows).narrow(1, 0, rank), right = basis(columns).narrow(1, 0, rank);
    const at::Tensor matrix = at::mm(left * values, right.t()) * 7;  // its size makes no difference
    const at::Tensor result = orthogonalize(matrix.to(at::kFloat));
    QVERIFY(result.scalar_type() == at::kFloat);
    QCOMPARE(result.size(0), std::int64_t{rows});
    QCOMPARE(result.size(1), std::int64_t{columns});
    // Of the polynomial's fixed points, with what bf16 adds.
    const at::Tensor found = at::linalg_svdvals(result.to(at::kDouble));
    const double least = found.min().item<double>(), most = found.max().item<double>();
    QVERIFY2(least > 0.65 && most < 1.25, qPrintable(QString("from %1 to %2").arg(least).arg(most)));
    // The directions stay: the nearest such matrix is left right^T.
    const at::Tensor shares = at::mm(at::mm(left.t(), result.to(at::kDouble)), right);
    const double off = (shares - at::diag(at::diag(shares))).abs().max().item<double>();
    QVERIFY2(off < 0.05, qPrintable(QString::number(off)));
  }

  // A gradient that is not finite changes neither weights nor what the optimizer remembers.
  void aGradientThatIsNotFiniteIsPassedOver() {
    std::vector<Parameter> parameters;
    parameters.push_back({"matrix", at::randn({16, 32}), {16}, false});
    parameters.push_back({"norm", at::ones({32}), {}, false});
    Optimizer optimizer(parameters, {});
    Workers workers(1, [] {});
    const auto gradients = [](double value) {
      return std::vector<at::Tensor>{at::randn({16, 32}), at::full({32}, value)};
    };
    auto sound = gradients(0.5);
    QVERIFY(optimizer.step(parameters, sound, 1.0, workers));
    const at::Tensor matrix = parameters[0].value.clone(), vector = parameters[1].value.clone();
    const at::Tensor momentum = optimizer.momenta()[0].clone();
    for (const double value : {std::nan(""), HUGE_VAL}) {
      auto broken = gradients(value);
      QVERIFY(!optimizer.step(parameters, broken, 1.0, workers));
    }
    QVERIFY(at::equal(parameters[0].value, matrix) && at::equal(parameters[1].value, vector));
    QVERIFY(at::equal(optimizer.momenta()[0], momentum));
    QCOMPARE(optimizer.steps(), 1);
    sound = gradients(0.5);
    QVERIFY(optimizer.step(parameters, sound, 1.0, workers));
    QVERIFY(!at::equal(parameters[0].value, matrix));
  }
};

KV_TEST_GUILESS_MAIN(OptimizerTest)

}  // namespace optimizer_test

#include "optimizer_test.moc"
