#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "gpu/kernels/select_top.h"

namespace kvantage::gpu {

void select_top_reference(const HeadScores& all, const std::int32_t* wanted, const std::int32_t* first_index,
                          std::int32_t* indices) {
  for (int head = 0; head < all.heads; ++head) {
    const float* const scores = all.scores + all.first_score[head];
    const auto score = [scores](std::int32_t token) { return std::isnan(scores[token]) ? -HUGE_VALF : scores[token]; };
    std::vector<std::int32_t> order(static_cast<std::size_t>(all.kept[head]));
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, [&](std::int32_t a, std::int32_t b) { return score(a) > score(b); });
    order.resize(static_cast<std::size_t>(std::clamp(wanted[head], 0, all.kept[head])));
    std::ranges::sort(order);
    std::ranges::copy(order, indices + first_index[head]);
  }
}

}  // namespace kvantage::gpu
