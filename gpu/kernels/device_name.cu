#include "gpu/kernels/device_name.h"

#ifdef __CUDACC__
#include <cuda_runtime_api.h>
#endif

namespace kvantage::gpu {

#ifdef __CUDACC__
std::string device_name(int device) {
  cudaDeviceProp properties{};
  if (cudaGetDeviceProperties(&properties, device) == cudaSuccess) return properties.name;
  (void)cudaGetLastError();  // clears the error, so that the next call does not report it again
  return {};
}
#else
std::string device_name(int) { return "emulated"; }
#endif

}  // namespace kvantage::gpu
