// GpuModel over a libtorch device: CUDA, or the CPU with emulated kernels.
#pragma once

#include <ATen/ATen.h>

#include <memory>

#include "gpu/model/gpu_model.h"

namespace kvantage::gpu {

/// Errors: those of copy_weights(), random_weights() and CacheArena::make().
Expected<std::unique_ptr<GpuModel>> open_served_model(const GpuModelSource& source, const GpuModelOptions& options,
                                                      at::Device device);

}  // namespace kvantage::gpu
