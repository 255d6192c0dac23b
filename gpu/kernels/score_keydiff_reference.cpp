#include <algorithm>
#include <cmath>
#include <vector>

#include "gpu/kernels/score_keydiff.h"

namespace kvantage::gpu {

void score_keydiff_reference(const PagedHeads& heads, float* scores) {
  const auto dim = static_cast<std::size_t>(heads.head_dim);
  for (int head = 0; head < heads.heads; ++head) {
    std::vector<double> anchor(dim), norms;
    for (int token = 0; token < heads.kept[head]; ++token) {
      const std::uint16_t* const key = heads.key(head, token);
      double squares = 0;
      for (std::size_t i = 0; i < dim; ++i)
        squares += static_cast<double>(widened(key[i])) * static_cast<double>(widened(key[i]));
      norms.push_back(std::sqrt(squares));
      for (std::size_t i = 0; i < dim; ++i)
        anchor[i] += static_cast<double>(widened(key[i])) / std::max(norms.back(), 1e-12);
    }
    double length = 0;
    for (const double number : anchor) length += number * number;
    length = std::max(std::sqrt(length), 1e-8);
    for (int token = 0; token < heads.kept[head]; ++token) {
      double product = 0;
      for (std::size_t i = 0; i < dim; ++i)
        product += static_cast<double>(widened(heads.key(head, token)[i])) * anchor[i];
      scores[heads.first_slot[head] + token] =
          static_cast<float>(-product / length / std::max(norms[static_cast<std::size_t>(token)], 1e-8));
    }
  }
}

}  // namespace kvantage::gpu
