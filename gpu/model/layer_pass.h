// The pass of tokens through a model's layers, except attention itself: shared by prefill and decode steps.
//
// Rounding follows core/model: the residual stream is fp32, product inputs are bf16. Products of a prefill are rounded
// to bf16, like the CPU's GEMMs; those of a decode step stay fp32 (`wide`), as core decodes in fp32. So each product
// input has one more rounding than in core's decode, and nothing else.
#pragma once

#include <ATen/ATen.h>

#include "gpu/model/cache_tables.h"
#include "gpu/model/device_weights.h"

namespace kvantage::gpu {

/// input * weight^T: [rows, in] x [out, in] -> [rows, out], in bf16, or in fp32 of the same bf16 numbers.
at::Tensor product(const at::Tensor& input, const at::Tensor& weight, bool wide);

class LayerPass {
 public:
  /// Weights and tables must outlive the pass. Launches go into `stream`, which must be libtorch's current one.
  LayerPass(const DeviceWeights& weights, const CacheTables& tables, bool wide, Stream stream)
      : weights_(weights), tables_(tables), wide_(wide), stream_(stream) {}

  /// tokens, positions: int32 [rows] on the device; each sequence has `each` adjacent rows, at ascending positions.
  Status begin(const at::Tensor& tokens, const at::Tensor& positions, int each);
  /// Writes the layer's keys and values into the cache, whose `kept` already includes them; returns queries after RoPE:
  /// bf16 [rows, heads * head_dim].
  Expected<at::Tensor> write_heads(int layer);
  /// Continues with only the last `rows` rows: nobody needs the top layer's output for the others.
  void keep_last(int rows);
  /// attended: bf16 [rows, heads * head_dim]. Output projection, MLP, norms.
  Status finish(int layer, const at::Tensor& attended);
  /// After the top layer: fp32 [rows, vocab_size].
  at::Tensor logits() const;

 private:
  int rows() const { return static_cast<int>(residual_.size(0)); }
  Status add_and_norm(const at::Tensor& product, const DeviceMatrix* matrix, const DeviceNorm* norm, bool in_place);

  const DeviceWeights& weights_;
  const CacheTables& tables_;
  bool wide_;
  Stream stream_;
  int each_ = 1;
  at::Tensor positions_;
  at::Tensor residual_;  // fp32 [rows, hidden]
  at::Tensor normed_;    // bf16 [rows, hidden]
};

}  // namespace kvantage::gpu
