// The model on a device where the device is this process: libtorch on the processor and emulated kernels. For tests,
// and without a word of torch.
#pragma once

#include "gpu/model/gpu_model.h"

namespace kvantage::gpu {

/// As the module's entry opens one on CUDA.
Expected<std::unique_ptr<GpuModel>> open_emulated_model(const GpuModelSource& source, const GpuModelOptions& options);

}  // namespace kvantage::gpu
