// links: core_train kvantage::torch
// The hand-written derivatives of training against libtorch's own autograd.
#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>
#include <QtTest>

#include "core/train/attention_kernel.h"
#include "core/train/functions.h"
#include "tests/support/test_program.h"

namespace functions_test {

using namespace kvantage;
using train_kernels::HeadShape;

namespace {

/// Largest difference over the largest value of `wanted`.
double relative_difference(const at::Tensor& got, const at::Tensor& wanted) {
  const at::Tensor reference = wanted.to(at::kFloat);
  return ((got.to(at::kFloat) - reference).abs().max() / reference.abs().max().clamp_min(1e-20)).item<double>();
}

at::Tensor leaf(const at::Tensor& values) { return values.detach().clone().requires_grad_(true); }

constexpr double bf16_error = 0.02;  // eight bits of mantissa, through a sum

}  // namespace

class TrainFunctionsTest : public QObject {
  Q_OBJECT
 private slots:
  void init() { at::manual_seed(7); }

  void attentionEqualsLibtorch_data() {
    QTest::addColumn<int>("length");
    QTest::addColumn<int>("query_heads");
    QTest::addColumn<int>("kv_heads");
    QTest::addColumn<int>("head_dim");
    for (const int length : {1, 2, 15, 16, 17, 31, 33, 64, 200, 513}) {
      QTest::addRow("length %d, grouped", length) << length << 4 << 2 << 32;
      QTest::addRow("length %d, one KV head a head", length) << length << 2 << 2 << 32;
    }
    QTest::addRow("other head width") << 70 << 4 << 2 << 64;  // the general path
  }
  void attentionEqualsLibtorch() {
    QFETCH(int, length);
    QFETCH(int, query_heads);
    QFETCH(int, kv_heads);
    QFETCH(int, head_dim);
    const HeadShape shape{2, std::size_t(length), std::size_t(query_heads), std::size_t(kv_heads),
                          std::size_t(head_dim)};
    const auto random = [&](int heads) { return at::randn({2, heads, length, head_dim}).to(at::kBFloat16); };
    const at::Tensor q = leaf(random(query_heads)), k = leaf(random(kv_heads)), v = leaf(random(kv_heads));
    const at::Tensor pull = at::randn({2 * length, query_heads * head_dim}).to(at::kBFloat16);
    const at::Tensor out = causal_attention({q, k, v}, shape);
    const auto grads = torch::autograd::grad({out}, {q, k, v}, {pull});

    const at::Tensor fq = leaf(q.to(at::kFloat)), fk = leaf(k.to(at::kFloat)), fv = leaf(v.to(at::kFloat));
    const auto group = query_heads / kv_heads;
    const at::Tensor wanted = at::scaled_dot_product_attention(fq, fk.repeat_interleave(group, 1),
                                                               fv.repeat_interleave(group, 1), {}, 0.0, true)
                                  .transpose(1, 2)
                                  .reshape({2 * length, -1});
    const auto wanted_grads = torch::autograd::grad({wanted}, {fq, fk, fv}, {pull.to(at::kFloat)});
    QVERIFY(relative_difference(out, wanted) < bf16_error);
    // With one token attention is constant in q and k: their derivatives are 0.
    for (std::size_t i = length == 1 ? 2 : 0; i < 3; ++i)
      QVERIFY2(relative_difference(grads[i], wanted_grads[i]) < bf16_error, qPrintable(QString("input %1").arg(i)));
  }

  void normEqualsLibtorch() {
    const at::Tensor x = leaf(at::randn({37, 64}) * 3), weight = leaf(at::randn({64}));
    const at::Tensor pull = at::randn({37, 64}).to(at::kBFloat16);
    const at::Tensor out = rms_norm(x, weight, 1e-5);
    const auto grads = torch::autograd::grad({out}, {x, weight}, {pull});
    const at::Tensor fx = leaf(x), fw = leaf(weight);
    const at::Tensor wanted = fx * (fx.pow(2).mean(-1, true) + 1e-5).rsqrt() * fw;
    const auto wanted_grads = torch::autograd::grad({wanted}, {fx, fw}, {pull.to(at::kFloat)});
    QVERIFY(relative_difference(out, wanted) < bf16_error);
    QVERIFY(relative_difference(grads[0], wanted_grads[0]) < bf16_error);
    QVERIFY(relative_difference(grads[1], wanted_grads[1]) < bf16_error);
  }

  void swigluEqualsLibtorch() {
    const at::Tensor x = leaf(at::randn({21, 2 * 96}).to(at::kBFloat16));
    const at::Tensor pull = at::randn({21, 96}).to(at::kBFloat16);
    const at::Tensor out = swiglu(x);
    const auto grads = torch::autograd::grad({out}, {x}, {pull});
    const at::Tensor fx = leaf(x.to(at::kFloat));
    const at::Tensor wanted = at::silu(fx.slice(1, 0, 96)) * fx.slice(1, 96);
    const auto wanted_grads = torch::autograd::grad({wanted}, {fx}, {pull.to(at::kFloat)});
    QVERIFY(relative_difference(out, wanted) < bf16_error);
    QVERIFY(relative_difference(grads[0], wanted_grads[0]) < bf16_error);
  }

  void crossEntropyEqualsLibtorch() {
    const at::Tensor logits = leaf((at::randn({19, 128}) * 3).to(at::kBFloat16));
    const at::Tensor target = at::randint(128, {19}, at::kLong), weight = at::rand({19});
    at::Tensor correct;
    const at::Tensor loss = weighted_cross_entropy(logits, target, weight, correct);
    const auto grads = torch::autograd::grad({loss}, {logits}, {});
    const at::Tensor f = leaf(logits.to(at::kFloat));
    const at::Tensor wanted = -(at::log_softmax(f, 1).gather(1, target.unsqueeze(1)).squeeze(1) * weight).sum();
    const auto wanted_grads = torch::autograd::grad({wanted}, {f}, {});
    QVERIFY(std::abs(loss.item<double>() / wanted.item<double>() - 1.0) < 1e-3);
    QVERIFY(relative_difference(grads[0], wanted_grads[0]) < bf16_error);
    QVERIFY(at::equal(correct.to(at::kBool), f.argmax(1) == target));
  }
};

KV_TEST_GUILESS_MAIN(TrainFunctionsTest)

}  // namespace functions_test

#include "functions_test.moc"
