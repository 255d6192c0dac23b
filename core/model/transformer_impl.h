// What a loaded model consists of; seen only inside core/model, because it holds tensors.
#pragma once

#include <ATen/ATen.h>

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/model/kernels/kernels.h"
#include "core/model/rope.h"
#include "core/model/safetensors.h"
#include "core/model/transformer.h"

namespace kvantage {

/// A weight matrix as it is multiplied: mapped from the file where its type is the one computed with.
struct Matrix {
  at::Tensor tensor;               // [out, in]
  at::Tensor bias;                 // [out] in the same type, or undefined
  std::vector<float> bias_values;  // the same in fp32, or empty
  // Where the file packs it as Q8_0: what single tokens are multiplied with, half the bytes of bf16 and exactly the
  // file's numbers.
  std::vector<signed char> codes;  // [out, in] or empty
  std::vector<float> scales;       // [out, in / 32]
  Element element = Element::fp32;

  int rows() const { return static_cast<int>(tensor.size(0)); }
  int columns() const { return static_cast<int>(tensor.size(1)); }
  const float* bias_or_null() const { return bias_values.empty() ? nullptr : bias_values.data(); }
};

/// A matrix and where its product with an input goes: [batch, rows].
struct Product {
  const Matrix* matrix = nullptr;
  float* output = nullptr;
};

struct LayerWeights {
  std::vector<float> input_norm;      // [hidden], before attention; where norms come after, behind it
  std::vector<float> attention_norm;  // [hidden], before the MLP, or behind it
  std::vector<float> input_norm_bias, attention_norm_bias;  // [hidden], of LayerNorm
  std::vector<float> query_norm;                            // [head_dim] or empty
  std::vector<float> key_norm;                              // [head_dim] or empty
  Matrix query;                                             // [heads * head_dim, hidden]
  Matrix key;                                               // [kv_heads * head_dim, hidden]
  Matrix value;                                             // [kv_heads * head_dim, hidden]
  Matrix output;                                            // [hidden, heads * head_dim]
  Matrix gate;  // [intermediate, hidden]; not there where the MLP has no gate
  Matrix up;    // [intermediate, hidden]
  Matrix down;  // [hidden, intermediate]
};

class LayerInputSink;

struct Transformer::Impl {
  ModelConfig config;
  ComputeType compute = ComputeType::fp32;
  KvType kv_type = KvType::fp32;
  Isa isa = Isa::portable;
  bool packed_products = true;
  WeightFiles files;  // keeps the mapping
  Digest128 digest;
  std::uint64_t weight_bytes = 0;
  std::vector<float> frequencies;  // [head_dim / 2]

  Matrix embeddings;  // [vocab_size, hidden]
  Matrix head;        // [vocab_size, hidden]; the embeddings when tied
  Matrix positions;   // [max_positions + position_offset, hidden], where they are learned
  std::vector<float> final_norm, final_norm_bias;
  std::vector<LayerWeights> layers;
  LayerInputSink* input_sink = nullptr;  // recompute.h
  std::shared_ptr<ModelDevice> device;   // null: the processor

  const Kernels& kernel() const { return kernels(isa); }
  Element element() const { return compute == ComputeType::bf16 ? Element::bf16 : Element::fp32; }
  at::ScalarType scalar() const { return compute == ComputeType::bf16 ? at::kBFloat16 : at::kFloat; }
  Element kv_element() const { return kv_type == KvType::bf16 ? Element::bf16 : Element::fp32; }

  /// The embedding of a token as fp32, with that of its position where positions are learned.
  void embed(std::int32_t token, std::int32_t position, float* row) const;
  /// One row of the residual stream through a norm of this model; bias is read by LayerNorm alone.
  void norm(const float* row, const std::vector<float>& weight, const std::vector<float>& bias, void* output,
            Element type) const;
  /// output[b] = matrix * input[b] + bias, split over threads where that pays; bits do not depend on the split.
  void multiply(const Matrix& matrix, const float* input, float* output, int batch = 1) const;
  /// Several matrices of as many columns with the same input, shared out once: threads wake once for all of them.
  void multiply(std::span<const Product> products, const float* input, int batch) const;
  /// Final norm and output head of `rows` rows of the residual stream: [rows, hidden] -> [rows, vocab_size].
  void logits(const float* residual, int rows, float* output) const;
};

/// Runs body(first, last) over parts of [0, count) on the compute threads; fewer than `grain` a part are not split.
void for_parts(std::int64_t count, std::int64_t grain, const std::function<void(int, int)>& body);

/// Addresses of one head's rows, for the kernels; valid until the cache changes. Coded rows stand before the others in
/// blocks that have no address until decode() is asked for them.
struct HeadRows {
  std::vector<const std::byte*> keys, values;
  KvRows rows(const KvCache& cache, int layer, int kv_head, Element element);
  /// Of rows [first, last) those that are coded, as held, into memory of this object; `first` is a multiple of the
  /// pool's block. The same addresses with theirs, valid until the next call; those of other coded rows are not to be
  /// read.
  KvRows decode(const KvCache& cache, int layer, int kv_head, KvRows rows, int first, int last);

 private:
  std::vector<std::int32_t> slots_;
  std::vector<std::byte> decoded_keys_, decoded_values_;
};

/// rejected_input for a token outside the vocabulary or a position beyond the model's; internal for a foreign cache.
Status check_request(const Transformer::Impl& model, const KvCache& cache, std::span<const std::int32_t> tokens,
                     std::int32_t first_position);

/// Runs `body`, which calls libtorch; what that throws becomes an Error.
Status guarded(const std::function<Status()>& body);

}  // namespace kvantage
