// Products of a run of tokens with a weight matrix, and the per-head operations after them; internal to core/model.
#pragma once

#include "core/model/transformer_impl.h"

namespace kvantage::inline model {

/// target = source * matrix^T (+ bias): [tokens, in] -> [tokens, out]. The bits of a row depend on the number of rows.
void project(const Matrix& matrix, const at::Tensor& source, at::Tensor target, bool with_bias);

/// The head pass of all tokens of `job`, split over threads; results do not depend on the split.
void run_heads(const Kernels& kernel, const HeadPass& job);

}  // namespace kvantage::inline model
