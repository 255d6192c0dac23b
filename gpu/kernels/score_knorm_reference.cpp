#include <cmath>

#include "gpu/kernels/score_knorm.h"

namespace kvantage::gpu {

void score_knorm_reference(const PagedHeads& heads, float* scores) {
  for (int head = 0; head < heads.heads; ++head)
    for (int token = 0; token < heads.kept[head]; ++token) {
      double sum = 0;
      for (int i = 0; i < heads.head_dim; ++i) {
        const double number = widened(heads.key(head, token)[i]);
        sum += number * number;
      }
      scores[heads.first_slot[head] + token] = static_cast<float>(-std::sqrt(sum));
    }
}

}  // namespace kvantage::gpu
