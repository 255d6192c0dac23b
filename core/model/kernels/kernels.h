// The arithmetic of a layer that is not a GEMM: attention over ragged heads, matrix x vector, norms, rotations.
//
// Each kernel has one body (body.inl and its parts), written against a small vector type and compiled once per
// instruction set into its own namespace. kernels(isa) returns the table of one of them; best_isa() is the one for this
// CPU. Nothing here knows tensors, pools or threads: callers pass addresses and split the work. The order of every sum
// is fixed: keys are taken in tiles of 64 from the start of a head's list of kept rows. So a result depends neither on
// the block size of the cache, nor on the batch, nor on the threads. Different instruction sets differ in the last
// bits.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "core/model/kernels/activation.h"
#include "core/model/kernels/isa.h"
#include "core/model/kernels/score_form.h"

namespace kvantage::inline model_kernels {

/// The upper half of a float.
struct Bf16 {
  std::uint16_t bits = 0;
};
inline float to_float(Bf16 number) { return std::bit_cast<float>(static_cast<std::uint32_t>(number.bits) << 16); }
inline float to_float(float number) { return number; }
/// Round to nearest, ties to even; NaN stays NaN.
inline Bf16 to_bf16(float number) {
  const auto bits = std::bit_cast<std::uint32_t>(number);
  if ((bits & 0x7fffffffU) > 0x7f800000U) return Bf16{static_cast<std::uint16_t>((bits >> 16) | 0x40U)};
  return Bf16{static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16)};
}

enum class Element { bf16, fp32 };

inline constexpr int key_tile = 64;

/// Kept rows of one KV head: block b holds slots [b*block_tokens, ...) of keys and values, each [block_tokens,
/// head_dim]. Row i is in slot row_slots[i], without a list in slot i. The placement of rows does not change results.
struct KvRows {
  const std::byte* const* keys = nullptr;
  const std::byte* const* values = nullptr;
  int block_tokens = 0;
  int kept = 0;
  Element type = Element::bf16;
  const std::int32_t* row_slots = nullptr;  // [kept] or null: dense
};

/// Causal attention of queries [first, last) of a chunk, all query heads of one KV head. Query i sees rows [0,
/// visible_before + i + 1). Queries must be multiplied by query_scale(head_dim).
struct PrefillAttention {
  KvRows rows;
  int head_dim = 0;  // even
  int group = 0;     // query heads that share this KV head
  int first = 0;     // queries of the chunk
  int last = 0;
  int visible_before = 0;         // rows kept before the chunk
  const void* queries = nullptr;  // [chunk, stride]: this KV head's first query head at column 0
  void* output = nullptr;         // [chunk, stride], same columns
  std::ptrdiff_t stride = 0;      // elements between tokens, in queries and output
  Element type = Element::fp32;   // of queries and output; bf16 multiplies in bf16 where the CPU does
  ScoreForm form;
};

/// Attention of one token, all query heads of one KV head, over the kept rows [first, last). A query has the same bits
/// alone as within its group.
struct DecodeAttention {
  KvRows rows;
  int first = 0;  // a multiple of key_tile
  int last = 0;   // 0: all rows
  int head_dim = 0;
  int group = 0;
  const float* queries = nullptr;  // [group, head_dim], multiplied by query_scale(head_dim)
  float* output = nullptr;         // [group, head_dim]
  /// bf16: queries and weights are rounded to it and multiplied in it, if rows are bf16, head_dim is a multiple of 32
  /// and the instruction set supports it; sums stay in fp32. fp32: nothing is rounded.
  Element type = Element::fp32;
  /// [group] each, or null. If given, for partial rows: the output is not yet divided by the denominators, which are
  /// relative to 2^maxima.
  float* maxima = nullptr;
  float* denominators = nullptr;
  float cap = 0;  // ScoreForm::cap
};

/// output[b, r] = bias[r] + sum over k of weight[r, k] * input[b, k], for r in [first, last).
struct MatVec {
  static constexpr int quantized_columns = 32;  // columns per scale
  const void* weight = nullptr;                 // [rows, columns]
  Element type = Element::fp32;
  // Alternatively: weight[r, k] = scales[r, k / 32] * codes[r, k]; columns are a multiple of 32. Inputs are then
  // quantized to 16 bits per 32 columns.
  const signed char* codes = nullptr;  // [rows, columns]
  const float* scales = nullptr;       // [rows, columns / 32]
  int columns = 0;
  int first = 0;
  int last = 0;
  const float* bias = nullptr;  // [rows] or null
  const float* input = nullptr;
  std::ptrdiff_t input_stride = 0;
  float* output = nullptr;
  std::ptrdiff_t output_stride = 0;
  int batch = 1;
};

/// Per-head operations on q, k and v between projection and attention: bias, norm over head_dim, rotation, scale.
struct HeadPass {
  const void* input = nullptr;  // [tokens, heads, head_dim]
  Element input_type = Element::fp32;
  void* output = nullptr;  // [tokens, heads, head_dim]
  Element output_type = Element::fp32;
  int tokens = 0;
  int heads = 0;
  int head_dim = 0;
  const float* bias = nullptr;  // [heads, head_dim] or null
  const float* norm = nullptr;  // [head_dim] or null
  float eps = 0;
  const float* cosines = nullptr;  // [tokens, head_dim/2] or null: no rotation
  const float* sines = nullptr;
  float scale = 1;
};

struct Kernels {
  void (*attention_prefill)(const PrefillAttention& job);
  void (*attention_decode)(const DecodeAttention& job);
  void (*matvec)(const MatVec& job);
  void (*head_pass)(const HeadPass& job);
  /// output[i] = x[i] / sqrt(mean(x^2) + eps) * weight[i], one row of `size`.
  void (*rms_norm)(const float* x, const float* weight, int size, float eps, void* output, Element type);
  /// output[i] = (x[i] - mean(x)) / sqrt(variance(x) + eps) * weight[i] + bias[i], one row of `size`.
  void (*layer_norm)(const float* x, const float* weight, const float* bias, int size, float eps, void* output,
                     Element type);
  /// output[i] = activation(gate[i]) * up[i], or clamped_swiglu of both.
  void (*gated)(Activation activation, const void* gate, const void* up, void* output, std::size_t count, Element type);
  /// x[i] = activation(x[i]); not clamped_swiglu.
  void (*activate)(Activation activation, void* x, std::size_t count, Element type);
  /// x[i] += y[i] (+ bias[i % size] where bias is given), rows of `size`.
  void (*add)(float* x, const void* y, const float* bias, int rows, int size, Element type);
};

/// The table of one instruction set, which this CPU must support.
const Kernels& kernels(Isa isa);

/// 1/sqrt(head_dim) * log2(e): inside the kernels, scores are exponents of two.
float query_scale(int head_dim);

}  // namespace kvantage::inline model_kernels
