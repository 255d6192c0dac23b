// Mixtures of experts: a router chooses some MLPs for each token. Internal to core/model.
#pragma once

#include "core/model/transformer_impl.h"

namespace kvantage::inline model {

/// One token, in fp32: input, output [hidden].
void run_experts(const Transformer::Impl& model, const LayerWeights& layer, const float* input, float* output);
/// Tokens of a chunk: input [tokens, hidden] in the compute type, output [tokens, hidden] in fp32.
at::Tensor run_experts(const Transformer::Impl& model, const LayerWeights& layer, const at::Tensor& input);

}  // namespace kvantage::inline model
