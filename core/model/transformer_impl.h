// Internals of a loaded model; private to core/model, because it holds tensors.
#pragma once

#include <ATen/ATen.h>

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/model/kernels/kernels.h"
#include "core/model/packed/packed_weights.h"
#include "core/model/products/products.h"
#include "core/model/rope.h"
#include "core/model/safetensors.h"
#include "core/model/transformer.h"

namespace kvantage::inline model {

struct LatentInput;

/// A weight matrix in its compute form: mapped from the file if its type is the compute type.
struct Matrix {
  at::Tensor tensor;                            // [out, in]; undefined if packed
  at::Tensor bias;                              // [out] in the same type, or undefined
  std::vector<float> bias_values;               // the same in fp32, or empty
  std::vector<signed char> codes;               // [out, in] as the file's Q8_0, for single tokens, or empty
  std::vector<float> scales;                    // [out, in / 32]
  std::shared_ptr<const PackedWeights> packed;  // or null
  Element element = Element::fp32;
  std::shared_ptr<const LatentInput> latent;  // it multiplies what this makes of an input; null: the input itself

  /// Are single tokens multiplied with a packed form?
  bool is_packed() const { return packed != nullptr || !codes.empty(); }
  bool is_there() const { return packed != nullptr || tensor.defined(); }
  int rows() const { return packed != nullptr ? packed->matrix.rows : static_cast<int>(tensor.size(0)); }
  int columns() const { return packed != nullptr ? packed->matrix.columns : static_cast<int>(tensor.size(1)); }
  const float* bias_or_null() const { return bias_values.empty() ? nullptr : bias_values.data(); }
  /// The tensor, or a copy of the packed numbers in this type (bf16 or fp32).
  at::Tensor wide(at::ScalarType type) const { return packed != nullptr ? widened(*packed, type) : tensor; }
};

/// Multi-head latent attention: a product with an input whose first numbers are normed (RMSNorm).
struct LatentInput {
  Matrix down;              // [numbers, hidden]
  std::vector<float> norm;  // of the first so many
};
inline constexpr float latent_norm_eps = 1e-6F;  // whatever a model's other norms have

/// A matrix and the destination of its product with an input: [batch, rows].
struct Product {
  const Matrix* matrix = nullptr;
  float* output = nullptr;
};

/// One of the MLPs of a layer with experts: as LayerWeights' own, with ExpertForm::intermediate.
struct ExpertWeights {
  Matrix gate, up, down;
};

/// What few architectures have; vectors are empty and matrices undefined elsewhere.
struct ExtraWeights {
  std::vector<float> attention_output_norm, mlp_output_norm;  // [hidden], before these are added
  std::vector<float> sinks;                                   // [heads], in the kernels' exponents of two
  Matrix router;                                              // [experts, hidden]
  std::vector<float> router_correction;                       // [experts], ExpertScores::sigmoid
  std::vector<ExpertWeights> experts;
};

struct LayerWeights {
  std::vector<float> input_norm;      // [hidden], before attention, or after it where norms come after; may be empty
  std::vector<float> attention_norm;  // [hidden], before the MLP, or after it; may be empty
  std::vector<float> input_norm_bias, attention_norm_bias;  // [hidden], of LayerNorm
  std::vector<float> query_norm;  // [head_dim], [heads * head_dim] (NormForm::whole_heads) or empty
  std::vector<float> key_norm;    // the same of KV heads
  ExtraWeights extra;
  Matrix query;   // [heads * head_dim, hidden]
  Matrix key;     // [kv_heads * head_dim, hidden]
  Matrix value;   // [kv_heads * head_dim, hidden]
  Matrix output;  // [hidden, heads * head_dim]
  Matrix gate;    // [intermediate, hidden]; empty where the MLP has no gate; beside experts: of the shared MLP
  Matrix up;      // [intermediate, hidden]
  Matrix down;    // [hidden, intermediate]
};

class LayerInputSink;
struct PassBuffers;

struct Transformer::Impl {
  ModelConfig config;
  ComputeType compute = ComputeType::fp32;
  KvType kv_type = KvType::fp32;
  Isa isa = Isa::portable;
  bool packed_products = true;
  std::optional<ProductSet> products;  // nothing: libtorch multiplies the rows of a prefill
  WeightFiles files;                   // keeps the mapping
  Digest128 digest;
  std::uint64_t weight_bytes = 0;
  Rotations rotations;

  Matrix embeddings;  // [vocab_size, hidden]
  Matrix head;        // [vocab_size, hidden]; the embeddings when tied
  Matrix positions;   // [max_positions + position_offset, hidden], if learned
  std::vector<float> final_norm, final_norm_bias;
  std::vector<LayerWeights> layers;
  LayerInputSink* input_sink = nullptr;     // recompute.h
  std::shared_ptr<ModelDevice> device;      // null: the CPU
  std::weak_ptr<PassBuffers> pass_buffers;  // of prefills between their first and last step (prefill_pass.h)

  const Kernels& kernel() const { return kernels(isa); }
  Element element() const { return compute == ComputeType::bf16 ? Element::bf16 : Element::fp32; }
  at::ScalarType scalar() const { return compute == ComputeType::bf16 ? at::kBFloat16 : at::kFloat; }
  /// What queries are multiplied by before attention.
  float score_scale() const;
  float observed_scale() const;  // ModelConfig
  /// ScaleForm::attention_cap, in the kernels' exponents of two.
  float score_cap() const { return static_cast<float>(config.form.scales.attention_cap * score_unit); }
  /// Whether a decode step multiplies an input as rounded to the compute type: keys and values follow from it, exactly.
  bool rounds_decoded_inputs(const LayerWeights& layer) const;
  Element kv_element() const { return kv_type == KvType::bf16 ? Element::bf16 : Element::fp32; }

  /// The embedding of a token as fp32, plus that of its position if positions are learned.
  void embed(std::int32_t token, std::int32_t position, float* row) const;
  /// Applies a norm of this model to one row of the residual stream; only LayerNorm uses bias.
  void norm(const float* row, const std::vector<float>& weight, const std::vector<float>& bias, void* output,
            Element type) const;
  /// output[b] = matrix * input[b] + bias, split over threads where that pays off; results do not depend on the split.
  void multiply(const Matrix& matrix, const float* input, float* output, int batch = 1) const;
  /// Several matrices with the same number of columns and the same input: threads wake once for all of them.
  void multiply(std::span<const Product> together, const float* input, int batch) const;
  /// The same with an input that is never rounded: of the router and the output head.
  void multiply_unrounded(std::span<const Product> together, const float* input, int batch) const;
  /// Final norm and output head of `rows` rows of the residual stream: [rows, hidden] -> [rows, vocab_size].
  void logits(const float* residual, int rows, float* output) const;
};

/// Runs body(first, last) over parts of [0, count) on the compute threads; parts have at least `grain` items.
void for_parts(std::int64_t count, std::int64_t grain, const std::function<void(int, int)>& body);

/// rejected_input for a token outside the vocabulary or a position beyond the model's; internal for a foreign cache.
Status check_request(const Transformer::Impl& model, const KvCache& cache, std::span<const std::int32_t> tokens,
                     std::int32_t first_position);

/// Runs `body`, which calls libtorch; converts exceptions to an Error.
Status guarded(const std::function<Status()>& body);

}  // namespace kvantage::inline model
