#include "gpu/kernels/layer_kernels.h"

#include <cmath>
#include <vector>

namespace kvantage::gpu {
namespace {

std::size_t index(int number) { return static_cast<std::size_t>(number); }
double number_of(const ProductRows& product, std::size_t at) {
  if (product.wide) return static_cast<double>(static_cast<const float*>(product.numbers)[at]);
  return static_cast<double>(widened(static_cast<const std::uint16_t*>(product.numbers)[at]));
}
double number_or(const float* numbers, std::size_t at, double otherwise) {
  return numbers == nullptr ? otherwise : static_cast<double>(numbers[at]);
}
std::uint16_t rounded(double number) { return narrowed(static_cast<float>(number)); }

/// Divisor of a norm: of numbers minus their mean, if wanted.
double deviation(const std::vector<double>& numbers, double mean, float eps) {
  double squares = 0;
  for (const double number : numbers) squares += (number - mean) * (number - mean);
  return std::sqrt(squares / static_cast<double>(numbers.size()) + static_cast<double>(eps));
}

/// Channels d and d + half are rotated together, by the fp32 angle of position and frequency.
void turn(std::vector<double>& head, const float* frequencies, std::int32_t position) {
  const std::size_t half = head.size() / 2;
  for (std::size_t d = 0; d < half; ++d) {
    const float angle = static_cast<float>(position) * frequencies[d];
    const double cosine = std::cos(static_cast<double>(angle)), sine = std::sin(static_cast<double>(angle)),
                 x = head[d], y = head[half + d];
    head[d] = x * cosine - y * sine;
    head[half + d] = x * sine + y * cosine;
  }
}

}  // namespace

void add_and_norm_reference(const NormJob& job) {
  const std::size_t width = index(job.width);
  std::vector<double> numbers(width);
  for (std::size_t row = 0; row < index(job.rows); ++row) {
    float* const residual = job.residual + row * width;
    double sum = 0;
    for (std::size_t i = 0; i < width; ++i) {
      if (job.product.numbers != nullptr)
        residual[i] = static_cast<float>(static_cast<double>(residual[i]) + number_of(job.product, row * width + i) +
                                         number_or(job.bias, i, 0));
      numbers[i] = static_cast<double>(residual[i]);
      sum += numbers[i];
    }
    if (job.weight != nullptr) {
      const double mean = job.layer_norm ? sum / static_cast<double>(width) : 0,
                   divisor = deviation(numbers, mean, job.eps);
      for (std::size_t i = 0; i < width; ++i)
        numbers[i] = (numbers[i] - mean) / divisor * static_cast<double>(job.weight[i]) + number_or(job.shift, i, 0);
    }
    for (std::size_t i = 0; i < width; ++i) {
      if (job.normed != nullptr) job.normed[row * width + i] = rounded(numbers[i]);
      if (job.in_place) residual[i] = static_cast<float>(numbers[i]);
    }
  }
}

void write_heads_reference(const HeadsJob& job) {
  const int all = job.heads + 2 * job.kv_heads;
  const std::size_t dim = index(job.head_dim);
  for (int row = 0; row < job.rows; ++row) {
    const int sequence = row / job.each, number = row - sequence * job.each;
    const std::int32_t position = job.positions[sequence] + number;
    std::vector<double> head(dim);
    // Head h of the product, before rounding.
    const auto make = [&](int h, const float* norm, bool turned) {
      for (std::size_t d = 0; d < dim; ++d)
        head[d] = number_of(job.product, index(row) * index(all) * dim + index(h) * dim + d) +
                  number_or(job.bias, index(h) * dim + d, 0);
      const double divisor = norm == nullptr ? 1 : deviation(head, 0, job.eps);
      for (std::size_t d = 0; d < dim; ++d) head[d] = head[d] / divisor * number_or(norm, d, 1);
      if (turned && job.frequencies != nullptr) turn(head, job.frequencies, position);
    };
    const auto put = [&](std::uint16_t* to) {
      for (std::size_t d = 0; d < dim; ++d) to[d] = rounded(head[d]);
    };
    for (int h = 0; h < job.heads; ++h) {
      make(h, job.query_norm, true);
      put(job.queries + (index(row) * index(job.heads) + index(h)) * dim);
    }
    for (int h = 0; h < job.kv_heads; ++h) {
      const int cached = sequence * job.kv_heads + h,
                token = job.cache.kept[cached] - job.each + number;  // the new ones are last among the kept ones
      make(job.heads + h, job.key_norm, true);
      put(job.cache.key(cached, token));
      make(job.heads + job.kv_heads + h, nullptr, false);
      put(job.cache.value(cached, token));
      *job.cache.position(cached, token) = position;
    }
  }
}

void activation_reference(const ActivationJob& job) {
  const std::size_t width = index(job.width), wide = job.gated ? 2 * width : width;
  for (std::size_t row = 0; row < index(job.rows); ++row)
    for (std::size_t i = 0; i < width; ++i) {
      const auto summed = [&](std::size_t column) {
        return number_of(job.product, row * wide + column) + number_or(job.bias, column, 0);
      };
      const double first = summed(i);
      const double active = job.gated ? first / (1 + std::exp(-first)) * summed(width + i) : std::fmax(first, 0);
      job.out[row * width + i] = rounded(active);
    }
}

}  // namespace kvantage::gpu
