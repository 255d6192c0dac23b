// The default model's network for training: Qwen2's architecture (GQA, biases on q, k and v, SwiGLU, tied embeddings).
// Master weights are fp32; products run on bf16 copies; the residual stream is fp32. On the CPU the steps between
// products use own kernels, on other devices libtorch operations.
#pragma once

#include <ATen/ATen.h>

#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/train/examples.h"
#include "core/train/future_attention.h"
#include "core/train/trainer.h"

namespace kvantage::inline training {

struct Parameter {
  std::string name;                 // of the fused tensor, in our checkpoint
  at::Tensor value;                 // fp32 master
  std::vector<std::int64_t> parts;  // rows of the matrices fused into it; empty = learned by AdamW
  bool decays = false;
};

/// A tensor under its Hugging Face name and its location in a fused parameter.
struct ExportedTensor {
  std::string name;
  std::size_t parameter;
  std::int64_t first_row, rows;
};

class Network {
 public:
  enum class Steps { own_kernels, plain };
  /// Initial weights from `seed`, the same on every device; `vocabulary` is rounded up to a multiple of 32.
  Network(const TrainShape& shape, std::size_t vocabulary, std::uint64_t seed);
  Network(const TrainShape& shape, std::size_t vocabulary, std::uint64_t seed, at::Device device, Steps steps);

  std::vector<Parameter>& parameters() { return parameters_; }
  const std::vector<Parameter>& parameters() const { return parameters_; }
  std::vector<ExportedTensor> exported() const;
  std::int64_t vocabulary() const { return vocabulary_; }

  /// The weights as one worker uses them: leaves of the graph, with this worker's own gradients. One per parameter in
  /// order, then the bf16 embedding for the logits.
  using Leaves = std::vector<at::Tensor>;
  /// bf16 copies of the matrices; refresh after each step.
  std::vector<at::Tensor> working_copies() const;
  Leaves leaves(const std::vector<at::Tensor>& copies, bool with_gradient) const;

  struct ShardResult {
    at::Tensor loss;  // scalar, with graph
    std::size_t answer_tokens = 0;
    std::size_t answer_correct = 0;
  };
  /// Weighted loss over rows [first, first + count) of the batch, divided by `total_weight`. `future`, if given, of
  /// these rows, observes the pass.
  ShardResult loss(const Leaves& leaves, const Batch& batch, std::size_t first, std::size_t count, double total_weight,
                   FutureAttention* future = nullptr) const;
  /// Argmax after each of the positions [from, tokens.size() - 1) of a single sequence.
  std::vector<std::int64_t> greedy_after(const Leaves& leaves, const std::vector<std::int64_t>& tokens,
                                         std::size_t from) const;
  /// Gradients of a worker's leaves as fp32, one per parameter.
  std::vector<at::Tensor> gradients(const Leaves& leaves) const;

 private:
  at::Tensor trunk(const Leaves& leaves, const at::Tensor& tokens, const at::Tensor& positions, std::size_t sequences,
                   FutureAttention* future = nullptr) const;

  TrainShape shape_;
  at::Device device_;
  Steps steps_;
  std::int64_t vocabulary_;
  std::vector<Parameter> parameters_;
};

}  // namespace kvantage::inline training
