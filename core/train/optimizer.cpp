#include "core/train/optimizer.h"

#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>

#include "core/train/matrix_product.h"

namespace kvantage::inline training {

at::Tensor orthogonalize(const at::Tensor& matrix) {
  constexpr double a = 3.4445, b = -4.7750, c = 2.0315;
  constexpr int iterations = 5;
  const bool tall = matrix.size(0) > matrix.size(1);
  at::Tensor x = (matrix / (matrix.norm() + 1e-7)).to(at::kBFloat16);
  if (tall) x = x.t().contiguous();
  for (int i = 0; i < iterations; ++i) {
    const at::Tensor square = matrix_product(x, x.t());
    const at::Tensor polynomial = add_matrix_product(square, b, square, square, c);  // b A + c A^2
    x = add_matrix_product(x, a, polynomial, x, 1.0);
  }
  return (tall ? x.t() : x).to(at::kFloat);
}

Optimizer::Optimizer(const std::vector<Parameter>& parameters, const OptimizerOptions& options) : options_(options) {
  for (const Parameter& parameter : parameters) {
    momenta_.push_back(at::zeros_like(parameter.value));
    squares_.push_back(parameter.parts.empty() ? at::zeros_like(parameter.value) : at::Tensor());
  }
}

bool Optimizer::step(std::vector<Parameter>& parameters, std::vector<at::Tensor>& gradients, double share,
                     Workers& workers) {
  std::vector<at::Tensor> squares;
  for (const at::Tensor& gradient : gradients) squares.push_back(at::dot(gradient.flatten(), gradient.flatten()));
  // One value to fetch: a GPU is waited for once.
  const double norm = std::sqrt(at::stack(squares).to(at::kDouble).sum().item<double>());
  if (!std::isfinite(norm)) return false;
  ++steps_;
  if (norm > options_.clip)
    for (at::Tensor& gradient : gradients) gradient.mul_(options_.clip / norm);

  struct Slice {
    std::size_t parameter;
    std::int64_t first, rows;
  };
  std::vector<Slice> slices;
  const double correction1 = 1.0 - std::pow(options_.beta1, static_cast<double>(steps_));
  const double correction2 = 1.0 - std::pow(options_.beta2, static_cast<double>(steps_));
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    Parameter& parameter = parameters[i];
    if (!parameter.parts.empty()) {
      momenta_[i].lerp_(gradients[i], 1.0 - options_.momentum);
      gradients[i].lerp_(momenta_[i], options_.momentum);  // Nesterov
      std::int64_t first = 0;
      for (std::int64_t rows : parameter.parts) {
        slices.push_back({i, first, rows});
        first += rows;
      }
      continue;
    }
    const double rate = options_.other_rate * share;
    momenta_[i].lerp_(gradients[i], 1.0 - options_.beta1);
    squares_[i].mul_(options_.beta2).addcmul_(gradients[i], gradients[i], 1.0 - options_.beta2);
    if (parameter.decays) parameter.value.mul_(1.0 - rate * options_.decay);
    const at::Tensor denominator = (squares_[i] / correction2).sqrt_().add_(options_.epsilon);
    parameter.value.addcdiv_(momenta_[i], denominator, -rate / correction1);
  }
  workers.run(slices.size(), [&](std::size_t index) {
    const c10::NoGradGuard no_gradient;
    const Slice& slice = slices[index];
    const at::Tensor update = orthogonalize(gradients[slice.parameter].narrow(0, slice.first, slice.rows));
    const double scale =
        std::sqrt(std::max(1.0, static_cast<double>(update.size(0)) / static_cast<double>(update.size(1))));
    parameters[slice.parameter]
        .value.narrow(0, slice.first, slice.rows)
        .add_(update, -options_.matrix_rate * share * scale);
  });
  return true;
}

}  // namespace kvantage::inline training
