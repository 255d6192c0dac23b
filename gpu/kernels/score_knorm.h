// Scores by the norm of keys (Devoto et al. 2024): s[h, t] = -||k[h, t]||, keys of low norm draw more attention. As
// core/compress/scorers/knorm.cpp.
#pragma once

#include "gpu/kernels/device.h"
#include "gpu/kernels/paged_heads.h"

namespace kvantage::gpu {

/// scores[heads.first_slot[h] + t] for each kept token t of each head. longest: maximum kept tokens of a head.
Status launch_score_knorm(const PagedHeads& heads, int longest, float* scores, Stream stream);
/// Reference on host memory, summed in double.
void score_knorm_reference(const PagedHeads& heads, float* scores);

}  // namespace kvantage::gpu
