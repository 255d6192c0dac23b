// The operations between a layer's matrix products, each a single kernel, because launches dominate a decode step with
// a batch of a few tokens: residual stream and norm, heads (bias, norm, RoPE, writing rows into the cache), activation
// of the MLP. Arithmetic in fp32, as in core/model. Rows are multiples of four numbers, aligned to 16 bytes, as tensors
// are.
#pragma once

#include <cstdint>

#include "gpu/kernels/device.h"
#include "gpu/kernels/paged_heads.h"

namespace kvantage::gpu {

/// Output of a bf16 matrix product: bf16 as in a prefill, or fp32 as in a decode step.
struct ProductRows {
  const void* numbers = nullptr;
  bool wide = false;  // fp32
};

/// residual += product + bias, then a norm of it. Device addresses; null pointers skip their part.
struct NormJob {
  int rows = 0, width = 0;
  float* residual = nullptr;      // [rows, width]
  ProductRows product;            // [rows, width]
  const float* bias = nullptr;    // [width], of the product
  const float* weight = nullptr;  // [width]; null: no norm
  const float* shift = nullptr;   // [width], LayerNorm's bias
  bool layer_norm = false;        // else RMSNorm
  bool in_place = false;          // the norm's result becomes the residual stream
  float eps = 0;
  std::uint16_t* normed = nullptr;  // [rows, width] bf16: the next product's input
};
/// usage: a width that is not a multiple of 4, or a negative number of rows.
Status launch_add_and_norm(const NormJob& job, Stream stream);

/// Queries, keys and values of some tokens from one product. Token r belongs to sequence r / each and is its new token
/// number r % each. Heads of sequence s in the cache are [s * kv_heads, (s + 1) * kv_heads), and `kept` there already
/// includes the new tokens.
struct HeadsJob {
  int rows = 0, each = 1;
  int heads = 0, kv_heads = 0, head_dim = 0;  // head_dim: a multiple of 8 up to 256
  ProductRows product;                        // [rows, (heads + 2 kv_heads) * head_dim]: queries, keys, values
  const float* bias = nullptr;                // [(heads + 2 kv_heads) * head_dim]
  const float* query_norm = nullptr;          // [head_dim], RMSNorm before RoPE
  const float* key_norm = nullptr;
  float eps = 0;
  const float* frequencies = nullptr;       // [head_dim / 2], radians per position; null: no rotation
  const std::int32_t* positions = nullptr;  // [rows / each]: of each sequence's first new token
  std::uint16_t* queries = nullptr;         // [rows, heads, head_dim] bf16
  PagedHeads cache;                         // keys, values and positions are written into its blocks
};
/// usage: a head_dim of the cache that is not a multiple of 8 up to 256 or differs from the job's, rows that are not a
/// multiple of `each`, or more than 65,535.
Status launch_write_heads(const HeadsJob& job, Stream stream);

/// out = silu(gate + bias) * (up + bias), or relu(up + bias) without a gate.
struct ActivationJob {
  int rows = 0, width = 0;
  bool gated = true;
  ProductRows product;           // [rows, 2 width]: gate, up; [rows, width] without a gate
  const float* bias = nullptr;   // with the width of the product
  std::uint16_t* out = nullptr;  // [rows, width] bf16
};
/// usage: a width that is not a multiple of 4, or more than 65,535 rows.
Status launch_activation(const ActivationJob& job, Stream stream);

/// References on host memory, in double except for RoPE angles, which are fp32 products as in core. fp32 results differ
/// by fp32 rounding, so bf16 results rarely differ, and then by one unit.
void add_and_norm_reference(const NormJob& job);
void write_heads_reference(const HeadsJob& job);
void activation_reference(const ActivationJob& job);

}  // namespace kvantage::gpu
