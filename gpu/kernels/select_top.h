// The best tokens of each head by their scores, exactly as core/compress/budgets/ranking.cpp picks them: larger scores
// first, equal ones (-0 and 0 among them) by index, NaN as minus infinity.
#pragma once

#include <cstdint>

#include "gpu/kernels/device.h"

namespace kvantage::gpu {

/// Scores of ragged heads; addresses of the device.
struct HeadScores {
  const float* scores = nullptr;
  const std::int32_t* first_score = nullptr;  // [heads]
  const std::int32_t* kept = nullptr;         // [heads]: scores of a head
  int heads = 0, longest = 0;                 // longest: the most scores of a head
};

/// For each head the indices of its min(wanted[h], kept[h]) best tokens, ascending, at indices[first_index[h]]. wanted,
/// first_index [heads].
Status launch_select_top(const HeadScores& scores, const std::int32_t* wanted, const std::int32_t* first_index,
                         std::int32_t* indices, Stream stream);
/// The same of host memory, by a stable sort.
void select_top_twin(const HeadScores& scores, const std::int32_t* wanted, const std::int32_t* first_index,
                     std::int32_t* indices);

}  // namespace kvantage::gpu
