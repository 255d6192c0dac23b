#include <ATen/ATen.h>

#include <cmath>

#include "core/compress/leverage/leverage.h"

namespace kvantage::inline leverage_scorers {

at::Tensor z_scores(const at::Tensor& numbers) { return (numbers - numbers.mean()) / numbers.std().clamp_min(1e-6); }

at::Tensor inverse_of(const at::Tensor& matrix) {
  const std::int64_t n = matrix.size(0);
  const at::Tensor factor = matrix.contiguous().clone();
  auto* const l = factor.mutable_data_ptr<double>();
  for (std::int64_t j = 0; j < n; ++j) {  // the lower triangle becomes L with L L' = matrix
    for (std::int64_t k = 0; k < j; ++k) l[j * n + j] -= l[j * n + k] * l[j * n + k];
    if (!(l[j * n + j] > 0)) return at::full_like(matrix, std::nan(""));
    l[j * n + j] = std::sqrt(l[j * n + j]);
    for (std::int64_t i = j + 1; i < n; ++i) {
      for (std::int64_t k = 0; k < j; ++k) l[i * n + j] -= l[i * n + k] * l[j * n + k];
      l[i * n + j] /= l[j * n + j];
    }
  }
  const at::Tensor half = at::eye(n, matrix.options());  // becomes the inverse of L, column by column
  auto* const m = half.mutable_data_ptr<double>();
  for (std::int64_t c = 0; c < n; ++c)
    for (std::int64_t i = c; i < n; ++i) {
      for (std::int64_t k = c; k < i; ++k) m[i * n + c] -= l[i * n + k] * m[k * n + c];
      m[i * n + c] /= l[i * n + i];
    }
  return at::matmul(half.t(), half);
}

}  // namespace kvantage::inline leverage_scorers
