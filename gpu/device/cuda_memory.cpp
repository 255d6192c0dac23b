#include "gpu/device/cuda_memory.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/base/units.h"
#include "gpu/kernels/driver_check.h"
#include "gpu/kernels/leaf_checksums.h"

namespace kvantage::gpu {
namespace {

Status succeeded(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return {};
  (void)cudaGetLastError();  // clears the error, so that the next call does not report it again
  return fail(ErrorCode::io,
              std::string("CUDA: ") + what + ": " + cuda_error_text(error) + "; what was on the device is recomputed");
}

struct CopyEvents {
  cudaEvent_t begin = nullptr, end = nullptr;
};

// Creating events costs more than a small copy.
class EventPool {
 public:
  ~EventPool() {
    for (const CopyEvents& events : idle_) {
      cudaEventDestroy(events.begin);
      cudaEventDestroy(events.end);
    }
  }
  Expected<CopyEvents> take() {
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        const CopyEvents events = idle_.back();
        idle_.pop_back();
        return events;
      }
    }
    // Waiters sleep: the CPU cores are needed for the model.
    CopyEvents events;
    KV_TRY(succeeded(cudaEventCreateWithFlags(&events.begin, cudaEventBlockingSync), "an event"));
    KV_TRY(succeeded(cudaEventCreateWithFlags(&events.end, cudaEventBlockingSync), "an event"));
    return events;
  }
  void give(const CopyEvents& events) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(events);
  }

 private:
  std::mutex mutex_;
  std::vector<CopyEvents> idle_;
};

class CudaCopy final : public DeviceCopy {
 public:
  CudaCopy(std::shared_ptr<EventPool> pool, const CopyEvents& events) : pool_(std::move(pool)), events_(events) {}
  ~CudaCopy() override {
    (void)cudaEventSynchronize(events_.end);
    pool_->give(events_);
  }
  CudaCopy(const CudaCopy&) = delete;
  CudaCopy& operator=(const CudaCopy&) = delete;

  bool over() override { return cudaEventQuery(events_.end) != cudaErrorNotReady; }
  Expected<double> wait() override {
    KV_TRY(succeeded(cudaEventSynchronize(events_.end), "a copy"));
    float milliseconds = 0;
    KV_TRY(succeeded(cudaEventElapsedTime(&milliseconds, events_.begin, events_.end), "the time of a copy"));
    return static_cast<double>(milliseconds) * 1e-3;
  }

 private:
  std::shared_ptr<EventPool> pool_;
  CopyEvents events_;
};

class CudaMemory final : public DeviceMemory, public std::enable_shared_from_this<CudaMemory> {
 public:
  ~CudaMemory() override {
    for (Lane* lane : {&in_, &out_, &summing_})
      if (lane->stream != nullptr) cudaStreamDestroy(lane->stream);
    if (sums_ != nullptr) (void)cudaFree(sums_);
  }

  Status open() {
    KV_TRY(use());
    cudaDeviceProp properties{};
    KV_TRY(succeeded(cudaGetDeviceProperties(&properties, device_), "its properties"));
    int driver = 0;
    KV_TRY(succeeded(cudaDriverGetVersion(&driver), "the driver's version"));
    info_ = {properties.name,
             "CUDA " + cuda_version_text(CUDART_VERSION) + ", driver for CUDA " + cuda_version_text(driver),
             properties.totalGlobalMem};
    for (Lane* lane : {&in_, &out_, &summing_})
      KV_TRY(succeeded(cudaStreamCreateWithFlags(&lane->stream, cudaStreamNonBlocking), "a stream"));
    return {};
  }

  AcceleratorInfo info() const override { return info_; }
  std::uint64_t free_bytes() const override {
    std::size_t free = 0, total = 0;
    if (!use() || !succeeded(cudaMemGetInfo(&free, &total), "free memory")) return 0;
    return free;
  }
  Expected<DeviceAddress> allocate(std::size_t bytes) override {
    KV_TRY(use());
    void* address = nullptr;
    const cudaError_t error = cudaMalloc(&address, bytes);
    if (error == cudaErrorMemoryAllocation) {
      (void)cudaGetLastError();
      return fail(ErrorCode::no_space, info_.name + ": no " + format_bytes(bytes) + " of device memory are free");
    }
    KV_TRY(succeeded(error, "memory"));
    return reinterpret_cast<DeviceAddress>(address);
  }
  void release(DeviceAddress address) override {
    if (use()) (void)cudaFree(reinterpret_cast<void*>(address));
  }
  Expected<std::unique_ptr<DeviceCopy>> copy_in(DeviceAddress target, std::span<const std::byte> source) override {
    return copy(in_, reinterpret_cast<void*>(target), source.data(), source.size(), cudaMemcpyHostToDevice);
  }
  Expected<std::unique_ptr<DeviceCopy>> copy_out(std::span<std::byte> target, DeviceAddress source) override {
    return copy(out_, target.data(), reinterpret_cast<const void*>(source), target.size(), cudaMemcpyDeviceToHost);
  }
  Status leaf_checksums(DeviceAddress address, std::span<std::uint64_t> sums) override {
    KV_TRY(use());
    const std::lock_guard lock(sums_mutex_);
    if (sums_ == nullptr)
      KV_TRY(succeeded(cudaMalloc(&sums_, max_sums * sizeof(std::uint64_t)), "memory for checksums"));
    while (!sums.empty()) {
      const std::span<std::uint64_t> some = sums.first(std::min(max_sums, sums.size()));
      if (const Status begun = launch_leaf_checksums(reinterpret_cast<const std::byte*>(address), some.size(),
                                                     static_cast<std::uint64_t*>(sums_), summing_.stream);
          !begun)
        return fail(ErrorCode::io, begun.error().message);
      KV_ASSIGN(auto copied, copy(summing_, some.data(), sums_, some.size_bytes(), cudaMemcpyDeviceToHost));
      KV_TRY(copied->wait());
      address += some.size() * leaf_bytes;
      sums = sums.subspan(some.size());
    }
    return {};
  }

  std::shared_ptr<void> pin(std::span<std::byte> memory) override {
    if (!use() || !succeeded(cudaHostRegister(memory.data(), memory.size(), cudaHostRegisterPortable), "pinned memory"))
      return nullptr;
    {
      const std::lock_guard lock(pinned_mutex_);
      pinned_.emplace(memory.data(), memory.size());
    }
    return {memory.data(),
            [self = shared_from_this()](void* address) { self->unpin(static_cast<std::byte*>(address)); }};
  }
  bool pinned(std::span<const std::byte> memory) const override {
    const std::lock_guard lock(pinned_mutex_);
    auto range = pinned_.upper_bound(memory.data());
    if (range == pinned_.begin()) return false;
    --range;
    return memory.data() + memory.size() <= range->first + range->second;
  }

 private:
  struct Lane {
    std::mutex mutex;  // keeps a copy between its own events
    cudaStream_t stream = nullptr;
  };

  // The current device is per thread.
  Status use() const { return succeeded(cudaSetDevice(device_), "the device"); }

  Expected<std::unique_ptr<DeviceCopy>> copy(Lane& lane, void* target, const void* source, std::size_t bytes,
                                             cudaMemcpyKind kind) {
    KV_TRY(use());
    KV_ASSIGN(auto events, events_->take());
    const std::lock_guard lock(lane.mutex);
    KV_TRY(succeeded(cudaEventRecord(events.begin, lane.stream), "a copy"));
    const Status begun = succeeded(cudaMemcpyAsync(target, source, bytes, kind, lane.stream), "a copy");
    KV_TRY(succeeded(cudaEventRecord(events.end, lane.stream), "a copy"));
    auto copy = std::make_unique<CudaCopy>(events_, events);  // waits before the events are reused
    KV_TRY(begun);
    return copy;
  }

  void unpin(std::byte* address) {
    const std::lock_guard lock(pinned_mutex_);
    pinned_.erase(address);
    if (use()) (void)cudaHostUnregister(address);
  }

  const int device_ = 0;
  AcceleratorInfo info_;
  static constexpr std::size_t max_sums = 2048;  // of 8 MiB at once
  Lane in_, out_, summing_;
  std::mutex sums_mutex_;
  void* sums_ = nullptr;  // on the device: max_sums checksums
  std::shared_ptr<EventPool> events_ = std::make_shared<EventPool>();
  mutable std::mutex pinned_mutex_;
  std::map<const std::byte*, std::size_t> pinned_;  // by address; they never overlap
};

}  // namespace

Expected<std::shared_ptr<DeviceMemory>> open_cuda_memory() {
  if (std::string why = why_no_cuda_device(); !why.empty()) return fail(ErrorCode::not_found, std::move(why));
  auto memory = std::make_shared<CudaMemory>();
  if (const Status opened = memory->open(); !opened)
    return fail(ErrorCode::not_found, unusable_cuda_device(opened.error().message));
  return memory;
}

}  // namespace kvantage::gpu
