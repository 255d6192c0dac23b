// What a test sets and sees of the CUDA runtime in fake_cuda_runtime.cpp: the machine, when work runs, which call
// fails, what is there, and the trace of all accesses to memory. Without types of CUDA, whose headers exclude those of
// emulated kernels.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>

#include "tests/gpu/fake/fake_streams.h"
#include "tests/gpu/trace/stream_trace.h"

namespace kvantage::testing {

/// Kinds of calls that can be made to fail; any: all of them.
enum class CudaCall { any, device, allocate, pin, create, record, hold, copy, launch, wait, time };

struct FakeMachine {
  std::atomic<int> driver_version{0};  // 0: no driver
  std::atomic<int> device_count_error{0};
  std::atomic<int> devices{1};
  std::atomic<std::size_t> memory_bytes{std::size_t{1} << 30};
  std::atomic<bool> refuses_pinning{false};
  std::atomic<bool> device_was_chosen{false};  // by a thread; then every thread that copies has to
  std::atomic<bool> copies_move_bytes{true};   // false: they take their time and are traced, for who reads none
};

struct FakeCounts {
  std::atomic<int> streams{0}, events{0}, allocations{0}, pins{0};  // now
  std::atomic<std::size_t> allocated_bytes{0};
  std::atomic<std::uint64_t> bytes_in{0}, bytes_out{0};  // copied so far, to the device and from it
  std::atomic<int> broken_rules{0};  // memory freed twice, an event waited for that was never recorded, and the like
  bool nothing_left() const { return streams == 0 && events == 0 && allocations == 0 && pins == 0; }
};

class FakeCuda : public FakeMachine, public FakeCounts {
 public:
  /// A machine with one device of 1 GiB that works; nothing is traced.
  void reset(Lateness lateness = Lateness::drawn, std::uint64_t seed = 1);
  /// The call of this kind after `after` more of them fails, once. A failed wait loses the device, as all that CUDA
  /// reports late does. `loses`: any failed call does.
  void inject(CudaCall call, int after, bool loses = false);
  /// Whether the injected fault happened.
  bool has_failed() const;
  /// Nothing runs on the device anymore, and all calls but those that free fail.
  void lose();

  /// From now on all accesses are recorded, with the `ignored_count` waits from number `first_ignored` on ignored.
  void begin_trace(int first_ignored = 0, int ignored_count = 0);
  /// Of what happened since, and the number of waits.
  std::vector<Race> races() const;
  int waits() const;
  std::size_t accesses() const;
  /// An access by the test or the code under test, not through CUDA.
  void note_host_access(const char* what, std::span<const std::byte> memory, bool writes);

  // For the runtime.
  /// A rule of CUDA, or of ours, that the code under test breaks.
  void broken(const char* rule);
  std::mutex& mutex() { return mutex_; }
  // With the mutex held:
  bool fails(CudaCall call);
  bool is_lost() const { return lost_; }
  FakeStreams& queues() { return queues_; }
  StreamTrace& trace() { return trace_; }
  bool is_tracing() const { return tracing_; }

 private:
  /// As lose(), with the mutex held.
  void end_of_device();

  mutable std::mutex mutex_;
  FakeStreams queues_;
  StreamTrace trace_;
  CudaCall injected_ = CudaCall::any;
  int after_ = -1;  // -1: nothing is injected
  bool loses_ = false, failed_ = false, lost_ = false, tracing_ = false;
};
FakeCuda& fake_cuda();

}  // namespace kvantage::testing
