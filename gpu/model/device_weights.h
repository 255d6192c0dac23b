// The weights of a model on a device: matrices in bf16, what is added or scaled by in fp32, products with the same
// input as one matrix.
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
  at::Tensor head;         // alike; the embeddings when tied
  at::Tensor positions;    // [max_positions + position_offset, hidden] bf16, where they are learned
  at::Tensor frequencies;  // [head_dim / 2] fp32, undefined where nothing is rotated
  DeviceNorm final_norm;   // undefined where norms come after
  std::vector<DeviceLayer> layers;

  /// Bytes on the device.
  std::uint64_t bytes() const;
};

/// rejected_input: a shape that the kernels do not take (head_dim no multiple of 8 up to 256, sizes no multiples of 4).
Status check_shape(const ModelConfig& config);

/// Copies a loaded model's. What is not bf16 there (fp32 checkpoints, packed ones as widened) is rounded to it.
/// no_space where the device has not as much memory. Throws what libtorch throws: callers stand in device_guarded().
Expected<DeviceWeights> copy_weights(const Transformer& model, at::Device device);

/// Random ones, made on the device: matrices as wide as keeps a vector's length, norms of one, biases of zero. For
/// experiments about time, whose answers mean nothing.
Expected<DeviceWeights> random_weights(const ModelConfig& config, at::Device device, std::uint64_t seed);

}  // namespace kvantage::gpu
