// libkvantage_gpu_model.so: a model on the first visible CUDA device. libtorch's CUDA libraries must be loaded first.
#include <ATen/ATen.h>

#include <cstdio>

#include "gpu/kernels/device.h"
#include "gpu/model/served_model.h"

extern "C" __attribute__((visibility("default"))) int kvantage_gpu_model_open(
    int abi, const kvantage::gpu::GpuModelSource* source, const kvantage::gpu::GpuModelOptions* options,
    kvantage::gpu::GpuModel** opened, char* reason, std::size_t reason_bytes) {
  using namespace kvantage::gpu;
  const auto refuse = [&](const std::string& why, int code = 1) {
    std::snprintf(reason, reason_bytes, "%s", why.c_str());
    return code;
  };
  // Only C types cross the boundary before the versions match.
  if (abi != gpu_model_abi)
    return refuse("the module was built for interface " + std::to_string(gpu_model_abi) + " and the program has " +
                  std::to_string(abi) + "; build both from one tree");
  if (const std::string why = why_no_device(); !why.empty()) return refuse(why, gpu_model_no_device);
  if (!at::globalContext().hasCUDA())
    return refuse("libtorch sees no CUDA device; load its libtorch_cuda.so of the same version before this module");
  // Keeps partial sums of a product in fp32, as on the CPU.
  at::globalContext().setAllowBF16ReductionCuBLAS(false, true);
  // cuDNN attention builds a plan per sequence length, tens of milliseconds each; here each head of each context has
  // its own length.
  at::globalContext().setSDPUseCuDNN(false);
  auto model = open_served_model(*source, *options, at::Device(at::kCUDA, 0));
  if (!model) return refuse(model.error().message);
  *opened = model->release();
  return 0;
}
