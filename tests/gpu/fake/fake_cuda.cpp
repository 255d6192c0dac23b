#include "tests/gpu/fake/fake_cuda.h"

#include <cuda_runtime_api.h>

#include <cstdio>

namespace kvantage::testing {

FakeCuda& fake_cuda() {
  static FakeCuda fake;
  return fake;
}

void FakeCuda::reset(Lateness lateness, std::uint64_t seed) {
  const std::lock_guard lock(mutex_);
  driver_version = CUDART_VERSION;
  device_count_error = cudaSuccess;
  devices = 1;
  memory_bytes = std::size_t{1} << 30;
  refuses_pinning = device_was_chosen = false;
  copies_move_bytes = true;
  queues_.reset(lateness, seed);
  queues_.work_again();
  after_ = -1;
  failed_ = lost_ = tracing_ = false;
}

void FakeCuda::inject(CudaCall call, int after, bool loses) {
  const std::lock_guard lock(mutex_);
  injected_ = call;
  after_ = after;
  loses_ = loses;
  failed_ = false;
}

bool FakeCuda::has_failed() const {
  const std::lock_guard lock(mutex_);
  return failed_;
}

void FakeCuda::lose() {
  const std::lock_guard lock(mutex_);
  end_of_device();
}

void FakeCuda::end_of_device() {
  lost_ = true;
  queues_.stop_working();
  queues_.run_everything();
  trace_.end_of_device();
}

bool FakeCuda::fails(CudaCall call) {
  if (lost_) return true;
  if (after_ < 0 || (injected_ != CudaCall::any && injected_ != call) || after_-- != 0) return false;
  failed_ = true;
  if (loses_ || call == CudaCall::wait) end_of_device();
  return true;
}

void FakeCuda::begin_trace(int first_ignored, int ignored_count) {
  const std::lock_guard lock(mutex_);
  trace_ = StreamTrace();
  trace_.ignore_waits(first_ignored, ignored_count);
  for (FakeStream* const stream : queues_.all()) stream->agent = trace_.add_stream();
  tracing_ = true;
}

std::vector<Race> FakeCuda::races() const {
  const std::lock_guard lock(mutex_);
  return trace_.races();
}

int FakeCuda::waits() const {
  const std::lock_guard lock(mutex_);
  return trace_.waits();
}

std::size_t FakeCuda::accesses() const {
  const std::lock_guard lock(mutex_);
  return trace_.accesses();
}

void FakeCuda::note_host_access(const char* what, std::span<const std::byte> memory, bool writes) {
  const std::lock_guard lock(mutex_);
  if (tracing_) trace_.host_access(what, MemoryRange::of(memory.data(), memory.size()), writes);
}

void FakeCuda::broken(const char* rule) {
  std::fprintf(stderr, "fake CUDA: %s\n", rule);
  ++broken_rules;
}

}  // namespace kvantage::testing
