// What loading a model takes, known from its configuration and the headers of its files: types, bytes, and whether the
// tensors that it computes with are there. Nothing is loaded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/model/config.h"
#include "core/model/kernels/packed.h"
#include "core/model/products/products.h"
#include "core/model/safetensors.h"
#include "core/model/transformer.h"

namespace kvantage::inline model {

struct WeightPlan {
  bool stored_bf16 = false;  // the projections are bf16 or smaller; norms may still be fp32
  ComputeType compute = ComputeType::fp32;
  KvType kv_type = KvType::fp32;
  bool packed_products = false;
  std::uint64_t weight_bytes = 0;  // packed, or in the compute type (Q8_0: both): compared with the free memory
};
/// Are the embeddings the output head too? Not where both are stored with other values, whatever the configuration
/// says: as in transformers. Only where it ties what is stored twice are weights read.
bool is_head_tied(const ModelConfig& config, const WeightFiles& files);
/// Of a tensor whose rows stay packed where packed_products is on (kernels/packed.h); nothing for others.
std::optional<PackedType> packed_matrix_type(const StoredTensor& stored);

/// As Transformer::load chooses on this processor. config: tied_embeddings is is_head_tied.
WeightPlan plan_weights(const ModelConfig& config, const WeightFiles& files, const LoadOptions& options = {});

/// Before loading: every tensor that it takes is there, and for a GGUF file none besides. config as of plan_weights.
/// rejected_input, with `model` first: one is missing, of another shape, or of a type that is not read.
Status check_tensors(const ModelConfig& config, const WeightFiles& files, const std::string& model);

/// Buffers of a prefill with chunks of so many tokens and window_queries of 64 tokens (prefill.h, prefill_pass.h), in
/// bytes. With batch-invariant products: of prefills that are stepped together (batch/batch_prefill.h), in as many rows
/// as a pass takes, and their packed rows.
std::uint64_t prefill_bytes(const ModelConfig& config, ComputeType compute, KvType kv_type, int chunk_tokens,
                            std::optional<ProductSet> products = {});

/// Of a token in a full block of a pool, over all layers and heads: keys, values, position and padding.
std::uint64_t pool_bytes_per_token(const KvShape& shape, int block_tokens);

/// Mean over a context of so many kept tokens, all layers and heads, encoded with `codec`. usage: as parse_codec; where
/// the size depends on the values: its upper bound.
Expected<double> encoded_bytes_per_token(const KvShape& shape, std::string_view codec, int tokens);

}  // namespace kvantage::inline model
