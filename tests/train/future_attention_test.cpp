// links: core_train kvantage::torch
// What a training teaches keys about future attention: the loss against its definition written out in loops, cuts that
// hide what they should and nothing else, and gradients that move key norms the right way.
#include <ATen/ATen.h>
#include <QtTest>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/train/future_attention.h"
#include "tests/support/test_program.h"

namespace future_attention_test {

using namespace kvantage;
using train_kernels::HeadShape;

namespace {

constexpr std::int64_t sequences = 3, length = 40, query_heads = 4, kv_heads = 2, head_dim = 16;
const HeadShape shape{sequences, length, query_heads, kv_heads, head_dim};

/// Texts of 24 and 12 tokens with questions, and a sequence without.
Batch batch() {
  Batch made;
  made.sequences = sequences;
  made.length = length;
  made.parts = {{24, 36}, {0, 40}, {12, 40}};
  return made;
}

HeadTensors random_heads() {
  const auto rows = [](std::int64_t heads) {
    return at::randn({sequences, heads, length, head_dim}).to(at::kBFloat16);
  };
  return {rows(query_heads), rows(kv_heads), rows(kv_heads)};
}

/// Attention of one query row to the keys before it, in double.
std::vector<double> attention_row(const HeadTensors& heads, std::int64_t s, std::int64_t h, std::int64_t row) {
  const at::Tensor q = heads.q.index({s, h, row}).to(at::kDouble);
  const at::Tensor keys = heads.k.index({s, h / (query_heads / kv_heads)}).to(at::kDouble).narrow(0, 0, row + 1);
  const at::Tensor weights = at::softmax(at::mv(keys, q) / std::sqrt(double(head_dim)), 0).contiguous();
  return {weights.const_data_ptr<double>(), weights.const_data_ptr<double>() + row + 1};
}

double norm(const at::Tensor& rows, std::int64_t s, std::int64_t h, std::int64_t row) {
  return rows.index({s, h, row}).to(at::kDouble).norm().item<double>();
}

/// - sum of attention times standardized score, at least -3.
double term(const std::vector<double>& attention, const std::vector<double>& scores) {
  double mean = 0, square = 0, paid = 0, sum = 0;
  for (const double score : scores) mean += score / double(scores.size());
  for (const double score : scores) square += (score - mean) * (score - mean) / double(scores.size());
  for (const double weight : attention) paid += weight;
  for (std::size_t t = 0; t < scores.size(); ++t)
    sum -= attention[t] / paid * (scores[t] - mean) / std::sqrt(square + 1e-6);
  return std::max(sum, -3.0);
}

double wanted_loss(const HeadTensors& heads) {
  double sum = 0;
  int terms = 0;
  for (const auto& [s, text, used] : {std::tuple{0, 24, 36}, std::tuple{2, 12, 40}})
    for (std::int64_t h = 0; h < kv_heads; ++h) {
      std::vector<double> attention(std::size_t(text), 0.0), keys, ratios;
      for (std::int64_t g = 0; g < query_heads / kv_heads; ++g)
        for (std::int64_t row = text; row < used; ++row) {
          const auto weights = attention_row(heads, s, h * (query_heads / kv_heads) + g, row);
          for (std::size_t t = 0; t < attention.size(); ++t) attention[t] += weights[t];
        }
      for (std::int64_t t = 0; t < text; ++t) {
        keys.push_back(-std::log(norm(heads.k, s, h, t)));
        ratios.push_back(std::log(norm(heads.v, s, h, t)) + keys.back());
      }
      sum += term(attention, keys) + term(attention, ratios);
      terms += 2;
    }
  return sum / terms;
}

}  // namespace

class FutureAttentionTest : public QObject {
  Q_OBJECT
 private slots:
  void init() { at::manual_seed(3); }

  void theLossIsItsDefinition() {
    FutureAttention future(batch(), 0, sequences, at::kCPU);
    const HeadTensors first = random_heads(), second = random_heads();
    future.observe(first, shape);
    future.observe(second, shape);
    const double wanted = (wanted_loss(first) + wanted_loss(second)) / 2, found = future.loss().item<double>();
    QVERIFY2(std::abs(found - wanted) < 2e-3, qPrintable(QString("%1 for %2").arg(found).arg(wanted)));
  }

  void sequencesWithoutQuestionsTeachNothing() {
    FutureAttention future(batch(), 1, 1, at::kCPU);
    future.observe({at::randn({1, query_heads, length, head_dim}), at::randn({1, kv_heads, length, head_dim}),
                    at::randn({1, kv_heads, length, head_dim})},
                   {1, length, query_heads, kv_heads, head_dim});
    QCOMPARE(future.loss().item<double>(), 0.0);
  }

  void keysThatGetAttentionBecomeShorter() {
    HeadTensors heads = random_heads();
    heads.k = heads.k.to(at::kFloat).requires_grad_(true);
    heads.q = heads.q.to(at::kFloat);
    FutureAttention future(batch(), 0, sequences, at::kCPU);
    future.observe(heads, shape);
    const double before = future.loss().item<double>();
    future.loss().backward();
    const at::Tensor step = heads.k.grad() * 200.0;
    QVERIFY(step.select(0, 1).abs().max().item<double>() == 0);  // nothing asks about the second sequence
    FutureAttention after(batch(), 0, sequences, at::kCPU);
    HeadTensors moved = heads;
    moved.k = (heads.k - step).detach();
    after.observe(moved, shape);
    QVERIFY2(after.loss().item<double>() < before - 0.05,
             qPrintable(QString("%1 after %2").arg(after.loss().item<double>()).arg(before)));
  }

  void cutsHideTheLowestScoresFromQuestionsAlone() {
    const HeadTensors heads = random_heads();
    FutureAttention future(batch(), 0, sequences, at::kCPU);
    QVERIFY(!future.cuts());
    Random random(9);
    future.cut(random);
    QVERIFY(future.cuts());
    const at::Tensor out = future.attend(heads, shape).to(at::kFloat).view({sequences, length, query_heads, head_dim});
    const at::Tensor whole =
        plain::causal_attention(heads, shape).to(at::kFloat).view({sequences, length, query_heads, head_dim});
    const auto apart = [&](std::int64_t s, std::int64_t from, std::int64_t to) {
      return (out[s] - whole[s]).narrow(0, from, to - from).abs().amax({0, 2}).min().item<double>();
    };
    const auto alike = [&](std::int64_t s, std::int64_t from, std::int64_t to) {
      return (out[s] - whole[s]).narrow(0, from, to - from).abs().max().item<double>();
    };
    constexpr double rounding = 0.03;  // of bf16, for values of about 1
    QVERIFY(alike(0, 0, 24) < rounding && alike(0, 36, 40) < rounding);
    QVERIFY(alike(1, 0, 40) < rounding);
    QVERIFY(alike(2, 0, 12) < rounding);
    QVERIFY(apart(0, 24, 36) > rounding && apart(2, 12, 40) > rounding);  // in every head

    // The draws of `cut` again, and what they hide, by brute force.
    Random again(9);
    std::vector<double> removed;
    std::vector<bool> by_ratio;
    for (int s = 0; s < sequences; ++s) {
      removed.push_back(0.1 + 0.4 * again.uniform());
      by_ratio.push_back(again.below(2) == 1);
    }
    const std::int64_t s = 0, text = 24, row = 30, h = 3, kv = 1;
    std::vector<std::pair<double, std::int64_t>> scores;
    for (std::int64_t t = 0; t < text; ++t) {
      const double key = norm(heads.k, s, kv, t);
      scores.emplace_back(by_ratio[0] ? norm(heads.v, s, kv, t) / key : -key, t);
    }
    std::sort(scores.begin(), scores.end());
    std::vector<double> weights = attention_row(heads, s, h, row);
    const auto count = static_cast<std::size_t>(removed[0] * double(text));
    QVERIFY(count >= 2);
    for (std::size_t i = 0; i < count; ++i) weights[std::size_t(scores[i].second)] = 0;
    at::Tensor sum = at::zeros({head_dim}, at::kDouble);
    double all = 0;
    for (std::size_t t = 0; t < weights.size(); ++t) {
      sum += heads.v.index({s, kv, std::int64_t(t)}).to(at::kDouble) * weights[t];
      all += weights[t];
    }
    const double off = (out.index({s, row, h}).to(at::kDouble) - sum / all).abs().max().item<double>();
    QVERIFY2(off < rounding, qPrintable(QString::number(off)));
  }
};

KV_TEST_GUILESS_MAIN(FutureAttentionTest)

}  // namespace future_attention_test

#include "future_attention_test.moc"
