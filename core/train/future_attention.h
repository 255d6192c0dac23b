// Trains keys to show how much attention they will get. Large models learn to keep the keys of attended tokens small;
// a small one has no reason to, so methods that score tokens by norms fail on it. The loss rewards keys (and ratios of
// value to key norms) that order the tokens of a text as the attention of the questions and answers behind it does. In
// part of the steps the questions answer from a text that was cut by these scores. The idea is that of scorers trained
// on future attention, here in the keys themselves: knorm and paged_eviction work on such a model by construction.
#pragma once

#include <ATen/ATen.h>

#include <cstddef>
#include <vector>

#include "core/base/random.h"
#include "core/train/examples.h"
#include "core/train/functions.h"

namespace kvantage::inline training {

class FutureAttention {
 public:
  /// Of the sequences [first, first + count) of `batch`.
  FutureAttention(const Batch& batch, std::size_t first, std::size_t count, at::Device device);

  /// From now on questions and answers do not see part of their text: of each head 10 to 50 % of the tokens, by knorm
  /// or paged_eviction.
  void cut(Random& random);
  bool cuts() const { return !removed_.empty(); }

  /// Adds a layer to the loss.
  void observe(const HeadTensors& heads, const train_kernels::HeadShape& shape);
  /// Causal attention over the cut texts -> bf16 [sequences * length, query_heads * head_dim].
  at::Tensor attend(const HeadTensors& heads, const train_kernels::HeadShape& shape) const;

  /// Mean over layers, KV heads and sequences with a text and questions: minus the attention-weighted mean of the
  /// standardized scores, at least -3 (fp32 scalar, with graph). 0 where no sequence has them.
  at::Tensor loss() const;

 private:
  at::Tensor future_attention(const HeadTensors& heads, const train_kernels::HeadShape& shape) const;
  at::Tensor evicted(const HeadTensors& heads) const;

  at::Tensor context_;                  // [sequences, 1, length], 1 for tokens of the text, else 0
  at::Tensor asking_;                   // [sequences, 1, length], 1 for tokens of questions and answers, else 0
  at::Tensor active_;                   // [sequences, 1], 1 where there are both
  std::int64_t first_question_ = 0;     // position before which nothing asks
  std::vector<float> removed_;          // per sequence: fraction of the text that is cut
  std::vector<std::int64_t> by_ratio_;  // per sequence: 1 = by paged_eviction, 0 = by knorm
  at::Tensor sum_;                      // over layers
  std::int64_t layers_ = 0;
};

}  // namespace kvantage::inline training
