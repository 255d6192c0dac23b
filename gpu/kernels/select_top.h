// The best tokens of each head by score, exactly as in core/compress/budgets/ranking.cpp: larger scores first, ties
// (including -0 and 0) by index, NaN as minus infinity.
#pragma once

#include <cstdint>

#include "gpu/kernels/device.h"

namespace kvantage::gpu {

/// Scores of ragged heads; device addresses.
struct HeadScores {
  const float* scores = nullptr;
  const std::int32_t* first_score = nullptr;  // [heads]
  const std::int32_t* kept = nullptr;         // [heads]: number of scores
  int heads = 0, longest = 0;                 // longest: maximum scores of a head
};

/// For each head the indices of its min(wanted[h], kept[h]) best tokens, ascending, at indices[first_index[h]]. wanted,
/// first_index [heads].
Status launch_select_top(const HeadScores& scores, const std::int32_t* wanted, const std::int32_t* first_index,
                         std::int32_t* indices, Stream stream);
/// Reference on host memory, by a stable sort.
void select_top_reference(const HeadScores& scores, const std::int32_t* wanted, const std::int32_t* first_index,
                          std::int32_t* indices);

}  // namespace kvantage::gpu
