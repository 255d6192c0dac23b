// The functions of CUDA's runtime that gpu/device, gpu/kernels/device.cu and streams.cu call, in host memory. Calls are
// checked against CUDA's rules as far as that is possible without a device; it cannot show what a device does.
#include <cuda_runtime_api.h>

#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <utility>

#include "tests/gpu/fake/fake_cuda.h"
#include "tests/gpu/fake/fake_launch.h"

using namespace kvantage::testing;

struct CUevent_st {
  std::shared_ptr<FakeEvent> state = std::make_shared<FakeEvent>();
};
struct CUstream_st : FakeStream {};

namespace {

struct Piece {
  std::byte* bytes = nullptr;
  std::size_t size = 0;
};
std::map<const void*, Piece> memory;      // of the device
std::map<const void*, std::size_t> pins;  // of the host
thread_local int device_of_thread = -1;
thread_local cudaError_t last_error = cudaSuccess;

cudaError_t told(cudaError_t error) {
  if (error != cudaSuccess) last_error = error;
  return error;
}

/// Holds the lock of the runtime for one call. `error`: of the call if it is made to fail, else success.
class Call {
 public:
  Call(CudaCall call, cudaError_t if_failed) : lock_(fake_cuda().mutex()) {
    FakeCuda& fake = fake_cuda();
    fake.queues().advance();
    if (fake.fails(call)) error = told(fake.is_lost() ? cudaErrorLaunchFailure : if_failed);
  }
  cudaError_t error = cudaSuccess;

 private:
  std::lock_guard<std::mutex> lock_;
};

/// The range that holds `address`, if any.
template <class Ranges>
typename Ranges::const_iterator holder(const Ranges& ranges, const void* address) {
  auto range = ranges.upper_bound(address);
  return range == ranges.begin() ? ranges.end() : std::prev(range);
}
bool on_device(const void* address, std::size_t bytes) {
  const auto piece = holder(memory, address);
  return piece != memory.end() &&
         static_cast<const std::byte*>(address) + bytes <= piece->second.bytes + piece->second.size;
}
bool is_pinned(const void* address, std::size_t bytes) {
  const auto pin = holder(pins, address);
  return pin != pins.end() &&
         static_cast<const std::byte*>(address) + bytes <= static_cast<const std::byte*>(pin->first) + pin->second;
}

FakeStream& stream_of(cudaStream_t stream) {
  static FakeStream default_stream;
  static const bool added = [] {
    FakeCuda& fake = fake_cuda();
    fake.queues().add(default_stream);
    default_stream.agent = fake.trace().add_stream();
    return true;
  }();
  return stream == nullptr && added ? default_stream : *stream;
}
void submit(FakeStream& stream, const char* what, const MemoryRanges& reads, const MemoryRanges& writes, double seconds,
            std::function<void()> run) {
  FakeCuda& fake = fake_cuda();
  if (fake.is_tracing()) fake.trace().submit(stream.agent, what, reads, writes);
  // What a kernel reports while it runs is none of the calling thread's.
  fake.queues().submit(stream, {[run = std::move(run)] {
                                  const cudaError_t before = std::exchange(last_error, cudaSuccess);
                                  run();
                                  last_error = before;
                                },
                                seconds, nullptr, nullptr, 0, 0});
}
double copy_seconds(std::size_t bytes) { return 2e-6 + static_cast<double>(bytes) / 20e9; }

/// Device memory, or page-locked host memory, is not used after this. CUDA waits for the device here; the code under
/// test must not depend on that, so the trace has no such wait.
void free_memory(const char* what, const void* address, std::size_t bytes) {
  FakeCuda& fake = fake_cuda();
  fake.queues().run_everything();
  if (fake.is_tracing()) fake.trace().host_access(what, MemoryRange::of(address, bytes), true);
}
cudaError_t unpin(const void* address, const char* rule) {
  const auto pin = pins.find(address);
  if (pin == pins.end()) {
    fake_cuda().broken(rule);
    return told(cudaErrorHostMemoryNotRegistered);
  }
  free_memory("the end of page-locked memory", address, pin->second);
  pins.erase(pin);
  --fake_cuda().pins;
  return cudaSuccess;
}
cudaError_t make_event(cudaEvent_t* event) {
  const Call call(CudaCall::create, cudaErrorMemoryAllocation);
  if (call.error != cudaSuccess) return call.error;
  *event = new CUevent_st;
  ++fake_cuda().events;
  return cudaSuccess;
}

}  // namespace

namespace kvantage::testing {

void fake_launch(gpu::Stream stream, const char* kernel, const MemoryRanges& reads, const MemoryRanges& writes,
                 std::function<void()> run) {
  const Call call(CudaCall::launch, cudaErrorLaunchOutOfResources);
  if (call.error != cudaSuccess) return;
  for (const MemoryRanges* const ranges : {&reads, &writes})
    for (const MemoryRange& range : *ranges)
      if (range.begin < range.end && !on_device(reinterpret_cast<const void*>(range.begin), range.end - range.begin))
        return fake_cuda().broken("a kernel leaves the device's memory");
  submit(stream_of(static_cast<cudaStream_t>(stream)), kernel, reads, writes, 5e-6, std::move(run));
}

MemoryRange allocated_from(const void* address) {
  const std::lock_guard lock(fake_cuda().mutex());
  const auto piece = holder(memory, address);
  if (piece == memory.end()) return {};
  return {reinterpret_cast<std::uintptr_t>(address),
          reinterpret_cast<std::uintptr_t>(piece->second.bytes + piece->second.size)};
}

}  // namespace kvantage::testing

extern "C" {

cudaError_t CUDARTAPI cudaDriverGetVersion(int* version) {
  *version = fake_cuda().driver_version;
  return cudaSuccess;
}
cudaError_t CUDARTAPI cudaGetDeviceCount(int* count) {
  *count = fake_cuda().devices;
  return told(static_cast<cudaError_t>(fake_cuda().device_count_error.load()));
}
cudaError_t CUDARTAPI cudaSetDevice(int device) {
  const Call call(CudaCall::device, cudaErrorDevicesUnavailable);
  if (call.error != cudaSuccess) return call.error;
  if (fake_cuda().driver_version == 0 || fake_cuda().devices == 0) return told(cudaErrorNoDevice);
  device_of_thread = device;
  fake_cuda().device_was_chosen = true;
  return cudaSuccess;
}
cudaError_t CUDARTAPI cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  const Call call(CudaCall::device, cudaErrorInvalidDevice);
  if (call.error != cudaSuccess) return call.error;
  *properties = {};
  std::strcpy(properties->name, "fake CUDA");
  properties->totalGlobalMem = fake_cuda().memory_bytes;
  return cudaSuccess;
}
cudaError_t CUDARTAPI cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  const Call call(CudaCall::device, cudaErrorInvalidDevice);
  if (call.error != cudaSuccess) return call.error;
  *total = fake_cuda().memory_bytes;
  *free = *total - fake_cuda().allocated_bytes;
  return cudaSuccess;
}

cudaError_t CUDARTAPI cudaMalloc(void** address, std::size_t bytes) {
  const Call call(CudaCall::allocate, cudaErrorMemoryAllocation);
  if (call.error != cudaSuccess) return call.error;
  FakeCuda& fake = fake_cuda();
  if (fake.allocated_bytes + bytes > fake.memory_bytes) return told(cudaErrorMemoryAllocation);
  auto* const piece = static_cast<std::byte*>(std::aligned_alloc(256, (bytes + 255) / 256 * 256));
  if (piece == nullptr) return told(cudaErrorMemoryAllocation);
  std::memset(piece, 0xee, bytes);
  memory.emplace(piece, Piece{piece, bytes});
  *address = piece;
  fake.allocated_bytes += bytes;
  ++fake.allocations;
  return cudaSuccess;
}
cudaError_t CUDARTAPI cudaFree(void* address) {
  const std::lock_guard lock(fake_cuda().mutex());
  if (address == nullptr) return cudaSuccess;
  const auto piece = memory.find(address);
  if (piece == memory.end()) {
    fake_cuda().broken("memory is freed that is not there");
    return told(cudaErrorInvalidValue);
  }
  free_memory("the end of device memory", address, piece->second.size);
  fake_cuda().allocated_bytes -= piece->second.size;
  --fake_cuda().allocations;
  std::free(piece->second.bytes);
  memory.erase(piece);
  return cudaSuccess;
}
cudaError_t CUDARTAPI cudaHostRegister(void* address, std::size_t bytes, unsigned int) {
  const Call call(CudaCall::pin, cudaErrorMemoryAllocation);
  if (call.error != cudaSuccess) return call.error;
  if (fake_cuda().refuses_pinning) return told(cudaErrorMemoryAllocation);
  if (!pins.emplace(address, bytes).second) return told(cudaErrorHostMemoryAlreadyRegistered);
  ++fake_cuda().pins;
  return cudaSuccess;
}
cudaError_t CUDARTAPI cudaHostUnregister(void* address) {
  const std::lock_guard lock(fake_cuda().mutex());
  return unpin(address, "memory is unpinned that is not pinned");
}
cudaError_t CUDARTAPI cudaMallocHost(void** address, std::size_t bytes) {
  const Call call(CudaCall::pin, cudaErrorMemoryAllocation);
  if (call.error != cudaSuccess) return call.error;
  *address = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
  if (*address == nullptr) return told(cudaErrorMemoryAllocation);
  pins.emplace(*address, bytes);
  ++fake_cuda().pins;
  return cudaSuccess;
}
cudaError_t CUDARTAPI cudaFreeHost(void* address) {
  const std::lock_guard lock(fake_cuda().mutex());
  const cudaError_t error = unpin(address, "page-locked memory is freed that is not there");
  if (error == cudaSuccess) std::free(address);
  return error;
}

cudaError_t CUDARTAPI cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags) {
  const Call call(CudaCall::create, cudaErrorMemoryAllocation);
  if (call.error != cudaSuccess) return call.error;
  FakeCuda& fake = fake_cuda();
  if (flags != cudaStreamNonBlocking) fake.broken("a stream that waits for the default one");
  *stream = new CUstream_st;
  (*stream)->agent = fake.trace().add_stream();
  fake.queues().add(**stream);
  ++fake.streams;
  return cudaSuccess;
}
// Does not wait for the stream's work: that is run here, but the host does not know of it.
cudaError_t CUDARTAPI cudaStreamDestroy(cudaStream_t stream) {
  const std::lock_guard lock(fake_cuda().mutex());
  fake_cuda().queues().remove(*stream);
  delete stream;
  --fake_cuda().streams;
  return cudaSuccess;
}
cudaError_t CUDARTAPI cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int) {
  const Call call(CudaCall::hold, cudaErrorInvalidResourceHandle);
  if (call.error != cudaSuccess) return call.error;
  FakeCuda& fake = fake_cuda();
  FakeStream& waiting = stream_of(stream);
  if (fake.is_tracing()) fake.trace().stream_waits(waiting.agent, event);
  fake.queues().submit(waiting, {{}, 0, nullptr, event->state, event->state->recorded, 0});
  return cudaSuccess;
}
cudaError_t CUDARTAPI cudaStreamSynchronize(cudaStream_t stream) {
  const Call call(CudaCall::wait, cudaErrorLaunchFailure);
  if (call.error != cudaSuccess) return call.error;
  FakeCuda& fake = fake_cuda();
  FakeStream& awaited = stream_of(stream);
  fake.queues().run_all(awaited);
  if (fake.is_tracing()) fake.trace().host_waits_for_stream(awaited.agent);
  return cudaSuccess;
}

cudaError_t CUDARTAPI cudaEventCreate(cudaEvent_t* event) { return make_event(event); }
cudaError_t CUDARTAPI cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags) {
  if ((flags & cudaEventDisableTiming) != 0) fake_cuda().broken("an event without times");
  return make_event(event);
}
cudaError_t CUDARTAPI cudaEventDestroy(cudaEvent_t event) {
  const std::lock_guard lock(fake_cuda().mutex());
  FakeCuda& fake = fake_cuda();
  if (!event->state->is_over()) {
    fake.broken("an event is destroyed before it was reached");
    fake.queues().run_to(*event->state);
  }
  fake.trace().forget(event);
  delete event;
  --fake.events;
  return cudaSuccess;
}
cudaError_t CUDARTAPI cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  const Call call(CudaCall::record, cudaErrorInvalidResourceHandle);
  if (call.error != cudaSuccess) return call.error;
  FakeCuda& fake = fake_cuda();
  FakeEvent& state = *event->state;
  if (!state.is_over()) {
    fake.broken("an event is recorded again before it was reached");
    fake.queues().run_to(state);
  }
  FakeStream& recording = stream_of(stream);
  if (fake.is_tracing()) fake.trace().record(event, recording.agent);
  state.stream = &recording;
  ++state.recorded;
  fake.queues().submit(recording, {{}, 0, event->state, nullptr, 0, 0});
  return cudaSuccess;
}
// As with CUDA, an event that is not there yet is an error of the thread until somebody takes it.
cudaError_t CUDARTAPI cudaEventQuery(cudaEvent_t event) {
  const Call call(CudaCall::time, cudaErrorInvalidResourceHandle);
  if (call.error != cudaSuccess) return call.error;
  if (!event->state->is_over()) return told(cudaErrorNotReady);
  if (fake_cuda().is_tracing()) fake_cuda().trace().host_waits(event);
  return cudaSuccess;
}
cudaError_t CUDARTAPI cudaEventSynchronize(cudaEvent_t event) {
  const Call call(CudaCall::wait, cudaErrorLaunchFailure);
  if (call.error != cudaSuccess) return call.error;
  FakeCuda& fake = fake_cuda();
  if (event->state->recorded == 0) fake.broken("an event is waited for that was never recorded");
  fake.queues().run_to(*event->state);
  if (fake.is_tracing()) fake.trace().host_waits(event);
  return cudaSuccess;
}
cudaError_t CUDARTAPI cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  const Call call(CudaCall::time, cudaErrorInvalidResourceHandle);
  if (call.error != cudaSuccess) return call.error;
  if (!begin->state->is_over() || !end->state->is_over()) return told(cudaErrorNotReady);
  *milliseconds = static_cast<float>((end->state->when - begin->state->when) * 1e3);
  return cudaSuccess;
}

cudaError_t CUDARTAPI cudaMemcpyAsync(void* target, const void* source, std::size_t bytes, cudaMemcpyKind kind,
                                      cudaStream_t stream) {
  const Call call(CudaCall::copy, cudaErrorInvalidValue);
  if (call.error != cudaSuccess) return call.error;
  FakeCuda& fake = fake_cuda();
  if (device_of_thread < 0 && fake.device_was_chosen) fake.broken("a copy by a thread that chose no device");
  const bool in = kind == cudaMemcpyHostToDevice;
  if (!on_device(in ? target : source, bytes)) fake.broken("a copy leaves the device's memory");
  if (on_device(in ? source : target, 1)) fake.broken("a copy in the other direction");
  (in ? fake.bytes_in : fake.bytes_out) += bytes;
  submit(stream_of(stream), "a copy", {MemoryRange::of(source, bytes)}, {MemoryRange::of(target, bytes)},
         copy_seconds(bytes), [=, moves = fake.copies_move_bytes.load()] {
           if (moves) std::memcpy(target, source, bytes);
         });
  return cudaSuccess;
}
// From pageable memory to the device it returns when the bytes are staged, and the device has them later.
cudaError_t CUDARTAPI cudaMemcpy(void* target, const void* source, std::size_t bytes, cudaMemcpyKind kind) {
  const Call call(CudaCall::copy, cudaErrorInvalidValue);
  if (call.error != cudaSuccess) return call.error;
  FakeCuda& fake = fake_cuda();
  FakeStream& stream = stream_of(nullptr);
  const MemoryRange from = MemoryRange::of(source, bytes), to = MemoryRange::of(target, bytes);
  const bool in = kind == cudaMemcpyHostToDevice;
  if (!on_device(in ? target : source, bytes)) fake.broken("a copy leaves the device's memory");
  (in ? fake.bytes_in : fake.bytes_out) += bytes;
  if (in && !is_pinned(source, bytes)) {
    const auto* const first = static_cast<const std::byte*>(source);
    if (fake.is_tracing()) fake.trace().host_access("a staged copy", from, false);
    submit(stream, "a staged copy", {}, {to}, copy_seconds(bytes),
           [target, staged = std::vector<std::byte>(first, first + bytes)] {
             if (!staged.empty()) std::memcpy(target, staged.data(), staged.size());
           });
    return cudaSuccess;
  }
  submit(stream, "a copy", {from}, {to}, copy_seconds(bytes), [=] { std::memcpy(target, source, bytes); });
  fake.queues().run_all(stream);
  if (fake.is_tracing()) fake.trace().host_waits_for_stream(stream.agent);
  return cudaSuccess;
}

cudaError_t CUDARTAPI cudaGetLastError(void) { return std::exchange(last_error, cudaSuccess); }
const char* CUDARTAPI cudaGetErrorString(cudaError_t error) {
  return error == cudaErrorLaunchFailure ? "unspecified launch failure" : "an error";
}
const char* CUDARTAPI cudaGetErrorName(cudaError_t error) {
  return error == cudaErrorLaunchFailure ? "cudaErrorLaunchFailure" : "cudaError";
}

}  // extern "C"
