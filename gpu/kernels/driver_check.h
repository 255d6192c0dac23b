// User-facing CUDA diagnostics: why no device was found, in one line for the device tier, the kernels and the model.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

namespace kvantage::gpu {

inline std::string cuda_error_text(cudaError_t error) {
  return std::string(cudaGetErrorString(error)) + " (" + cudaGetErrorName(error) + ")";
}
inline std::string cuda_version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}
inline std::string unusable_cuda_device(const std::string& reason) {
  return "the device cannot be used: " + reason + "; check nvidia-smi";
}

/// Empty if there is a device; else what is missing and how to fix it.
inline std::string why_no_cuda_device() {
  int driver = 0, devices = 0;
  if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0) {
    (void)cudaGetLastError();
    return "no NVIDIA driver was found (libcuda.so.1); install the driver of this machine's GPU";
  }
  const cudaError_t error = cudaGetDeviceCount(&devices);
  if (error == cudaSuccess && devices > 0) return {};
  (void)cudaGetLastError();  // clears the error, so that the next call does not report it again
  if (error == cudaErrorInsufficientDriver)
    return "the NVIDIA driver supports CUDA " + cuda_version_text(driver) + " and this was built with CUDA " +
           cuda_version_text(CUDART_VERSION) + "; update the driver";
  if (error == cudaErrorNoDevice || error == cudaSuccess)
    return "the NVIDIA driver shows no device; check nvidia-smi and CUDA_VISIBLE_DEVICES";
  return unusable_cuda_device(cuda_error_text(error));
}

}  // namespace kvantage::gpu
