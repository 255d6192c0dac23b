// Keys and values of a layer from its inputs (KVPR, paper 004, section 3): projection, bias, k norm and rotation to the
// tokens' own positions, written into the blocks of the layer's heads. Equivalent to core/model/recompute.cpp for a
// prefill chunk.
#pragma once

#include <cstdint>

#include "gpu/kernels/device.h"
#include "gpu/kernels/paged_heads.h"

namespace kvantage::gpu {

/// Device addresses. Matrices and rows are bf16, aligned to 16 bytes.
struct KvProjection {
  const std::uint16_t *key = nullptr, *value = nullptr;    // [heads * head_dim, hidden]
  const float *key_bias = nullptr, *value_bias = nullptr;  // [heads * head_dim] or null
  const float* key_norm = nullptr;                         // [head_dim]: weight of an RMSNorm over each key; or null
  float eps = 0;
  const float* frequencies = nullptr;  // [head_dim / 2]: radians per position, channels f and f + head_dim / 2 rotate
                                       // together; null: no rotation
  int hidden = 0;                      // a multiple of 8
};

struct LayerInputs {
  const std::uint16_t* rows = nullptr;      // [tokens, hidden]: normed projection input
  const std::int32_t* positions = nullptr;  // [tokens]
  int tokens = 0;
};

/// Row i of the inputs becomes key, value and position of token first_token + i of every head of `to`, which must have
/// space for it (kept is unused). Products are rounded to bf16 before bias, norm and rotation in fp32, as in libtorch.
/// Tensor cores add in another order, so a product may differ by one bf16 unit. usage: a head_dim that is not a
/// multiple of 8 up to 256, or a hidden that is not a multiple of 8.
Status launch_recompute_kv(const LayerInputs& inputs, const KvProjection& projection, const PagedHeads& to,
                           int first_token, Stream stream);
/// Reference on host memory; products in double.
void recompute_kv_reference(const LayerInputs& inputs, const KvProjection& projection, const PagedHeads& to,
                            int first_token);

}  // namespace kvantage::gpu
