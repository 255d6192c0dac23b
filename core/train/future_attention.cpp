#include "core/train/future_attention.h"

#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>

namespace kvantage::inline training {
namespace {

constexpr double min_term = -3.0;  // scores that order this well need no further push

/// log |row| -> fp32 [sequences, heads, length].
at::Tensor log_norm(const at::Tensor& rows) {
  return rows.to(at::kFloat).square().sum(-1).clamp_min(1e-12).log() * 0.5;
}

at::Tensor repeated(const at::Tensor& rows, const train_kernels::HeadShape& shape) {
  const auto group = static_cast<std::int64_t>(shape.query_heads / shape.kv_heads);
  return group == 1 ? rows : rows.repeat_interleave(group, 1);
}

/// Zero mean and unit deviation over the tokens where `context` is 1, 0 elsewhere.
at::Tensor standardized(const at::Tensor& scores, const at::Tensor& context) {
  const at::Tensor count = context.sum(-1, true).clamp_min(1.0);
  const at::Tensor centered = (scores - (scores * context).sum(-1, true) / count) * context;
  return centered / (centered.square().sum(-1, true) / count + 1e-6).sqrt();
}

}  // namespace

FutureAttention::FutureAttention(const Batch& batch, std::size_t first, std::size_t count, at::Device device) {
  const auto sequences = static_cast<std::int64_t>(count), length = static_cast<std::int64_t>(batch.length);
  const at::Tensor context = at::zeros({sequences, 1, length}), asking = at::zeros({sequences, 1, length});
  const at::Tensor active = at::zeros({sequences, 1});
  first_question_ = length;
  for (std::int64_t row = 0; row < sequences; ++row) {
    const Batch::Parts& parts = batch.parts[first + static_cast<std::size_t>(row)];
    const auto text = static_cast<std::int64_t>(parts.context_tokens), used = static_cast<std::int64_t>(parts.tokens);
    if (text == 0 || used <= text) continue;
    context[row][0].narrow(0, 0, text).fill_(1.0);
    asking[row][0].narrow(0, text, used - text).fill_(1.0);
    active[row].fill_(1.0);
    first_question_ = std::min(first_question_, text);
  }
  context_ = context.to(device);
  asking_ = asking.to(device);
  active_ = active.to(device);
  sum_ = at::zeros({}, context_.options());
}

void FutureAttention::cut(Random& random) {
  constexpr double least = 0.1, most = 0.5;
  for (std::int64_t row = 0; row < context_.size(0); ++row) {
    removed_.push_back(static_cast<float>(least + (most - least) * random.uniform()));
    by_ratio_.push_back(static_cast<std::int64_t>(random.below(2)));
  }
}

// The attention that questions and answers pay to each token of the text, of all that goes there: fp32
// [sequences, kv_heads, length] that sums to 1 over the text, without graph.
at::Tensor FutureAttention::future_attention(const HeadTensors& heads, const train_kernels::HeadShape& shape) const {
  const c10::NoGradGuard no_gradient;
  const auto length = static_cast<std::int64_t>(shape.length), rows = length - first_question_;
  const at::Tensor keys = repeated(heads.k, shape);
  const at::Tensor queries = heads.q.narrow(2, first_question_, rows);
  at::Tensor logits = at::matmul(queries, keys.transpose(2, 3)).to(at::kFloat);
  logits.mul_(1.0 / std::sqrt(static_cast<double>(shape.head_dim)));
  const at::Tensor position = at::arange(length, logits.options().dtype(at::kLong));
  logits.masked_fill_(position.unsqueeze(0) > position.narrow(0, first_question_, rows).unsqueeze(1), -INFINITY);
  const at::Tensor asking = asking_.narrow(2, first_question_, rows).unsqueeze(1);  // [sequences, 1, 1, rows]
  const at::Tensor paid = at::matmul(asking, at::softmax(logits, -1)).squeeze(2);   // [sequences, query_heads, length]
  const at::Tensor by_kv_head =
      paid.view({paid.size(0), static_cast<std::int64_t>(shape.kv_heads), -1, length}).sum(2) * context_;
  return by_kv_head / by_kv_head.sum(-1, true).clamp_min(1e-9);
}

void FutureAttention::observe(const HeadTensors& heads, const train_kernels::HeadShape& shape) {
  ++layers_;
  if (first_question_ == static_cast<std::int64_t>(shape.length)) return;
  const at::Tensor paid = future_attention(heads, shape);
  const at::Tensor keys = log_norm(heads.k), values = log_norm(heads.v);
  at::Tensor terms = at::zeros({}, context_.options());
  for (const at::Tensor& scores : {-keys, values - keys})
    terms = terms + (-(paid * standardized(scores, context_)).sum(-1)).clamp_min(min_term);
  const at::Tensor count = active_.sum() * static_cast<double>(shape.kv_heads) * 2.0;
  sum_ = sum_ + (terms * active_).sum() / count;
}

// The tokens with the lowest scores: bool [sequences, kv_heads, length].
at::Tensor FutureAttention::evicted(const HeadTensors& heads) const {
  const auto sequences = static_cast<std::int64_t>(removed_.size());
  const auto per_sequence = [&](auto* data, at::ScalarType type) {
    return at::from_blob(const_cast<void*>(static_cast<const void*>(data)), {sequences, 1, 1}, type)
        .clone()
        .to(context_.device());
  };
  const at::Tensor by_ratio = per_sequence(by_ratio_.data(), at::kLong) == 1;
  const at::Tensor keys = log_norm(heads.k);
  const at::Tensor scores = at::where(by_ratio, log_norm(heads.v) - keys, -keys).masked_fill(context_ == 0, INFINITY);
  const at::Tensor rank = scores.argsort(-1, false).argsort(-1, false);
  const at::Tensor count = (per_sequence(removed_.data(), at::kFloat) * context_.sum(-1, true)).floor();
  return rank < count;
}

at::Tensor FutureAttention::attend(const HeadTensors& heads, const train_kernels::HeadShape& shape) const {
  const auto length = static_cast<std::int64_t>(shape.length);
  at::Tensor unseen;
  {
    const c10::NoGradGuard no_gradient;
    const at::Tensor causal = at::ones({length, length}, context_.options().dtype(at::kBool)).tril();
    const at::Tensor hidden = repeated(evicted(heads), shape).unsqueeze(2);  // [sequences, query_heads, 1, length]
    unseen = ~causal | (hidden & (asking_ == 1).unsqueeze(3));
  }
  at::Tensor q = heads.q, k = repeated(heads.k, shape), v = repeated(heads.v, shape);
  if (q.is_cpu()) q = q.to(at::kFloat), k = k.to(at::kFloat), v = v.to(at::kFloat);  // bf16 is slow on some
  // In plain steps: on an H100, libtorch's attention with such a mask once gave values that are not numbers.
  constexpr double out_of_sight = -1e4;
  const at::Tensor logits = at::matmul(q / std::sqrt(static_cast<double>(shape.head_dim)), k.transpose(2, 3));
  const at::Tensor out = at::matmul(at::softmax(logits.masked_fill(unseen, out_of_sight), -1), v);
  return out.to(at::kBFloat16).transpose(1, 2).reshape({static_cast<std::int64_t>(shape.sequences * shape.length), -1});
}

at::Tensor FutureAttention::loss() const { return layers_ > 0 ? sum_ / static_cast<double>(layers_) : sum_; }

}  // namespace kvantage::inline training
