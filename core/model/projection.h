// Products of a run of tokens with a weight matrix, and the per-head operations after them; internal to core/model.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "core/model/transformer_impl.h"

namespace kvantage::inline model {

/// A matrix and its product with the rows of a chunk.
struct RowProduct {
  const Matrix* matrix = nullptr;
  at::Tensor target;  // [tokens, out] in the compute type, written
  bool with_bias = false;
};

/// target = source * matrix^T (+ bias): [tokens, in] -> [tokens, out] in the compute type. The bits of a row depend on
/// the number of rows, but for packed matrices and a model with batch-invariant products.
void project(const Transformer::Impl& model, const Matrix& matrix, const at::Tensor& source, const at::Tensor& target,
             bool with_bias);
/// The same for several matrices, bit for bit: the source is rounded or packed once for all of them.
void project(const Transformer::Impl& model, std::span<const RowProduct> together, const at::Tensor& source);

/// Impl::multiply() with batch-invariant products: input [rows, in] is rounded to the compute type, outputs and biases
/// are fp32. None of the matrices is packed.
void multiply_rows(const Transformer::Impl& model, std::span<const Product> together, const float* input, int rows);

/// body(latent, products) for each run of products whose matrices have the same LatentInput, or none (null).
template <class One, class Body>
void for_inputs(std::span<const One> together, const Body& body) {
  const auto latent_of = [](const One& one) { return one.matrix->latent.get(); };
  while (!together.empty()) {
    const LatentInput* const latent = latent_of(together.front());
    const auto other = std::ranges::find_if(together, [&](const One& one) { return latent_of(one) != latent; });
    const auto alike = static_cast<std::size_t>(other - together.begin());
    body(latent, together.first(alike));
    together = together.subspan(alike);
  }
}

/// Impl::multiply()'s input of matrices with this LatentInput, from that of the layer: [rows, in] -> [rows,
/// down.rows()].
std::vector<float> latent_rows(const Transformer::Impl& model, const LatentInput& latent, const float* input, int rows);

/// The head pass of all tokens of `job`, split over threads; results do not depend on the split.
void run_heads(const Kernels& kernel, const HeadPass& job);

}  // namespace kvantage::inline model
