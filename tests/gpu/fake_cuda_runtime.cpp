#include "tests/gpu/fake_cuda_runtime.h"

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

using kvantage::testing::fake_cuda;
using kvantage::testing::FakeCuda;

namespace kvantage::testing {

FakeCuda& fake_cuda() {
  static FakeCuda fake;
  return fake;
}

}  // namespace kvantage::testing

struct CUevent_st {
  std::mutex mutex;
  std::condition_variable reached;
  int recorded = 0, passed = 0;
  std::chrono::steady_clock::time_point when;
};

struct CUstream_st {
  std::mutex mutex;
  std::condition_variable wake;
  std::deque<std::function<void()>> work;
  bool ending = false;
  std::thread thread{[this] {
    std::unique_lock lock(mutex);
    for (;;) {
      wake.wait(lock, [this] { return ending || !work.empty(); });
      if (work.empty()) return;
      const auto next = std::move(work.front());
      work.pop_front();
      lock.unlock();
      next();
      lock.lock();
    }
  }};
  void post(std::function<void()> what) {
    {
      const std::lock_guard lock(mutex);
      work.push_back(std::move(what));
    }
    wake.notify_one();
  }
};

namespace {

std::mutex memory_mutex;
std::map<const void*, std::vector<std::byte>> memory;
std::map<const void*, std::size_t> pins;
thread_local int device_of_thread = -1;

void broken(const char* rule) {
  std::fprintf(stderr, "fake CUDA: %s\n", rule);
  ++fake_cuda().broken_rules;
}
bool on_device(const void* address, std::size_t bytes) {
  const std::lock_guard lock(memory_mutex);
  auto piece = memory.upper_bound(address);
  if (piece == memory.begin()) return false;
  --piece;
  return static_cast<const std::byte*>(address) + bytes <= piece->second.data() + piece->second.size();
}
bool no_device() {
  const FakeCuda& fake = fake_cuda();
  return fake.driver_version == 0 || fake.devices == 0;
}

}  // namespace

extern "C" {

cudaError_t CUDARTAPI cudaDriverGetVersion(int* version) {
  *version = fake_cuda().driver_version;
  return cudaSuccess;
}
cudaError_t CUDARTAPI cudaGetDeviceCount(int* count) {
  *count = fake_cuda().devices;
  return fake_cuda().device_count_error;
}
cudaError_t CUDARTAPI cudaSetDevice(int device) {
  if (no_device()) return cudaErrorNoDevice;
  device_of_thread = device;
  return fake_cuda().lost ? cudaErrorDevicesUnavailable : cudaSuccess;
}
cudaError_t CUDARTAPI cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  *properties = {};
  std::strcpy(properties->name, "fake CUDA");
  properties->totalGlobalMem = fake_cuda().memory_bytes;
  return cudaSuccess;
}
cudaError_t CUDARTAPI cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  *total = fake_cuda().memory_bytes;
  *free = *total - fake_cuda().allocated_bytes;
  return cudaSuccess;
}
cudaError_t CUDARTAPI cudaMalloc(void** address, std::size_t bytes) {
  if (device_of_thread < 0) broken("memory is asked for by a thread that chose no device");
  FakeCuda& fake = fake_cuda();
  if (fake.allocated_bytes + bytes > fake.memory_bytes) return cudaErrorMemoryAllocation;
  const std::lock_guard lock(memory_mutex);
  std::vector<std::byte> piece(bytes, std::byte{0xee});
  *address = piece.data();
  memory.emplace(piece.data(), std::move(piece));
  fake.allocated_bytes += bytes;
  ++fake.allocations;
  return cudaSuccess;
}
cudaError_t CUDARTAPI cudaFree(void* address) {
  const std::lock_guard lock(memory_mutex);
  const auto piece = memory.find(address);
  if (piece == memory.end()) {
    broken("memory is freed that is not there");
    return cudaErrorInvalidValue;
  }
  fake_cuda().allocated_bytes -= piece->second.size();
  --fake_cuda().allocations;
  memory.erase(piece);
  return cudaSuccess;
}
cudaError_t CUDARTAPI cudaHostRegister(void* address, std::size_t bytes, unsigned int) {
  if (fake_cuda().refuses_pinning) return cudaErrorMemoryAllocation;
  const std::lock_guard lock(memory_mutex);
  if (!pins.emplace(address, bytes).second) return cudaErrorHostMemoryAlreadyRegistered;
  ++fake_cuda().pins;
  return cudaSuccess;
}
cudaError_t CUDARTAPI cudaHostUnregister(void* address) {
  const std::lock_guard lock(memory_mutex);
  if (pins.erase(address) == 0) {
    broken("memory is unpinned that is not pinned");
    return cudaErrorHostMemoryNotRegistered;
  }
  --fake_cuda().pins;
  return cudaSuccess;
}
cudaError_t CUDARTAPI cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags) {
  if (flags != cudaStreamNonBlocking) broken("a stream that waits for the default one");
  *stream = new CUstream_st;
  ++fake_cuda().streams;
  return cudaSuccess;
}
cudaError_t CUDARTAPI cudaStreamDestroy(cudaStream_t stream) {
  {
    const std::lock_guard lock(stream->mutex);
    stream->ending = true;
  }
  stream->wake.notify_one();
  stream->thread.join();
  delete stream;
  --fake_cuda().streams;
  return cudaSuccess;
}
cudaError_t CUDARTAPI cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags) {
  if ((flags & cudaEventDisableTiming) != 0) broken("an event that tells no time");
  *event = new CUevent_st;
  ++fake_cuda().events;
  return cudaSuccess;
}
cudaError_t CUDARTAPI cudaEventDestroy(cudaEvent_t event) {
  if (event->recorded != event->passed) broken("an event is destroyed that is waited for");
  delete event;
  --fake_cuda().events;
  return cudaSuccess;
}
cudaError_t CUDARTAPI cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  {
    const std::lock_guard lock(event->mutex);
    if (event->recorded != event->passed) broken("an event is recorded again before it was reached");
    ++event->recorded;
  }
  stream->post([event] {
    const std::lock_guard lock(event->mutex);
    ++event->passed;
    event->when = std::chrono::steady_clock::now();
    event->reached.notify_all();  // under the lock: whoever waits may destroy it
  });
  return cudaSuccess;
}
cudaError_t CUDARTAPI cudaEventQuery(cudaEvent_t event) {
  if (fake_cuda().lost) return cudaErrorLaunchFailure;
  const std::lock_guard lock(event->mutex);
  return event->passed == event->recorded ? cudaSuccess : cudaErrorNotReady;
}
cudaError_t CUDARTAPI cudaEventSynchronize(cudaEvent_t event) {
  std::unique_lock lock(event->mutex);
  if (event->recorded == 0) broken("an event is waited for that was never recorded");
  event->reached.wait(lock, [event] { return event->passed == event->recorded; });
  return fake_cuda().lost ? cudaErrorLaunchFailure : cudaSuccess;
}
cudaError_t CUDARTAPI cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  const std::scoped_lock lock(begin->mutex, end->mutex);
  if (begin->recorded != begin->passed || end->recorded != end->passed) return cudaErrorNotReady;
  *milliseconds = std::chrono::duration<float, std::milli>(end->when - begin->when).count();
  return cudaSuccess;
}
cudaError_t CUDARTAPI cudaMemcpyAsync(void* target, const void* source, std::size_t bytes, cudaMemcpyKind kind,
                                      cudaStream_t stream) {
  if (device_of_thread < 0) broken("a copy by a thread that chose no device");
  const bool in = kind == cudaMemcpyHostToDevice;
  if (!on_device(in ? target : source, bytes)) broken("a copy leaves the device's memory");
  if (on_device(in ? source : target, 1)) broken("a copy that goes the other way");
  FakeCuda& fake = fake_cuda();
  if (fake.copies_until_failure >= 0 && fake.copies_until_failure-- == 0) return cudaErrorInvalidValue;
  stream->post([=] { std::memcpy(target, source, bytes); });
  return cudaSuccess;
}
cudaError_t CUDARTAPI cudaGetLastError(void) { return cudaSuccess; }
const char* CUDARTAPI cudaGetErrorString(cudaError_t error) {
  return error == cudaErrorLaunchFailure ? "unspecified launch failure" : "an error";
}
const char* CUDARTAPI cudaGetErrorName(cudaError_t error) {
  return error == cudaErrorLaunchFailure ? "cudaErrorLaunchFailure" : "cudaError";
}

}  // extern "C"
