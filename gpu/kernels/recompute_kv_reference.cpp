#include "gpu/kernels/recompute_kv.h"

#include <cmath>
#include <vector>

namespace kvantage::gpu {
namespace {

/// One head's row: product rounded to bf16, bias, norm and rotation in fp32.
void project(const LayerInputs& inputs, const KvProjection& projection, const std::uint16_t* matrix, const float* bias,
             const float* norm, const float* frequencies, int token, int head_dim, std::uint16_t* out) {
  const auto hidden = static_cast<std::size_t>(projection.hidden), dim = static_cast<std::size_t>(head_dim),
             half = dim / 2;
  const std::uint16_t* const row = inputs.rows + static_cast<std::size_t>(token) * hidden;
  std::vector<float> numbers(dim);
  double squares = 0;
  for (std::size_t i = 0; i < dim; ++i) {
    double sum = 0;
    for (std::size_t c = 0; c < hidden; ++c)
      sum += static_cast<double>(widened(row[c])) * static_cast<double>(widened(matrix[i * hidden + c]));
    numbers[i] = widened(narrowed(static_cast<float>(sum))) + (bias == nullptr ? 0.0F : bias[i]);
    squares += static_cast<double>(numbers[i]) * static_cast<double>(numbers[i]);
  }
  const auto scale =
      norm == nullptr
          ? 1.0F
          : static_cast<float>(1 / std::sqrt(squares / static_cast<double>(dim) + static_cast<double>(projection.eps)));
  for (std::size_t i = 0; i < half; ++i) {
    const float x = numbers[i] * scale * (norm == nullptr ? 1.0F : norm[i]),
                y = numbers[half + i] * scale * (norm == nullptr ? 1.0F : norm[half + i]);
    const float angle = frequencies == nullptr ? 0.0F : static_cast<float>(inputs.positions[token]) * frequencies[i];
    out[i] = narrowed(x * std::cos(angle) - y * std::sin(angle));
    out[half + i] = narrowed(y * std::cos(angle) + x * std::sin(angle));
  }
}

}  // namespace

void recompute_kv_reference(const LayerInputs& inputs, const KvProjection& projection, const PagedHeads& to,
                            int first_token) {
  const std::size_t head_numbers = static_cast<std::size_t>(to.head_dim) * static_cast<std::size_t>(projection.hidden);
  for (int head = 0; head < to.heads; ++head) {
    const std::size_t matrix_at = static_cast<std::size_t>(head) * head_numbers,
                      bias_at = static_cast<std::size_t>(head) * static_cast<std::size_t>(to.head_dim);
    const float* const key_bias = projection.key_bias == nullptr ? nullptr : projection.key_bias + bias_at;
    const float* const value_bias = projection.value_bias == nullptr ? nullptr : projection.value_bias + bias_at;
    for (int token = 0; token < inputs.tokens; ++token) {
      project(inputs, projection, projection.key + matrix_at, key_bias, projection.key_norm, projection.frequencies,
              token, to.head_dim, to.key(head, first_token + token));
      project(inputs, projection, projection.value + matrix_at, value_bias, nullptr, nullptr, token, to.head_dim,
              to.value(head, first_token + token));
      *to.position(head, first_token + token) = inputs.positions[token];
    }
  }
}

}  // namespace kvantage::gpu
