// Small kernels that check whether the primitives of cuda_words.h behave the same on a GPU and in the emulation.
#pragma once

#include <cstdint>

#include "gpu/kernels/device.h"

namespace kvantage::gpu {

std::uint16_t probe_bf16(float number);
float probe_float(std::uint16_t bf16);
/// out[16, 8] = a[16, 16] * b[16, 8], by one warp: asynchronous copies, tiles (b's transposed), one fragment product.
Status launch_probe_product(const std::uint16_t* a, const std::uint16_t* b, float* out, Stream stream);
/// out[blocks, threads]: the warp's sum plus the block's sum; a thread's number is block * 1000 + thread.
Status launch_probe_sums(int* out, int blocks, int threads, Stream stream);

}  // namespace kvantage::gpu
