#include <cmath>

#include "gpu/kernels/cuda_words.h"
#include "gpu/kernels/rerotate.h"

namespace kvantage::gpu {

void rerotate_reference(std::uint16_t* keys, int rows, int head_dim, const float* frequencies, int pairs,
                        const std::int32_t* from, const std::int32_t* to) {
  for (int row = 0; row < rows; ++row) {
    const std::int32_t shift = to[row] - from[row];
    if (shift == 0) continue;
    std::uint16_t* const key = keys + static_cast<std::ptrdiff_t>(row) * head_dim;
    for (int f = 0; f < pairs; ++f) {
      const float angle = static_cast<float>(shift) * frequencies[f], cosine = std::cos(angle), sine = std::sin(angle);
      const float x = widened(key[f]), y = widened(key[f + pairs]);
      key[f] = narrowed(x * cosine - y * sine);
      key[f + pairs] = narrowed(y * cosine + x * sine);
    }
  }
}

}  // namespace kvantage::gpu
