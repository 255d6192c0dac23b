// The weights of a model on a device: matrices in bf16, biases and scales in fp32, products with the same input fused
// into one matrix.
#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <vector>

#include "core/base/error.h"
#include "core/model/transformer.h"

namespace kvantage::gpu {

/// RMSNorm, or LayerNorm with its bias; fp32 [width].
struct DeviceNorm {
  at::Tensor weight, bias;
};

/// [out, in] bf16; bias fp32 [out] or undefined.
struct DeviceMatrix {
  at::Tensor weight, bias;
};

struct DeviceLayer {
  DeviceNorm input_norm, attention_norm;
  at::Tensor query_norm, key_norm;  // fp32 [head_dim] or undefined
  DeviceMatrix heads;               // [(heads + 2 kv_heads) * head_dim, hidden]: queries, keys, values
  DeviceMatrix output;              // [hidden, heads * head_dim]
  DeviceMatrix up;                  // [2 intermediate, hidden]: gate, up; without a gate [intermediate, hidden]
  DeviceMatrix down;                // [hidden, intermediate]
};

struct DeviceWeights {
  ModelConfig config;
  at::Device device = at::kCPU;
  at::Tensor embeddings;   // [vocab_size, hidden] bf16
  at::Tensor head;         // the same shape; the embeddings when tied
  at::Tensor positions;    // [max_positions + position_offset, hidden] bf16, if learned
  at::Tensor frequencies;  // [head_dim / 2] fp32, undefined without rotation
  DeviceNorm final_norm;   // undefined if norms come after the parts
  std::vector<DeviceLayer> layers;

  /// Bytes on the device.
  std::uint64_t bytes() const;
};

/// rejected_input: a shape that the kernels do not support (head_dim not a multiple of 8 up to 256, sizes not multiples
/// of 4).
Status check_shape(const ModelConfig& config);

/// Copies a loaded model's weights. Non-bf16 weights (fp32 checkpoints, widened packed ones) are rounded to bf16.
/// no_space if the device lacks memory. Throws libtorch's exceptions: call inside device_guarded().
Expected<DeviceWeights> copy_weights(const Transformer& model, at::Device device);

/// Random weights, created on the device: matrices scaled to preserve a vector's norm, norms of one, biases of zero.
/// For timing experiments, whose answers are meaningless.
Expected<DeviceWeights> random_weights(const ModelConfig& config, at::Device device, std::uint64_t seed);

}  // namespace kvantage::gpu
