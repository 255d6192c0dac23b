// Muon for matrices, AdamW for embeddings, norms and biases.
#pragma once

#include <vector>

#include "core/train/network.h"
#include "core/train/workers.h"

namespace kvantage::inline training {

struct OptimizerOptions {
  double matrix_rate = 0.01;
  double other_rate = 1e-3;
  double momentum = 0.95;                                         // Muon
  double beta1 = 0.9, beta2 = 0.95, epsilon = 1e-8, decay = 0.1;  // AdamW
  double clip = 1.0;                                              // of the norm over all gradients
};

class Optimizer {
 public:
  Optimizer(const std::vector<Parameter>& parameters, const OptimizerOptions& options);
  /// One step; `gradients` in the order of the parameters (modified); learning rates are multiplied by `share`. False,
  /// and nothing changes, where a gradient is not finite.
  bool step(std::vector<Parameter>& parameters, std::vector<at::Tensor>& gradients, double share, Workers& workers);

  /// Per parameter: momentum, and for AdamW the mean square. Saved in checkpoints.
  std::vector<at::Tensor>& momenta() { return momenta_; }
  std::vector<at::Tensor>& squares() { return squares_; }
  std::int64_t& steps() { return steps_; }

 private:
  OptimizerOptions options_;
  std::vector<at::Tensor> momenta_;
  std::vector<at::Tensor> squares_;  // undefined for matrices
  std::int64_t steps_ = 0;
};

/// An approximation of the nearest semi-orthogonal matrix: five quintic Newton-Schulz iterations in bf16.
at::Tensor orthogonalize(const at::Tensor& matrix);

}  // namespace kvantage::inline training
