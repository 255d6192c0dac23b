#include "core/train/functions.h"

namespace kvantage::plain {

at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double epsilon) {
  return (x * (x.square().mean(-1, true) + epsilon).rsqrt() * weight).to(at::kBFloat16);
}

at::Tensor swiglu(const at::Tensor& gate_up) {
  const auto parts = gate_up.to(at::kFloat).chunk(2, 1);
  return (at::silu(parts[0]) * parts[1]).to(at::kBFloat16);
}

HeadTensors bias_rope(const at::Tensor& qkv, const at::Tensor& bias, const at::Tensor& cosine, const at::Tensor& sine,
                      const train_kernels::HeadShape& shape) {
  const auto sequences = static_cast<std::int64_t>(shape.sequences), length = static_cast<std::int64_t>(shape.length);
  const auto query_heads = static_cast<std::int64_t>(shape.query_heads),
             kv_heads = static_cast<std::int64_t>(shape.kv_heads);
  const auto head_dim = static_cast<std::int64_t>(shape.head_dim), half = head_dim / 2;
  const at::Tensor x = (qkv.to(at::kFloat) + bias).view({sequences, length, query_heads + 2 * kv_heads, head_dim});
  const at::Tensor c = cosine.view({sequences, length, 1, half}), s = sine.view({sequences, length, 1, half});
  const auto turned = [&](const at::Tensor& heads) {
    const at::Tensor first = heads.narrow(3, 0, half), second = heads.narrow(3, half, half);
    return at::cat({first * c - second * s, second * c + first * s}, 3);
  };
  const auto by_head = [](const at::Tensor& heads) { return heads.to(at::kBFloat16).transpose(1, 2).contiguous(); };
  return {by_head(turned(x.narrow(2, 0, query_heads))), by_head(turned(x.narrow(2, query_heads, kv_heads))),
          by_head(x.narrow(2, query_heads + kv_heads, kv_heads))};
}

at::Tensor causal_attention(const HeadTensors& heads, const train_kernels::HeadShape& shape) {
  const auto group = static_cast<std::int64_t>(shape.query_heads / shape.kv_heads);
  const at::Tensor out = at::scaled_dot_product_attention(heads.q, heads.k.repeat_interleave(group, 1),
                                                          heads.v.repeat_interleave(group, 1), {}, 0.0, true);
  return out.transpose(1, 2).reshape({static_cast<std::int64_t>(shape.sequences * shape.length), -1});
}

at::Tensor weighted_cross_entropy(const at::Tensor& logits, const at::Tensor& target, const at::Tensor& weight,
                                  at::Tensor& correct) {
  const at::Tensor wide = logits.to(at::kFloat);
  correct = (wide.argmax(1) == target).to(at::kByte);
  return -(at::log_softmax(wide, 1).gather(1, target.unsqueeze(1)).squeeze(1) * weight).sum();
}

}  // namespace kvantage::plain
