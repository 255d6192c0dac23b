#include "gpu/kernels/streams.h"

#include <chrono>
#include <cstdlib>
#include <cstring>

#include "gpu/kernels/cuda_check.h"

namespace kvantage::gpu {

#ifdef KV_CUDA_RUNTIME
Expected<DeviceEvent> DeviceEvent::create() {
  DeviceEvent made;
  cudaEvent_t event = nullptr;
  KV_TRY(check(cudaEventCreate(&event), "an event"));
  made.event_ = event;
  return made;
}
DeviceEvent::~DeviceEvent() {
  if (event_ != nullptr) cudaEventDestroy(static_cast<cudaEvent_t>(event_));
}
Status DeviceEvent::record(Stream stream) {
  return check(cudaEventRecord(static_cast<cudaEvent_t>(event_), static_cast<cudaStream_t>(stream)), "an event");
}
Status DeviceEvent::hold(Stream stream) const {
  return check(cudaStreamWaitEvent(static_cast<cudaStream_t>(stream), static_cast<cudaEvent_t>(event_), 0),
               "waiting for an event");
}
Status DeviceEvent::wait() const {
  return check(cudaEventSynchronize(static_cast<cudaEvent_t>(event_)), "what was waited for");
}
Expected<double> DeviceEvent::seconds_since(const DeviceEvent& earlier) const {
  float milliseconds = 0;
  KV_TRY(check(
      cudaEventElapsedTime(&milliseconds, static_cast<cudaEvent_t>(earlier.event_), static_cast<cudaEvent_t>(event_)),
      "an event"));
  return static_cast<double>(milliseconds) / 1e3;
}

Expected<DeviceStream> DeviceStream::create() {
  DeviceStream made;
  cudaStream_t stream = nullptr;
  KV_TRY(check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "a stream"));
  made.stream_ = stream;
  return made;
}
DeviceStream::~DeviceStream() {
  if (stream_ == nullptr) return;
  (void)synchronize(stream_);  // destroying a stream does not wait for its work, whose memory is freed next
  cudaStreamDestroy(static_cast<cudaStream_t>(stream_));
}

Expected<PinnedBytes> PinnedBytes::allocate(std::size_t bytes) {
  void* memory = nullptr;
  KV_TRY(check(cudaMallocHost(&memory, bytes == 0 ? 1 : bytes), "pinned memory"));
  PinnedBytes made;
  made.data_ = static_cast<std::byte*>(memory);
  made.size_ = bytes;
  return made;
}
PinnedBytes::~PinnedBytes() {
  if (data_ != nullptr) cudaFreeHost(data_);
}
Status copy_in_later(void* device, std::span<const std::byte> bytes, Stream stream) {
  return check(
      cudaMemcpyAsync(device, bytes.data(), bytes.size(), cudaMemcpyHostToDevice, static_cast<cudaStream_t>(stream)),
      "a copy to the device");
}
#else
Expected<DeviceEvent> DeviceEvent::create() { return DeviceEvent(); }
DeviceEvent::~DeviceEvent() = default;
Status DeviceEvent::record(Stream) {
  seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  return {};
}
Status DeviceEvent::hold(Stream) const { return {}; }
Status DeviceEvent::wait() const { return {}; }
Expected<double> DeviceEvent::seconds_since(const DeviceEvent& earlier) const { return seconds_ - earlier.seconds_; }

Expected<DeviceStream> DeviceStream::create() { return DeviceStream(); }
DeviceStream::~DeviceStream() = default;

Expected<PinnedBytes> PinnedBytes::allocate(std::size_t bytes) {
  void* memory = nullptr;
  if (::posix_memalign(&memory, 4096, bytes == 0 ? 1 : bytes) != 0)
    return fail(ErrorCode::no_space, "pinned memory: the system refuses it; close other programs");
  PinnedBytes made;
  made.data_ = static_cast<std::byte*>(memory);
  made.size_ = bytes;
  return made;
}
PinnedBytes::~PinnedBytes() { std::free(data_); }
Status copy_in_later(void* device, std::span<const std::byte> bytes, Stream) {
  if (!bytes.empty()) std::memcpy(device, bytes.data(), bytes.size());
  return {};
}
#endif

}  // namespace kvantage::gpu
