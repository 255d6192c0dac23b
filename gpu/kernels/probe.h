// Small kernels that show whether the words kernels are written in (cuda_words.h) mean the same here and there.
#pragma once

#include <cstdint>

#include "gpu/kernels/device.h"

namespace kvantage::gpu {

std::uint16_t probe_bf16(float number);
float probe_float(std::uint16_t bf16);
/// out[16, 8] = a[16, 16] * b[16, 8], by one warp: asynchronous copies, tiles (b's transposed), one product of
/// fragments.
Status launch_probe_product(const std::uint16_t* a, const std::uint16_t* b, float* out, Stream stream);
/// out[blocks, threads]: the sum of the warp's numbers and that of the block's; a thread's number is block * 1000 +
/// thread.
Status launch_probe_sums(int* out, int blocks, int threads, Stream stream);

}  // namespace kvantage::gpu
