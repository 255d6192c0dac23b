// Loads a model on a GPU: libtorch's CUDA libraries and the module libkvantage_gpu_model.so, both at run time, so that
// programs start without them.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "gpu/model/gpu_model.h"

namespace kvantage::gpu {

/// Next to the program, in ../lib/kvantage and in ../app; KVANTAGE_GPU_MODEL_MODULE=FILE overrides them.
std::vector<std::filesystem::path> gpu_model_places();

/// Loads libtorch_cuda.so for libtorch on CUDA devices; call before the first use of one. not_found: it is missing, and
/// how to fix it.
Status load_torch_cuda();

/// load_torch_cuda(), through the system's library search (LD_LIBRARY_PATH), then the first module of `places`; opens
/// the model on the first visible device. not_found, with a one-line reason: no libtorch_cuda.so, no module, no device;
/// rejected_input: a module of another build, an unsupported model.
Expected<std::unique_ptr<GpuModel>> load_gpu_model(const std::vector<std::filesystem::path>& places,
                                                   const GpuModelSource& source, const GpuModelOptions& options);

}  // namespace kvantage::gpu
