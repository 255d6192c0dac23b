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
#include "gpu/kernels/device.h"
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
    if (const Status made = succeeded(cudaEventCreateWithFlags(&events.end, cudaEventBlockingSync), "an event");
        !made) {
      (void)cudaEventDestroy(events.begin);
      return tl::unexpected(made.error());
    }
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
    (void)succeeded(cudaEventSynchronize(events_.end), "a copy");
    pool_->give(events_);
  }
  CudaCopy(const CudaCopy&) = delete;
  CudaCopy& operator=(const CudaCopy&) = delete;

  bool over() override {
    const cudaError_t error = cudaEventQuery(events_.end);
    if (error != cudaSuccess)
      (void)cudaGetLastError();  // also of a copy in flight: a launch would report it as its own
    return error != cudaErrorNotReady;
  }
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
    for (void* memory : {sums_, changed_})
      if (memory != nullptr) (void)cudaFree(memory);
  }

  Status open() {
    KV_TRY(use());
    cudaDeviceProp properties{};
    KV_TRY(succeeded(cudaGetDeviceProperties(&properties, device_), "its properties"));
    int driver = 0;
    KV_TRY(succeeded(cudaDriverGetVersion(&driver), "the driver's version"));
    info_ = {properties.name,
             "CUDA " + cuda_version_text(CUDART_VERSION) + ", driver for CUDA " + cuda_version_text(driver),
             properties.totalGlobalMem, device_memory_id(device_)};
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
    (void)use();  // a lost device, too, has to know that its memory is not used anymore
    (void)succeeded(cudaFree(reinterpret_cast<void*>(address)), "memory");
  }
  Expected<std::unique_ptr<DeviceCopy>> copy_in(DeviceAddress target, std::span<const std::byte> source) override {
    return copy(in_, reinterpret_cast<void*>(target), source.data(), source.size(), cudaMemcpyHostToDevice);
  }
  Expected<std::unique_ptr<DeviceCopy>> copy_out(std::span<std::byte> target, DeviceAddress source) override {
    return copy(out_, target.data(), reinterpret_cast<const void*>(source), target.size(), cudaMemcpyDeviceToHost);
  }
  using DeviceMemory::leaf_checksums;
  Status leaf_checksums(DeviceAddress address, std::span<std::uint64_t> sums, std::uint64_t last_bytes) override {
    KV_TRY(use());
    const std::lock_guard lock(sums_mutex_);
    if (sums_ == nullptr)
      KV_TRY(succeeded(cudaMalloc(&sums_, max_sums * sizeof(std::uint64_t)), "memory for checksums"));
    while (!sums.empty()) {
      const std::span<std::uint64_t> some = sums.first(std::min(max_sums, sums.size()));
      const std::uint64_t last = some.size() == sums.size() ? last_bytes : leaf_bytes;
      if (const Status begun = launch_leaf_checksums(reinterpret_cast<const std::byte*>(address), some.size(),
                                                     static_cast<std::uint64_t*>(sums_), summing_.stream, last);
          !begun)
        return fail(ErrorCode::io, begun.error().message);
      auto copied = copy(summing_, some.data(), sums_, some.size_bytes(), cudaMemcpyDeviceToHost);
      if (!copied) return after_summing(std::move(copied).error());
      KV_TRY((*copied)->wait());
      address += some.size() * leaf_bytes;
      sums = sums.subspan(some.size());
    }
    return {};
  }

  Expected<std::uint64_t> changed_blocks(std::span<const BlockChecksums> blocks) override {
    KV_TRY(use());
    const std::lock_guard lock(sums_mutex_);
    if (changed_ == nullptr) KV_TRY(succeeded(cudaMalloc(&changed_, sizeof(std::uint32_t)), "memory for checksums"));
    auto* const changed = static_cast<std::uint32_t*>(changed_);
    Status begun = launch_reset_count(changed, summing_.stream);
    for (const BlockChecksums& some : blocks)
      if (begun) begun = launch_check_blocks(some, changed, summing_.stream);
    if (!begun) return after_summing({ErrorCode::io, begun.error().message});
    std::uint32_t count = 0;
    auto copied = copy(summing_, &count, changed_, sizeof(count), cudaMemcpyDeviceToHost);
    if (!copied) return after_summing(std::move(copied).error());
    KV_TRY((*copied)->wait());
    return count;
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
    Status begun = succeeded(cudaEventRecord(events.begin, lane.stream), "a copy");
    if (begun) begun = succeeded(cudaMemcpyAsync(target, source, bytes, kind, lane.stream), "a copy");
    Status ended;
    if (begun) ended = succeeded(cudaEventRecord(events.end, lane.stream), "a copy");
    if (begun && ended) return std::make_unique<CudaCopy>(events_, events);  // waits before the events are reused
    // Without an event behind it, what is in flight can only be waited for by its stream.
    (void)succeeded(cudaStreamSynchronize(lane.stream), "a copy");
    events_->give(events);
    return tl::unexpected(begun ? ended.error() : begun.error());
  }

  /// Kernels in flight read entries whose memory the caller may free after an error, so the error comes after them.
  tl::unexpected<Error> after_summing(Error error) {
    (void)succeeded(cudaStreamSynchronize(summing_.stream), "checksums");
    return tl::unexpected(std::move(error));
  }

  void unpin(std::byte* address) {
    const std::lock_guard lock(pinned_mutex_);
    pinned_.erase(address);
    (void)use();
    (void)succeeded(cudaHostUnregister(address), "pinned memory");
  }

  const int device_ = 0;
  AcceleratorInfo info_;
  static constexpr std::size_t max_sums = 2048;  // of 8 MiB at once
  Lane in_, out_, summing_;
  std::mutex sums_mutex_;
  void* sums_ = nullptr;     // on the device: max_sums checksums
  void* changed_ = nullptr;  // on the device: a count of blocks
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
