// Modules as the loader may meet them: one over the host double, one on a machine without a device, one of another
// build, and a library that is no module.
#include "gpu/device/module_entry.h"
#include "tests/gpu/host_device_memory.h"

namespace {

using namespace kvantage;

Expected<std::shared_ptr<gpu::DeviceMemory>> open_memory() {
#ifdef KVANTAGE_TEST_NO_DEVICE
  return fail(ErrorCode::not_found, "the NVIDIA driver shows no device; check nvidia-smi and CUDA_VISIBLE_DEVICES");
#else
  return std::make_shared<testing::HostDeviceMemory>(testing::HostDeviceMemory::Options{.bytes_per_second = 2e9});
#endif
}

}  // namespace

#ifndef KVANTAGE_TEST_ENTRY
#define KVANTAGE_TEST_ENTRY kvantage_accelerator_open
#endif
#ifndef KVANTAGE_TEST_ABI
#define KVANTAGE_TEST_ABI accelerator_abi
#endif

extern "C" __attribute__((visibility("default"))) int KVANTAGE_TEST_ENTRY(int abi, kvantage::Accelerator** opened,
                                                                          char* reason, std::size_t reason_bytes) {
  return gpu::open_module(KVANTAGE_TEST_ABI, abi, opened, reason, reason_bytes, open_memory);
}
