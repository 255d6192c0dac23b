// What the program and its method worker say to each other: one message of fixed size each way over a socket pair,
// tensors in shared memory. The worker runs strangers' code, so the program checks every field of a reply.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace kvantage::inline method_worker {

/// Files that the worker has besides /dev/null in place of the standard streams.
inline constexpr int worker_socket = 3, worker_memory = 4;

inline constexpr std::size_t wire_inputs = 7, wire_rank = 4, wire_alignment = 64;

enum class WorkerTask : std::uint32_t { load = 1, score = 2 };

/// An input in shared memory: fp32, int32 for positions.
struct WireTensor {
  std::uint32_t input = 0;  // ScorerInput
  std::uint32_t rank = 0;
  std::array<std::int64_t, wire_rank> shape = {};
  std::uint64_t offset = 0;
};

struct WorkerRequest {
  WorkerTask task = WorkerTask::load;
  std::uint32_t threads = 1;
  std::uint64_t memory_bytes = 0;  // of the shared memory
  std::uint64_t file_bytes = 0;    // load: the file, from offset 0
  std::int32_t layer = 0, sequence_length = 0;
  std::int64_t kv_heads = 0, tokens = 0;
  std::uint64_t scores_offset = 0;  // [kv_heads, tokens] fp32, written by the worker
  std::uint32_t inputs = 0;
  std::array<WireTensor, wire_inputs> tensors = {};
};

enum class WorkerAnswer : std::uint32_t { ready = 1, done = 2, failed = 3 };

/// What the file declares.
struct WireNeeds {
  std::uint32_t reads = 0;          // bit i: ScorerInput i
  std::int32_t window_queries = 0;  // INT_MAX: all
  std::uint32_t decode_eviction = 0;
  std::int32_t cadence = 0;  // 0: not given
};

struct WorkerReply {
  WorkerAnswer answer = WorkerAnswer::failed;
  std::uint32_t confined = 0;  // ready: whether files, network and other programs are out of reach
  WireNeeds needs;             // done, of load
  std::array<char, 64> name = {};
  std::array<char, 200> summary = {}, source = {};
  std::array<char, 600> reason = {};  // failed; ready and not confined
};

static_assert(std::is_trivially_copyable_v<WorkerRequest> && std::is_trivially_copyable_v<WorkerReply>);

}  // namespace kvantage::inline method_worker
