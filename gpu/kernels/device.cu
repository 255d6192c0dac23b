#include "gpu/kernels/device.h"

#include <cstdlib>
#include <cstring>

#include "gpu/kernels/cuda_check.h"
#ifdef KV_CUDA_RUNTIME
#include "gpu/kernels/driver_check.h"
#endif

namespace kvantage::gpu {

#ifdef KV_CUDA_RUNTIME
std::string why_no_device() { return why_no_cuda_device(); }
Status launched(const char* kernel) { return check(cudaGetLastError(), kernel); }
Status synchronize(Stream stream) {
  return check(cudaStreamSynchronize(static_cast<cudaStream_t>(stream)), "a kernel");
}

Expected<DeviceBytes> DeviceBytes::allocate(std::size_t bytes) {
  void* memory = nullptr;
  KV_TRY(check(cudaMalloc(&memory, bytes == 0 ? 1 : bytes), "allocation"));
  DeviceBytes made;
  made.data_ = static_cast<std::byte*>(memory);
  made.size_ = bytes;
  return made;
}
DeviceBytes::~DeviceBytes() { cudaFree(data_); }
// From pageable memory the call may return before the copy is complete, and streams that do not synchronize with the
// default one would read old data.
Status DeviceBytes::copy_in(std::span<const std::byte> bytes) {
  KV_TRY(check(cudaMemcpy(data_, bytes.data(), bytes.size(), cudaMemcpyHostToDevice), "a copy to the device"));
  return check(cudaStreamSynchronize(nullptr), "a copy to the device");
}
Status DeviceBytes::copy_out(std::span<std::byte> bytes) const {
  return check(cudaMemcpy(bytes.data(), data_, bytes.size(), cudaMemcpyDeviceToHost), "a copy from the device");
}
#else
std::string why_no_device() { return {}; }
Status launched(const char*) { return {}; }
Status synchronize(Stream) { return {}; }

// Aligned like cudaMalloc, and of exactly that size, so that an address sanitizer detects out-of-bounds accesses.
Expected<DeviceBytes> DeviceBytes::allocate(std::size_t bytes) {
  DeviceBytes made;
  void* memory = nullptr;
  if (::posix_memalign(&memory, 256, bytes == 0 ? 1 : bytes) != 0)
    return fail(ErrorCode::no_space, "emulated device: the system refuses memory; close other programs");
  made.data_ = static_cast<std::byte*>(memory);
  made.size_ = bytes;
  return made;
}
DeviceBytes::~DeviceBytes() { std::free(data_); }
Status DeviceBytes::copy_in(std::span<const std::byte> bytes) {
  if (!bytes.empty()) std::memcpy(data_, bytes.data(), bytes.size());
  return {};
}
Status DeviceBytes::copy_out(std::span<std::byte> bytes) const {
  if (!bytes.empty()) std::memcpy(bytes.data(), data_, bytes.size());
  return {};
}
#endif

#ifdef KV_CUDA_RUNTIME
std::string device_name(int device) {
  cudaDeviceProp properties{};
  if (cudaGetDeviceProperties(&properties, device) == cudaSuccess) return properties.name;
  (void)cudaGetLastError();  // clears the error, so that the next call does not report it again
  return {};
}
// Both modules are in the device's primary context, so that they share its addresses.
std::string device_memory_id(int device) {
  cudaDeviceProp properties{};
  if (cudaGetDeviceProperties(&properties, device) != cudaSuccess) {
    (void)cudaGetLastError();
    return {};
  }
  std::string id = "cuda ";
  for (const char byte : properties.uuid.bytes) {
    constexpr const char* digits = "0123456789abcdef";
    const auto bits = static_cast<unsigned char>(byte);
    id += digits[bits / 16];
    id += digits[bits % 16];
  }
  return id;
}
#else
std::string device_name(int) { return "emulated"; }
std::string device_memory_id(int) { return "emulated"; }
#endif

}  // namespace kvantage::gpu
