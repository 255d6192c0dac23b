// The model with this process as the device: libtorch on the CPU and emulated kernels. For tests; no torch types.
#pragma once

#include "gpu/model/gpu_model.h"

namespace kvantage::gpu {

/// As the module's entry does for CUDA.
Expected<std::unique_ptr<GpuModel>> open_emulated_model(const GpuModelSource& source, const GpuModelOptions& options);

}  // namespace kvantage::gpu
