// Matrices of multi-head latent attention (DeepSeek V2 and V3), arranged so that heads are like those of other models.
#pragma once

#include <ATen/ATen.h>

#include "core/model/architectures/model_form.h"

namespace kvantage::inline model_latent {

/// Rows of queries [heads * (plain + rotated), n] in the order of this runtime: the two channels of a rotated pair are
/// i and i + head_dim / 2, rotated pairs first, and a frequency of 0 leaves the others alone.
at::Tensor latent_queries(const LatentForm& form, int heads, const at::Tensor& stored);

struct LatentPair {
  at::Tensor keys, values;  // [heads * head_dim, rank + rotated]
};
/// From the matrix of both [heads * (plain + value), rank]. They multiply the vector of a token whose last numbers are
/// the rotated channels, which all heads share: a key takes those as they are. Channels that values lack are 0.
LatentPair latent_keys_and_values(const LatentForm& form, int heads, const at::Tensor& stored);

/// Columns of the output projection [hidden, heads * value] for values of head_dim channels: [hidden, heads *
/// head_dim].
at::Tensor latent_outputs(const LatentForm& form, int heads, const at::Tensor& stored);

}  // namespace kvantage::inline model_latent
