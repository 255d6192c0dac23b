// KeyDiff: a[h] = mean over t of k[h, t] / ||k[h, t]||;  s[h, t] = -cos(k[h, t], a[h]): keys unlike the average key
// stay. As core/compress/scorers/keydiff.cpp, which takes the whole context at once; norms below 1e-8 count as that.
#pragma once

#include "gpu/kernels/device.h"
#include "gpu/kernels/paged_heads.h"

namespace kvantage::gpu {

/// Numbers that launch_score_keydiff() needs to work in: sums of unit keys of each part of each head, then the mean's
/// direction of each head.
std::size_t keydiff_scratch(const PagedHeads& heads, int longest);
/// scores[heads.first_slot[h] + t] for each kept token t of each head. longest: the most tokens that a head keeps;
/// scratch [keydiff_scratch()]. The same numbers every time: nothing is summed in an order of chance.
Status launch_score_keydiff(const PagedHeads& heads, int longest, float* scratch, float* scores, Stream stream);
/// The same of host memory, summed in double.
void score_keydiff_twin(const PagedHeads& heads, float* scores);

}  // namespace kvantage::gpu
