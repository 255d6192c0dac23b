#include "gpu/kernels/attend_paged.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace kvantage::gpu {

void attend_paged_reference(const PagedHeads& heads, const DecodeAttention& job, std::uint16_t* out) {
  const auto dim = static_cast<std::size_t>(heads.head_dim);
  std::vector<double> weights, output(dim);
  for (int head = 0; head < heads.heads; ++head)
    for (int row = 0; row < job.group; ++row) {
      const std::size_t at = static_cast<std::size_t>(head * job.group + row) * dim;
      weights.assign(static_cast<std::size_t>(heads.kept[head]), 0);
      for (std::size_t token = 0; token < weights.size(); ++token) {
        const std::uint16_t* const key = heads.key(head, static_cast<int>(token));
        for (std::size_t i = 0; i < dim; ++i)
          weights[token] += static_cast<double>(widened(job.queries[at + i])) * static_cast<double>(widened(key[i]));
        weights[token] *= static_cast<double>(job.scale);
      }
      const double highest = weights.empty() ? 0 : std::ranges::max(weights);
      double sum = 0;
      for (double& weight : weights) sum += weight = std::exp(weight - highest);
      std::ranges::fill(output, 0);
      for (std::size_t token = 0; token < weights.size(); ++token) {
        const std::uint16_t* const value = heads.value(head, static_cast<int>(token));
        for (std::size_t i = 0; i < dim; ++i)
          output[i] += weights[token] / sum * static_cast<double>(widened(value[i]));
      }
      for (std::size_t i = 0; i < dim; ++i) out[at + i] = narrowed(static_cast<float>(output[i]));
    }
}

}  // namespace kvantage::gpu
