// Where a program gets a model on a GPU from: libtorch's CUDA libraries and the module libkvantage_gpu_model.so, both
// loaded at run time, so that programs start where there are none of them.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "gpu/model/gpu_model.h"

namespace kvantage::gpu {

/// Beside the program, in ../lib/kvantage and in ../app; KVANTAGE_GPU_MODEL_MODULE=FILE names one instead.
std::vector<std::filesystem::path> gpu_model_places();

/// Loads libtorch_cuda.so, so that libtorch computes on CUDA devices; before the first of them is asked for. not_found:
/// it is not there, and how to mend it.
Status load_torch_cuda();

/// load_torch_cuda(), found as the system finds libraries (LD_LIBRARY_PATH), then the first module of `places`, and
/// opens the model on the first device that is shown. not_found, with the reason in one line: no libtorch_cuda.so, no
/// module, no device; rejected_input: a module of another build, a model that does not fit.
Expected<std::unique_ptr<GpuModel>> load_gpu_model(const std::vector<std::filesystem::path>& places,
                                                   const GpuModelSource& source, const GpuModelOptions& options);

}  // namespace kvantage::gpu
