// KeyDiff: a[h] = mean over t of k[h, t] / ||k[h, t]||;  s[h, t] = -cos(k[h, t], a[h]): keeps keys unlike the average
// key. As core/compress/scorers/keydiff.cpp, over the whole context at once; norms are clamped to at least 1e-8.
#pragma once

#include "gpu/kernels/device.h"
#include "gpu/kernels/paged_heads.h"

namespace kvantage::gpu {

/// Scratch numbers of launch_score_keydiff(): sums of unit keys of each part of each head, then the direction of each
/// head's mean.
std::size_t keydiff_scratch(const PagedHeads& heads, int longest);
/// scores[heads.first_slot[h] + t] for each kept token t of each head. longest: maximum kept tokens of a head; scratch
/// [keydiff_scratch()]. Deterministic: fixed summation order.
Status launch_score_keydiff(const PagedHeads& heads, int longest, float* scratch, float* scores, Stream stream);
/// Reference on host memory, summed in double.
void score_keydiff_reference(const PagedHeads& heads, float* scores);

}  // namespace kvantage::gpu
