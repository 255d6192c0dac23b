#include "core/train/attention_kernel.h"

// GCC 12 warns about the operand that its own intrinsics leave undefined.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#define KV_BF16 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512bf16,fma")))

namespace kvantage::train_kernels {
namespace {

constexpr std::size_t dim = 32;         // channels per head
constexpr std::size_t pairs = dim / 2;  // of channels: a product processes two at once
constexpr std::size_t lanes = 16;
constexpr std::size_t tile = 16;      // query rows processed together
constexpr std::size_t half_tile = 8;  // ... of which this many share registers

std::size_t padded(std::size_t length) { return (length + 31) / 32 * 32; }

KV_BF16 inline __m512bh as_pairs(__m512i x) { return reinterpret_cast<__m512bh>(x); }
KV_BF16 inline __m512i load(const std::uint32_t* p) { return _mm512_loadu_si512(p); }
KV_BF16 inline __m512 dot(__m512 sum, __m512i a, __m512i b) { return _mm512_dpbf16_ps(sum, as_pairs(a), as_pairs(b)); }
KV_BF16 inline __m256i narrow(__m512 x) { return reinterpret_cast<__m256i>(_mm512_cvtneps_pbh(x)); }
KV_BF16 inline __m512 wide(__m256i x) { return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(x), 16)); }

/// exp to about 1e-7 relative (Cephes' polynomial).
KV_BF16 inline __m512 exp_of(__m512 x) {
  x = _mm512_max_ps(x, _mm512_set1_ps(-87.0f));
  const __m512 n = _mm512_roundscale_ps(_mm512_mul_ps(x, _mm512_set1_ps(1.44269504f)), 0);
  __m512 r = _mm512_fnmadd_ps(n, _mm512_set1_ps(0.693359375f), x);
  r = _mm512_fmadd_ps(n, _mm512_set1_ps(2.12194440e-4f), r);
  __m512 p = _mm512_set1_ps(1.9875691500e-4f);
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(1.3981999507e-3f));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(8.3334519073e-3f));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(4.1665795894e-2f));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(1.6666665459e-1f));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(5.0000001201e-1f));
  p = _mm512_fmadd_ps(_mm512_mul_ps(p, r), r, _mm512_add_ps(r, _mm512_set1_ps(1.0f)));
  return _mm512_scalef_ps(p, n);
}

/// Zero-padded rows of a head, and the two layouts for products.
struct Packed {
  std::vector<Bf16> rows;                 // [padded, dim]
  std::vector<std::uint32_t> by_channel;  // [padded / 16][channel pair][16 rows]: rows in lanes
  std::vector<std::uint32_t> by_row;      // [padded / 2][dim]: two rows in each lane, channels in lanes

  /// `stride`: elements from one row of the source to the next.
  void fill(const Bf16* source, std::size_t stride, std::size_t length, bool channels, bool row_pairs) {
    const std::size_t size = padded(length);
    rows.assign(size * dim, 0);
    for (std::size_t i = 0; i < length; ++i) std::memcpy(&rows[i * dim], source + i * stride, dim * sizeof(Bf16));
    if (channels) {
      by_channel.resize(size * pairs);
      for (std::size_t i = 0; i < size; ++i)
        for (std::size_t c = 0; c < pairs; ++c)
          by_channel[(i / lanes * pairs + c) * lanes + i % lanes] =
              rows[i * dim + 2 * c] | (static_cast<std::uint32_t>(rows[i * dim + 2 * c + 1]) << 16);
    }
    if (row_pairs) {
      by_row.resize(size / 2 * dim);
      for (std::size_t i = 0; i < size; i += 2)
        for (std::size_t c = 0; c < dim; ++c)
          by_row[i / 2 * dim + c] = rows[i * dim + c] | (static_cast<std::uint32_t>(rows[(i + 1) * dim + c]) << 16);
    }
  }
};

/// out[r][j] = rows[r] . keys[j] for eight rows and all j < count (a multiple of 32).
KV_BF16 void row_products(const Bf16* rows, const std::uint32_t* by_channel, std::size_t count, float* out,
                          std::size_t stride) {
  for (std::size_t j = 0; j < count; j += 2 * lanes) {
    __m512 low[half_tile], high[half_tile];
    for (std::size_t r = 0; r < half_tile; ++r) low[r] = high[r] = _mm512_setzero_ps();
    const std::uint32_t* first = by_channel + j * pairs;
    const std::uint32_t* second = first + lanes * pairs;
#pragma GCC unroll 4
    for (std::size_t c = 0; c < pairs; ++c) {
      const __m512i a = load(first + c * lanes), b = load(second + c * lanes);
#pragma GCC unroll 8
      for (std::size_t r = 0; r < half_tile; ++r) {
        std::uint32_t pair;
        std::memcpy(&pair, rows + r * dim + 2 * c, sizeof pair);
        const __m512i x = _mm512_set1_epi32(static_cast<int>(pair));
        low[r] = dot(low[r], x, a);
        high[r] = dot(high[r], x, b);
      }
    }
    for (std::size_t r = 0; r < half_tile; ++r) {
      _mm512_storeu_ps(out + r * stride + j, low[r]);
      _mm512_storeu_ps(out + r * stride + j + lanes, high[r]);
    }
  }
}

/// out[r] = sum over j < count of weights[r][j] * values[j], for eight rows; count even.
KV_BF16 void weighted_sums(const Bf16* weights, std::size_t stride, const std::uint32_t* by_row, std::size_t count,
                           float* out) {
  __m512 low[half_tile], high[half_tile];
  for (std::size_t r = 0; r < half_tile; ++r) low[r] = high[r] = _mm512_setzero_ps();
  for (std::size_t j = 0; j < count; j += 2) {
    const __m512i a = load(by_row + j / 2 * dim), b = load(by_row + j / 2 * dim + lanes);
#pragma GCC unroll 8
    for (std::size_t r = 0; r < half_tile; ++r) {
      std::uint32_t pair;
      std::memcpy(&pair, weights + r * stride + j, sizeof pair);
      const __m512i x = _mm512_set1_epi32(static_cast<int>(pair));
      low[r] = dot(low[r], x, a);
      high[r] = dot(high[r], x, b);
    }
  }
  for (std::size_t r = 0; r < half_tile; ++r) {
    _mm512_storeu_ps(out + r * dim, low[r]);
    _mm512_storeu_ps(out + r * dim + lanes, high[r]);
  }
}

/// sums[j] += sum over the tile's rows r of weights[r][j] * rows[r], for j < count; weights come as pairs of rows
/// [tile / 2][stride], rows as by_row of the tile.
KV_BF16 void column_sums(const std::uint32_t* weight_pairs, std::size_t stride, const std::uint32_t* by_row,
                         std::size_t count, float* sums) {
  __m512i low[tile / 2], high[tile / 2];
  for (std::size_t p = 0; p < tile / 2; ++p) {
    low[p] = load(by_row + p * dim);
    high[p] = load(by_row + p * dim + lanes);
  }
  for (std::size_t j = 0; j < count; ++j) {
    __m512 a = _mm512_loadu_ps(sums + j * dim), b = _mm512_loadu_ps(sums + j * dim + lanes);
#pragma GCC unroll 8
    for (std::size_t p = 0; p < tile / 2; ++p) {
      const __m512i x = _mm512_set1_epi32(static_cast<int>(weight_pairs[p * stride + j]));
      a = dot(a, x, low[p]);
      b = dot(b, x, high[p]);
    }
    _mm512_storeu_ps(sums + j * dim, a);
    _mm512_storeu_ps(sums + j * dim + lanes, b);
  }
}

/// Columns j ... j + 15 that are visible to a row, as a lane mask.
KV_BF16 inline __mmask16 seen(std::size_t row, std::size_t j) {
  return row >= j + lanes - 1 ? __mmask16(0xffff) : (row < j ? __mmask16(0) : __mmask16((2u << (row - j)) - 1u));
}

KV_BF16 void store_rows(const float* sums, float scale, Bf16* out) {
  const __m512 s = _mm512_set1_ps(scale);
  for (std::size_t i = 0; i < dim; i += lanes)
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + i), narrow(_mm512_mul_ps(s, _mm512_loadu_ps(sums + i))));
}

/// Buffers for one tile of rows against all columns.
struct Scratch {
  std::size_t stride;
  std::vector<float> scores, gradients;                     // [tile, stride]
  std::vector<Bf16> weights;                                // [tile, stride]
  std::vector<std::uint32_t> weight_pairs, gradient_pairs;  // [tile / 2, stride]
  explicit Scratch(std::size_t length)
      : stride(padded(length)),
        scores(tile * stride),
        gradients(tile * stride),
        weights(tile * stride),
        weight_pairs(tile / 2 * stride),
        gradient_pairs(tile / 2 * stride) {}
};

/// Softmax of a row's scores into undivided bf16 weights; returns {sum, log of the true sum}.
KV_BF16 float softmax_row(const float* scores, std::size_t row, std::size_t count, float scale, Bf16* weights,
                          float* log_sum) {
  __m512 most = _mm512_set1_ps(-3.0e38f);
  for (std::size_t j = 0; j < count; j += lanes)
    most = _mm512_mask_max_ps(most, seen(row, j), most, _mm512_loadu_ps(scores + j));
  const float top = _mm512_reduce_max_ps(most);
  const __m512 shift = _mm512_set1_ps(-top * scale), factor = _mm512_set1_ps(scale);
  __m512 sum = _mm512_setzero_ps();
  for (std::size_t j = 0; j < count; j += lanes) {
    const __m512 e =
        _mm512_maskz_mov_ps(seen(row, j), exp_of(_mm512_fmadd_ps(_mm512_loadu_ps(scores + j), factor, shift)));
    sum = _mm512_add_ps(sum, e);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(weights + j), narrow(e));
  }
  const float total = _mm512_reduce_add_ps(sum);
  *log_sum = top * scale + std::log(total);
  return total;
}

KV_BF16 void forward_head(const Packed& q, const Packed& k, const Packed& v, std::size_t length, float scale, Bf16* out,
                          std::size_t out_stride, float* log_sum, Scratch& scratch) {
  float sums[half_tile * dim];
  for (std::size_t first = 0; first < length; first += half_tile) {
    const std::size_t count = std::min(padded(first + half_tile), scratch.stride);
    row_products(&q.rows[first * dim], k.by_channel.data(), count, scratch.scores.data(), scratch.stride);
    float totals[half_tile] = {};
    const std::size_t rows = std::min(half_tile, length - first);
    for (std::size_t r = 0; r < rows; ++r)
      totals[r] = softmax_row(&scratch.scores[r * scratch.stride], first + r, count, scale,
                              &scratch.weights[r * scratch.stride], &log_sum[first + r]);
    weighted_sums(scratch.weights.data(), scratch.stride, v.by_row.data(), count, sums);
    for (std::size_t r = 0; r < rows; ++r) store_rows(sums + r * dim, 1.0f / totals[r], out + (first + r) * out_stride);
  }
}

/// P = exp(S - log sum) and dS = P (dP - delta) scale of two rows, as bf16 pairs of rows and, for dS, by row.
KV_BF16 void gradient_rows(Scratch& scratch, std::size_t r, std::size_t row, std::size_t count, float scale,
                           const float* log_sum, const float* delta) {
  const std::size_t stride = scratch.stride;
  const __m512 factor = _mm512_set1_ps(scale);
  const __m512i low_half = _mm512_set1_epi32(0xffff);
  for (std::size_t j = 0; j < count; j += lanes) {
    __m512i weight[2], gradient[2];
    for (std::size_t i = 0; i < 2; ++i) {
      const float* scores = &scratch.scores[(r + i) * stride + j];
      const __m512 p = _mm512_maskz_mov_ps(
          seen(row + i, j), exp_of(_mm512_fmsub_ps(_mm512_loadu_ps(scores), factor, _mm512_set1_ps(log_sum[i]))));
      const __m512 dp =
          _mm512_sub_ps(_mm512_loadu_ps(&scratch.gradients[(r + i) * stride + j]), _mm512_set1_ps(delta[i]));
      const __m256i narrow_ds = narrow(_mm512_mul_ps(_mm512_mul_ps(p, dp), factor));
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(&scratch.weights[(r + i) * stride + j]), narrow_ds);
      weight[i] = _mm512_cvtepu16_epi32(narrow(p));
      gradient[i] = _mm512_cvtepu16_epi32(narrow_ds);
    }
    const auto merge = [&](const __m512i* both) KV_BF16 {
      return _mm512_or_si512(_mm512_and_si512(both[0], low_half), _mm512_slli_epi32(both[1], 16));
    };
    _mm512_storeu_si512(&scratch.weight_pairs[r / 2 * stride + j], merge(weight));
    _mm512_storeu_si512(&scratch.gradient_pairs[r / 2 * stride + j], merge(gradient));
  }
}

KV_BF16 float row_product(const Bf16* a, const Bf16* b) {
  __m512 sum = _mm512_setzero_ps();
  for (std::size_t i = 0; i < dim; i += lanes)
    sum = _mm512_fmadd_ps(wide(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(a + i))),
                          wide(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(b + i))), sum);
  return _mm512_reduce_add_ps(sum);
}

KV_BF16 void backward_head(const Packed& q, const Packed& k, const Packed& v, const Packed& dout, const Bf16* out,
                           std::size_t out_stride, const float* log_sum, std::size_t length, float scale, Bf16* dq,
                           float* dk, float* dv, Scratch& scratch) {
  float sums[half_tile * dim];
  for (std::size_t first = 0; first < length; first += tile) {
    const std::size_t count = std::min(padded(first + tile), scratch.stride);
    for (std::size_t r = 0; r < tile; r += half_tile) {
      row_products(&q.rows[(first + r) * dim], k.by_channel.data(), count, &scratch.scores[r * scratch.stride],
                   scratch.stride);
      row_products(&dout.rows[(first + r) * dim], v.by_channel.data(), count, &scratch.gradients[r * scratch.stride],
                   scratch.stride);
    }
    for (std::size_t r = 0; r < tile; r += 2) {
      // Rows past the end have dout = 0 and a log sum that zeroes their weights.
      float row_log_sum[2] = {3.0e4f, 3.0e4f}, delta[2] = {};
      for (std::size_t i = 0; i < 2 && first + r + i < length; ++i) {
        const std::size_t row = first + r + i;
        row_log_sum[i] = log_sum[row];
        delta[i] = row_product(&dout.rows[row * dim], out + row * out_stride);
      }
      gradient_rows(scratch, r, first + r, count, scale, row_log_sum, delta);
    }
    for (std::size_t r = 0; r < tile && first + r < length; r += half_tile) {
      weighted_sums(&scratch.weights[r * scratch.stride], scratch.stride, k.by_row.data(), count, sums);
      for (std::size_t i = 0; i < half_tile && first + r + i < length; ++i)
        store_rows(sums + i * dim, 1.0f, dq + (first + r + i) * dim);
    }
    column_sums(scratch.weight_pairs.data(), scratch.stride, &dout.by_row[first / 2 * dim], count, dv);
    column_sums(scratch.gradient_pairs.data(), scratch.stride, &q.by_row[first / 2 * dim], count, dk);
  }
}

float scale_of(const HeadShape& shape) { return 1.0f / std::sqrt(static_cast<float>(shape.head_dim)); }

}  // namespace

bool fast_attention_runs(const HeadShape& shape) {
  return shape.head_dim == dim && __builtin_cpu_supports("avx512bf16") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512bw");
}

void fast_attention_forward(const HeadShape& shape, const Bf16* q, const Bf16* k, const Bf16* v, Bf16* out,
                            float* log_sum) {
  const std::size_t group = shape.query_heads / shape.kv_heads, head_size = shape.length * dim;
  const std::size_t out_stride = shape.query_heads * dim;
  Scratch scratch(shape.length);
  Packed packed_q, packed_k, packed_v;
  for (std::size_t b = 0; b < shape.sequences; ++b)
    for (std::size_t kv = 0; kv < shape.kv_heads; ++kv) {
      const std::size_t kv_head = b * shape.kv_heads + kv;
      packed_k.fill(k + kv_head * head_size, dim, shape.length, true, false);
      packed_v.fill(v + kv_head * head_size, dim, shape.length, false, true);
      for (std::size_t g = 0; g < group; ++g) {
        const std::size_t head = kv * group + g, index = b * shape.query_heads + head;
        packed_q.fill(q + index * head_size, dim, shape.length, false, false);
        forward_head(packed_q, packed_k, packed_v, shape.length, scale_of(shape),
                     out + b * shape.length * out_stride + head * dim, out_stride, log_sum + index * shape.length,
                     scratch);
      }
    }
}

void fast_attention_backward(const HeadShape& shape, const Bf16* q, const Bf16* k, const Bf16* v, const Bf16* out,
                             const float* log_sum, const Bf16* dout, Bf16* dq, Bf16* dk, Bf16* dv) {
  const std::size_t group = shape.query_heads / shape.kv_heads, head_size = shape.length * dim;
  const std::size_t out_stride = shape.query_heads * dim;
  Scratch scratch(shape.length);
  Packed packed_q, packed_k, packed_v, packed_dout;
  std::vector<float> dk_sums, dv_sums;
  for (std::size_t b = 0; b < shape.sequences; ++b)
    for (std::size_t kv = 0; kv < shape.kv_heads; ++kv) {
      const std::size_t kv_head = b * shape.kv_heads + kv;
      packed_k.fill(k + kv_head * head_size, dim, shape.length, true, true);
      packed_v.fill(v + kv_head * head_size, dim, shape.length, true, false);
      dk_sums.assign(scratch.stride * dim, 0.0f);
      dv_sums.assign(scratch.stride * dim, 0.0f);
      for (std::size_t g = 0; g < group; ++g) {
        const std::size_t head = kv * group + g, index = b * shape.query_heads + head;
        const std::size_t place = b * shape.length * out_stride + head * dim;
        packed_q.fill(q + index * head_size, dim, shape.length, false, true);
        packed_dout.fill(dout + place, out_stride, shape.length, false, true);
        backward_head(packed_q, packed_k, packed_v, packed_dout, out + place, out_stride,
                      log_sum + index * shape.length, shape.length, scale_of(shape), dq + index * head_size,
                      dk_sums.data(), dv_sums.data(), scratch);
      }
      for (std::size_t i = 0; i < shape.length; ++i) {
        store_rows(&dk_sums[i * dim], 1.0f, dk + kv_head * head_size + i * dim);
        store_rows(&dv_sums[i * dim], 1.0f, dv + kv_head * head_size + i * dim);
      }
    }
}

}  // namespace kvantage::train_kernels
