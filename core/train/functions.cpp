#include "core/train/functions.h"

#include <torch/csrc/autograd/custom_function.h>

#include <array>

#include "core/train/attention_kernel.h"

namespace kvantage::inline training {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;
using train_kernels::Bf16;
using train_kernels::HeadShape;

const Bf16* bits(const at::Tensor& tensor) { return static_cast<const Bf16*>(tensor.const_data_ptr()); }
Bf16* mutable_bits(const at::Tensor& tensor) { return static_cast<Bf16*>(tensor.mutable_data_ptr()); }
std::size_t extent(const at::Tensor& tensor, std::int64_t dimension) {
  return static_cast<std::size_t>(tensor.size(dimension));
}

struct RmsNorm : Function<RmsNorm> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight, double epsilon) {
    at::Tensor y = at::empty_like(x, x.options().dtype(at::kBFloat16));
    at::Tensor scale = at::empty({x.size(0)}, x.options());
    train_kernels::rms_norm_forward(x.const_data_ptr<float>(), weight.const_data_ptr<float>(),
                                    static_cast<float>(epsilon), mutable_bits(y), scale.data_ptr<float>(), extent(x, 0),
                                    extent(x, 1));
    context->save_for_backward({x, weight, scale});
    return y;
  }
  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto saved = context->get_saved_variables();
    const at::Tensor dy = gradients[0].contiguous();
    at::Tensor dx = at::empty_like(saved[0]);
    at::Tensor dweight = at::zeros_like(saved[1]);
    train_kernels::rms_norm_backward(saved[0].const_data_ptr<float>(), saved[1].const_data_ptr<float>(),
                                     saved[2].const_data_ptr<float>(), bits(dy), dx.data_ptr<float>(),
                                     dweight.data_ptr<float>(), extent(dx, 0), extent(dx, 1));
    return {dx, dweight, at::Tensor()};
  }
};

struct SwiGlu : Function<SwiGlu> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& gate_up) {
    at::Tensor out = at::empty({gate_up.size(0), gate_up.size(1) / 2}, gate_up.options());
    train_kernels::swiglu_forward(bits(gate_up), mutable_bits(out), extent(out, 0), extent(out, 1));
    context->save_for_backward({gate_up});
    return out;
  }
  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto saved = context->get_saved_variables();
    const at::Tensor dout = gradients[0].contiguous();
    at::Tensor dgate_up = at::empty_like(saved[0]);
    train_kernels::swiglu_backward(bits(saved[0]), bits(dout), mutable_bits(dgate_up), extent(dout, 0),
                                   extent(dout, 1));
    return {dgate_up};
  }
};

std::array<std::int64_t, 5> numbers(const HeadShape& shape) {
  return {static_cast<std::int64_t>(shape.sequences), static_cast<std::int64_t>(shape.length),
          static_cast<std::int64_t>(shape.query_heads), static_cast<std::int64_t>(shape.kv_heads),
          static_cast<std::int64_t>(shape.head_dim)};
}
HeadShape shape_of(at::IntArrayRef n) {
  const auto at = [&n](std::size_t i) { return static_cast<std::size_t>(n[i]); };
  return {at(0), at(1), at(2), at(3), at(4)};
}

struct BiasRope : Function<BiasRope> {
  static variable_list forward(AutogradContext* context, const at::Tensor& qkv, const at::Tensor& bias,
                               const at::Tensor& cosine, const at::Tensor& sine, at::IntArrayRef shape_numbers) {
    const HeadShape shape = shape_of(shape_numbers);
    const auto& n = shape_numbers;
    at::Tensor q = at::empty({n[0], n[2], n[1], n[4]}, qkv.options());
    at::Tensor k = at::empty({n[0], n[3], n[1], n[4]}, qkv.options());
    at::Tensor v = at::empty({n[0], n[3], n[1], n[4]}, qkv.options());
    train_kernels::bias_rope_forward(shape, bits(qkv), bias.const_data_ptr<float>(), cosine.const_data_ptr<float>(),
                                     sine.const_data_ptr<float>(), mutable_bits(q), mutable_bits(k), mutable_bits(v));
    context->save_for_backward({cosine, sine});
    context->saved_data["shape"] = std::vector<std::int64_t>(n.begin(), n.end());
    return {q, k, v};
  }
  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto saved = context->get_saved_variables();
    const HeadShape shape = shape_of(context->saved_data["shape"].toIntVector());
    const at::Tensor dq = gradients[0].contiguous(), dk = gradients[1].contiguous(), dv = gradients[2].contiguous();
    const auto width = static_cast<std::int64_t>(shape.row_width());
    at::Tensor dqkv = at::empty({static_cast<std::int64_t>(shape.sequences * shape.length), width}, dq.options());
    at::Tensor dbias = at::zeros({width}, saved[0].options());
    train_kernels::bias_rope_backward(shape, bits(dq), bits(dk), bits(dv), saved[0].const_data_ptr<float>(),
                                      saved[1].const_data_ptr<float>(), mutable_bits(dqkv), dbias.data_ptr<float>());
    return {dqkv, dbias, at::Tensor(), at::Tensor(), at::Tensor()};
  }
};

struct FastAttention : Function<FastAttention> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                            at::IntArrayRef shape_numbers) {
    const HeadShape shape = shape_of(shape_numbers);
    const auto& n = shape_numbers;
    at::Tensor out = at::empty({n[0] * n[1], n[2] * n[4]}, q.options());
    at::Tensor log_sum = at::empty({n[0], n[2], n[1]}, q.options().dtype(at::kFloat));
    train_kernels::fast_attention_forward(shape, bits(q), bits(k), bits(v), mutable_bits(out),
                                          log_sum.data_ptr<float>());
    context->save_for_backward({q, k, v, out, log_sum});
    context->saved_data["shape"] = std::vector<std::int64_t>(n.begin(), n.end());
    return out;
  }
  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto saved = context->get_saved_variables();
    const HeadShape shape = shape_of(context->saved_data["shape"].toIntVector());
    const at::Tensor dout = gradients[0].contiguous();
    at::Tensor dq = at::empty_like(saved[0]), dk = at::empty_like(saved[1]), dv = at::empty_like(saved[2]);
    train_kernels::fast_attention_backward(shape, bits(saved[0]), bits(saved[1]), bits(saved[2]), bits(saved[3]),
                                           saved[4].const_data_ptr<float>(), bits(dout), mutable_bits(dq),
                                           mutable_bits(dk), mutable_bits(dv));
    return {dq, dk, dv, at::Tensor()};
  }
};

struct CrossEntropy : Function<CrossEntropy> {
  static variable_list forward(AutogradContext* context, const at::Tensor& logits, const at::Tensor& target,
                               const at::Tensor& weight) {
    at::Tensor loss = at::empty({logits.size(0)}, weight.options());
    at::Tensor correct = at::empty({logits.size(0)}, target.options().dtype(at::kByte));
    at::Tensor dlogits = at::empty_like(logits);
    train_kernels::cross_entropy(bits(logits), target.const_data_ptr<std::int64_t>(), weight.const_data_ptr<float>(),
                                 loss.data_ptr<float>(), correct.data_ptr<std::uint8_t>(), mutable_bits(dlogits),
                                 extent(logits, 0), extent(logits, 1));
    context->saved_data["dlogits"] = dlogits;
    context->mark_non_differentiable({correct});
    return {loss.sum(), correct};
  }
  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    at::Tensor dlogits = context->saved_data["dlogits"].toTensor();
    // The loss is the root of the graph: its gradient is one unless scaled by the caller.
    const double scale = gradients[0].item<double>();
    if (scale != 1.0) dlogits = dlogits * scale;
    return {dlogits, at::Tensor(), at::Tensor()};
  }
};

}  // namespace

at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double epsilon) {
  return RmsNorm::apply(x, weight, epsilon);
}

at::Tensor swiglu(const at::Tensor& gate_up) { return SwiGlu::apply(gate_up); }

HeadTensors bias_rope(const at::Tensor& qkv, const at::Tensor& bias, const at::Tensor& cosine, const at::Tensor& sine,
                      const HeadShape& shape) {
  const auto n = numbers(shape);
  const variable_list out = BiasRope::apply(qkv, bias, cosine, sine, at::IntArrayRef(n));
  return {out[0], out[1], out[2]};
}

at::Tensor causal_attention(const HeadTensors& heads, const HeadShape& shape) {
  if (train_kernels::fast_attention_runs(shape)) {
    const auto n = numbers(shape);
    return FastAttention::apply(heads.q, heads.k, heads.v, at::IntArrayRef(n));
  }
  constexpr std::size_t short_length = 384;  // below it libtorch's fp32 kernel is faster
  const auto group = static_cast<std::int64_t>(shape.query_heads / shape.kv_heads);
  at::Tensor q = heads.q, k = heads.k, v = heads.v;
  if (shape.length < short_length) q = q.to(at::kFloat), k = k.to(at::kFloat), v = v.to(at::kFloat);
  k = k.repeat_interleave(group, 1);
  v = v.repeat_interleave(group, 1);
  const at::Tensor out = at::scaled_dot_product_attention(q, k, v, {}, 0.0, true);
  const auto rows = static_cast<std::int64_t>(shape.sequences * shape.length);
  return out.to(at::kBFloat16).transpose(1, 2).reshape({rows, -1});
}

at::Tensor weighted_cross_entropy(const at::Tensor& logits, const at::Tensor& target, const at::Tensor& weight,
                                  at::Tensor& correct) {
  const variable_list out = CrossEntropy::apply(logits, target, weight);
  correct = out[1];
  return out[0];
}

}  // namespace kvantage::inline training
