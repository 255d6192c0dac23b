#include "core/train/kernels.h"

#include <bit>
#include <cmath>
#include <cstring>

// Instantiates `name##_body` three times and calls the best one that the machine supports.
#define KV_DISPATCH(name, parameters, arguments)                                                        \
  __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,fma"))) void name##_avx512 parameters {     \
    name##_body arguments;                                                                              \
  }                                                                                                     \
  __attribute__((target("avx2,fma"))) void name##_avx2 parameters { name##_body arguments; }            \
  void name##_baseline parameters { name##_body arguments; }                                            \
  using name##_pointer = void(*) parameters;                                                            \
  name##_pointer choose_##name() {                                                                      \
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")) return name##_avx512; \
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return name##_avx2;            \
    return name##_baseline;                                                                             \
  }

#define KV_INLINE inline __attribute__((always_inline))

namespace kvantage::train_kernels {
namespace {

constexpr std::size_t kernel_lanes = 16;  // independent partial sums, for vectorization

KV_INLINE float wide_lanes(Bf16 value) { return std::bit_cast<float>(static_cast<std::uint32_t>(value) << 16); }
/// Rounds to nearest even; NaN cannot occur, as the loss check would have stopped the training.
KV_INLINE Bf16 narrow_lanes(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  return static_cast<Bf16>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

/// exp to about 2e-7 relative, inlined so that loops vectorize (Cephes' polynomial).
KV_INLINE float fast_exp(float x) {
  x = x < -87.0f ? -87.0f : (x > 88.0f ? 88.0f : x);
  const float n = (x * 1.44269504f + 12582912.0f) - 12582912.0f;
  const float r = x - n * 0.693359375f + n * 2.12194440e-4f;
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * r * r + r + 1.0f;
  return p * std::bit_cast<float>((static_cast<std::int32_t>(n) + 127) << 23);
}

KV_INLINE float total(const float* strands) {
  float sum = 0.0f;
  for (std::size_t i = 0; i < kernel_lanes; ++i) sum += strands[i];
  return sum;
}

KV_INLINE void rms_norm_forward_body(const float* x, const float* weight, float epsilon, Bf16* y, float* scale,
                                     std::size_t rows, std::size_t width) {
  for (std::size_t r = 0; r < rows; ++r, x += width, y += width) {
    float squares[kernel_lanes] = {};
    for (std::size_t i = 0; i < width; i += kernel_lanes)
      for (std::size_t j = 0; j < kernel_lanes; ++j) squares[j] += x[i + j] * x[i + j];
    const float s = 1.0f / std::sqrt(total(squares) / static_cast<float>(width) + epsilon);
    scale[r] = s;
    for (std::size_t i = 0; i < width; ++i) y[i] = narrow_lanes(x[i] * s * weight[i]);
  }
}

KV_INLINE void rms_norm_backward_body(const float* x, const float* weight, const float* scale, const Bf16* dy,
                                      float* dx, float* dweight, std::size_t rows, std::size_t width) {
  // y = s x w, s = (mean x^2 + e)^-1/2:  dx = s (w dy) - x s^3 mean(x w dy)
  for (std::size_t r = 0; r < rows; ++r, x += width, dy += width, dx += width) {
    const float s = scale[r];
    float products[kernel_lanes] = {};
    for (std::size_t i = 0; i < width; i += kernel_lanes)
      for (std::size_t j = 0; j < kernel_lanes; ++j) products[j] += x[i + j] * weight[i + j] * wide_lanes(dy[i + j]);
    const float shared = total(products) / static_cast<float>(width) * s * s * s;
    for (std::size_t i = 0; i < width; ++i) {
      const float d = wide_lanes(dy[i]);
      dx[i] = s * weight[i] * d - x[i] * shared;
      dweight[i] += s * x[i] * d;
    }
  }
}

KV_INLINE void swiglu_forward_body(const Bf16* gate_up, Bf16* out, std::size_t rows, std::size_t width) {
  for (std::size_t r = 0; r < rows; ++r, gate_up += 2 * width, out += width)
    for (std::size_t i = 0; i < width; ++i) {
      const float g = wide_lanes(gate_up[i]);
      out[i] = narrow_lanes(g / (1.0f + fast_exp(-g)) * wide_lanes(gate_up[width + i]));
    }
}

KV_INLINE void swiglu_backward_body(const Bf16* gate_up, const Bf16* dout, Bf16* dgate_up, std::size_t rows,
                                    std::size_t width) {
  for (std::size_t r = 0; r < rows; ++r, gate_up += 2 * width, dgate_up += 2 * width, dout += width)
    for (std::size_t i = 0; i < width; ++i) {
      const float g = wide_lanes(gate_up[i]);
      const float u = wide_lanes(gate_up[width + i]);
      const float d = wide_lanes(dout[i]);
      const float sigmoid = 1.0f / (1.0f + fast_exp(-g));
      dgate_up[i] = narrow_lanes(d * u * sigmoid * (1.0f + g * (1.0f - sigmoid)));
      dgate_up[width + i] = narrow_lanes(d * g * sigmoid);
    }
}

KV_INLINE void bias_rope_forward_body(const HeadShape& shape, const Bf16* qkv, const float* bias, const float* cosine,
                                      const float* sine, Bf16* q, Bf16* k, Bf16* v) {
  const std::size_t d = shape.head_dim, half = d / 2, turned = shape.query_heads + shape.kv_heads;
  for (std::size_t b = 0; b < shape.sequences; ++b)
    for (std::size_t t = 0; t < shape.length; ++t) {
      const std::size_t row = b * shape.length + t;
      const Bf16* in = qkv + row * shape.row_width();
      const float* c = cosine + row * half;
      const float* s = sine + row * half;
      for (std::size_t h = 0; h < turned; ++h) {
        const bool query = h < shape.query_heads;
        const std::size_t heads = query ? shape.query_heads : shape.kv_heads;
        const std::size_t head = query ? h : h - shape.query_heads;
        Bf16* out = (query ? q : k) + ((b * heads + head) * shape.length + t) * d;
        const Bf16* source = in + h * d;
        const float* offset = bias + h * d;
        for (std::size_t i = 0; i < half; ++i) {
          const float x = wide_lanes(source[i]) + offset[i];
          const float y = wide_lanes(source[half + i]) + offset[half + i];
          out[i] = narrow_lanes(x * c[i] - y * s[i]);
          out[half + i] = narrow_lanes(y * c[i] + x * s[i]);
        }
      }
      for (std::size_t h = 0; h < shape.kv_heads; ++h) {
        Bf16* out = v + ((b * shape.kv_heads + h) * shape.length + t) * d;
        for (std::size_t i = 0; i < d; ++i)
          out[i] = narrow_lanes(wide_lanes(in[(turned + h) * d + i]) + bias[(turned + h) * d + i]);
      }
    }
}

KV_INLINE void bias_rope_backward_body(const HeadShape& shape, const Bf16* dq, const Bf16* dk, const Bf16* dv,
                                       const float* cosine, const float* sine, Bf16* dqkv, float* dbias) {
  const std::size_t d = shape.head_dim, half = d / 2, turned = shape.query_heads + shape.kv_heads;
  for (std::size_t b = 0; b < shape.sequences; ++b)
    for (std::size_t t = 0; t < shape.length; ++t) {
      const std::size_t row = b * shape.length + t;
      Bf16* out = dqkv + row * shape.row_width();
      const float* c = cosine + row * half;
      const float* s = sine + row * half;
      for (std::size_t h = 0; h < turned; ++h) {
        const bool query = h < shape.query_heads;
        const std::size_t heads = query ? shape.query_heads : shape.kv_heads;
        const std::size_t head = query ? h : h - shape.query_heads;
        const Bf16* in = (query ? dq : dk) + ((b * heads + head) * shape.length + t) * d;
        for (std::size_t i = 0; i < half; ++i) {
          const float x = wide_lanes(in[i]);
          const float y = wide_lanes(in[half + i]);
          const float dx = x * c[i] + y * s[i];
          const float dy = y * c[i] - x * s[i];
          out[h * d + i] = narrow_lanes(dx);
          out[h * d + half + i] = narrow_lanes(dy);
          dbias[h * d + i] += dx;
          dbias[h * d + half + i] += dy;
        }
      }
      for (std::size_t h = 0; h < shape.kv_heads; ++h) {
        const Bf16* in = dv + ((b * shape.kv_heads + h) * shape.length + t) * d;
        for (std::size_t i = 0; i < d; ++i) {
          out[(turned + h) * d + i] = in[i];
          dbias[(turned + h) * d + i] += wide_lanes(in[i]);
        }
      }
    }
}

KV_INLINE void cross_entropy_body(const Bf16* logits, const std::int64_t* target, const float* weight, float* loss,
                                  std::uint8_t* correct, Bf16* dlogits, std::size_t rows, std::size_t classes) {
  for (std::size_t r = 0; r < rows; ++r, logits += classes, dlogits += classes) {
    float most[kernel_lanes];
    for (std::size_t j = 0; j < kernel_lanes; ++j) most[j] = -3.0e38f;
    for (std::size_t i = 0; i < classes; i += kernel_lanes)
      for (std::size_t j = 0; j < kernel_lanes; ++j) {
        const float x = wide_lanes(logits[i + j]);
        most[j] = x > most[j] ? x : most[j];
      }
    float top = most[0];
    for (std::size_t j = 1; j < kernel_lanes; ++j) top = most[j] > top ? most[j] : top;
    float sums[kernel_lanes] = {};
    for (std::size_t i = 0; i < classes; i += kernel_lanes)
      for (std::size_t j = 0; j < kernel_lanes; ++j) sums[j] += fast_exp(wide_lanes(logits[i + j]) - top);
    const float sum = total(sums);
    const auto goal = static_cast<std::size_t>(target[r]);
    const float at_goal = wide_lanes(logits[goal]);
    loss[r] = weight[r] * (std::log(sum) + top - at_goal);
    correct[r] = at_goal >= top ? 1 : 0;
    const float share = weight[r] / sum;
    for (std::size_t i = 0; i < classes; ++i) dlogits[i] = narrow_lanes(share * fast_exp(wide_lanes(logits[i]) - top));
    dlogits[goal] = narrow_lanes(share * fast_exp(at_goal - top) - weight[r]);
  }
}

KV_DISPATCH(rms_norm_forward,
            (const float* x, const float* weight, float epsilon, Bf16* y, float* scale, std::size_t rows,
             std::size_t width),
            (x, weight, epsilon, y, scale, rows, width))
KV_DISPATCH(rms_norm_backward,
            (const float* x, const float* weight, const float* scale, const Bf16* dy, float* dx, float* dweight,
             std::size_t rows, std::size_t width),
            (x, weight, scale, dy, dx, dweight, rows, width))
KV_DISPATCH(swiglu_forward, (const Bf16* gate_up, Bf16* out, std::size_t rows, std::size_t width),
            (gate_up, out, rows, width))
KV_DISPATCH(swiglu_backward,
            (const Bf16* gate_up, const Bf16* dout, Bf16* dgate_up, std::size_t rows, std::size_t width),
            (gate_up, dout, dgate_up, rows, width))
KV_DISPATCH(bias_rope_forward,
            (const HeadShape& shape, const Bf16* qkv, const float* bias, const float* cosine, const float* sine,
             Bf16* q, Bf16* k, Bf16* v),
            (shape, qkv, bias, cosine, sine, q, k, v))
KV_DISPATCH(bias_rope_backward,
            (const HeadShape& shape, const Bf16* dq, const Bf16* dk, const Bf16* dv, const float* cosine,
             const float* sine, Bf16* dqkv, float* dbias),
            (shape, dq, dk, dv, cosine, sine, dqkv, dbias))
KV_DISPATCH(cross_entropy,
            (const Bf16* logits, const std::int64_t* target, const float* weight, float* loss, std::uint8_t* correct,
             Bf16* dlogits, std::size_t rows, std::size_t classes),
            (logits, target, weight, loss, correct, dlogits, rows, classes))

}  // namespace

void rms_norm_forward(const float* x, const float* weight, float epsilon, Bf16* y, float* scale, std::size_t rows,
                      std::size_t width) {
  static const auto run = choose_rms_norm_forward();
  run(x, weight, epsilon, y, scale, rows, width);
}
void rms_norm_backward(const float* x, const float* weight, const float* scale, const Bf16* dy, float* dx,
                       float* dweight, std::size_t rows, std::size_t width) {
  static const auto run = choose_rms_norm_backward();
  run(x, weight, scale, dy, dx, dweight, rows, width);
}
void swiglu_forward(const Bf16* gate_up, Bf16* out, std::size_t rows, std::size_t width) {
  static const auto run = choose_swiglu_forward();
  run(gate_up, out, rows, width);
}
void swiglu_backward(const Bf16* gate_up, const Bf16* dout, Bf16* dgate_up, std::size_t rows, std::size_t width) {
  static const auto run = choose_swiglu_backward();
  run(gate_up, dout, dgate_up, rows, width);
}
void bias_rope_forward(const HeadShape& shape, const Bf16* qkv, const float* bias, const float* cosine,
                       const float* sine, Bf16* q, Bf16* k, Bf16* v) {
  static const auto run = choose_bias_rope_forward();
  run(shape, qkv, bias, cosine, sine, q, k, v);
}
void bias_rope_backward(const HeadShape& shape, const Bf16* dq, const Bf16* dk, const Bf16* dv, const float* cosine,
                        const float* sine, Bf16* dqkv, float* dbias) {
  static const auto run = choose_bias_rope_backward();
  run(shape, dq, dk, dv, cosine, sine, dqkv, dbias);
}
void cross_entropy(const Bf16* logits, const std::int64_t* target, const float* weight, float* loss,
                   std::uint8_t* correct, Bf16* dlogits, std::size_t rows, std::size_t classes) {
  static const auto run = choose_cross_entropy();
  run(logits, target, weight, loss, correct, dlogits, rows, classes);
}

}  // namespace kvantage::train_kernels
