#include "gpu/kernels/gather_paged.h"

#include "gpu/kernels/row_math.h"

namespace kvantage::gpu {
namespace {

constexpr int threads = 128;
constexpr int rows_in_flight = 4;  // per lane, key and value each: a block requests 16 KiB before the first write

/// A row's destination: key, value, position.
struct Target {
  std::uint16_t* key;
  std::uint16_t* value;
  std::int32_t* position;
};

struct ToBlocks {
  KernelHeads heads;
  const std::int32_t* indices;

  __device__ int count(int head) const { return heads.kept[head]; }
  __device__ int token(int head, int i) const { return indices[heads.first_slot[head] + i]; }
  __device__ Target target(int head, int i) const {
    const KernelHeads::Place at = heads.place(head, i);
    std::uint16_t* const key = heads.key(at);
    return {key, heads.value_beside(key), heads.position(at)};
  }
  __device__ bool has_keys() const { return true; }
  __device__ bool has_values() const { return true; }
  __device__ bool has_positions() const { return true; }
};

struct ToRows {
  GatheredRows rows;
  const std::int32_t* indices;
  const std::int32_t* first_row;
  const std::int32_t* counts;
  int head_dim;

  __device__ int count(int head) const { return counts[head]; }
  __device__ int token(int head, int i) const { return indices == nullptr ? i : indices[first_row[head] + i]; }
  __device__ Target target(int head, int i) const {
    const auto row = static_cast<std::size_t>(first_row[head] + i);
    const std::size_t at = row * static_cast<std::size_t>(head_dim);
    return {rows.keys + at, rows.values + at, rows.positions + row};
  }
  __device__ bool has_keys() const { return rows.keys != nullptr; }
  __device__ bool has_values() const { return rows.values != nullptr; }
  __device__ bool has_positions() const { return rows.positions != nullptr; }
};

/// Memory-bound: every kept byte is read once and written once, a row (64 to 512 bytes) by adjacent lanes. Isolated
/// rows use whole sectors of 32 bytes, which rows of at least 16 numbers fill.
template <class To, int lanes>
__global__ void __launch_bounds__(threads) gather_paged(KernelHeads from, To to) {
  constexpr int rows = threads / lanes;
  const int head = static_cast<int>(blockIdx.y), count = to.count(head);
  const int lane = static_cast<int>(threadIdx.x) % lanes, row = static_cast<int>(threadIdx.x) / lanes;
  const int first = static_cast<int>(blockIdx.x) * rows * rows_in_flight + row;
  if (first >= count) return;
  const bool has_piece = lane * piece_numbers < from.head_dim, has_keys = has_piece && to.has_keys(),
             has_values = has_piece && to.has_values(), has_position = lane == 0 && to.has_positions();
  int tokens[rows_in_flight];
  KernelHeads::Place places[rows_in_flight];
  uint4 keys[rows_in_flight], values[rows_in_flight];
  std::int32_t positions[rows_in_flight];
#pragma unroll
  for (int n = 0; n < rows_in_flight; ++n)
    tokens[n] = to.token(head, min(first + n * rows, count - 1));  // beyond the count: the last row again
#pragma unroll
  for (int n = 0; n < rows_in_flight; ++n) places[n] = from.place(head, tokens[n]);
#pragma unroll
  for (int n = 0; n < rows_in_flight; ++n) {
    std::uint16_t* const key = from.key(places[n]);
    if (has_keys) keys[n] = reinterpret_cast<const uint4*>(key)[lane];
    if (has_values) values[n] = reinterpret_cast<const uint4*>(from.value_beside(key))[lane];
    if (has_position) positions[n] = *from.position(places[n]);
  }
#pragma unroll
  for (int n = 0; n < rows_in_flight; ++n) {
    const int i = first + n * rows;
    if (i >= count) continue;
    const Target target = to.target(head, i);
    if (has_keys) reinterpret_cast<uint4*>(target.key)[lane] = keys[n];
    if (has_values) reinterpret_cast<uint4*>(target.value)[lane] = values[n];
    if (has_position) *target.position = positions[n];
  }
}

template <class To>
Status launch(const PagedHeads& from, const To& to, int longest, Stream stream, const char* name) {
  KV_TRY(check_heads(from, longest, name));
  if (from.heads == 0 || longest == 0) return {};
  return with_lanes(from.head_dim, [&](auto of_row) -> Status {
    constexpr int lanes = decltype(of_row)::value;
    KV_LAUNCH((gather_paged<To, lanes>),
              dim3(tiles(longest, threads / lanes * rows_in_flight), static_cast<unsigned>(from.heads)), dim3(threads),
              0, stream, from, to);
    return launched(name);
  });
}

constexpr unsigned copy_threads = 128;
constexpr unsigned pieces_in_flight = 4;  // of 16 bytes, per thread, that are requested before the first write

/// Memory-bound: a thread block per cache block, of which neighboring threads copy neighboring pieces.
__global__ void __launch_bounds__(copy_threads)
    copy_blocks(const std::uint64_t* from, const std::int32_t* to, unsigned char* arena, std::size_t block_bytes) {
  const auto* const source = reinterpret_cast<const uint4*>(from[blockIdx.x]);
  auto* const target = reinterpret_cast<uint4*>(arena + static_cast<std::size_t>(to[blockIdx.x]) * block_bytes);
  const std::size_t pieces = block_bytes / sizeof(uint4);
  for (std::size_t first = threadIdx.x; first < pieces; first += copy_threads * pieces_in_flight) {
    uint4 held[pieces_in_flight];
#pragma unroll
    for (unsigned i = 0; i < pieces_in_flight; ++i) {
      const std::size_t at = first + i * copy_threads;
      held[i] = source[at < pieces ? at : first];
    }
#pragma unroll
    for (unsigned i = 0; i < pieces_in_flight; ++i)
      if (first + i * copy_threads < pieces) target[first + i * copy_threads] = held[i];
  }
}

}  // namespace

Status launch_gather_blocks(const PagedHeads& from, const std::int32_t* indices, const PagedHeads& to, int longest,
                            Stream stream) {
  if (from.heads != to.heads || from.head_dim != to.head_dim)
    return fail(ErrorCode::usage, "gather_blocks: other heads than those they come from");
  return launch(from, ToBlocks{to, indices}, longest, stream, "gather_blocks");
}

Status launch_gather_rows(const PagedHeads& from, const std::int32_t* indices, const std::int32_t* first_row,
                          const std::int32_t* counts, const GatheredRows& to, int longest, Stream stream) {
  return launch(from, ToRows{to, indices, first_row, counts, from.head_dim}, longest, stream, "gather_rows");
}

Status launch_copy_blocks(const BlockCopies& copies, unsigned char* arena, std::size_t block_bytes, Stream stream) {
  if (block_bytes % sizeof(uint4) != 0 || copies.count < 0)
    return fail(ErrorCode::usage, "copy_blocks: blocks have a multiple of 16 bytes");
  if (copies.count == 0 || block_bytes == 0) return {};
  KV_LAUNCH(copy_blocks, dim3(static_cast<unsigned>(copies.count)), dim3(copy_threads), 0, stream, copies.from,
            copies.to, arena, block_bytes);
  return launched("copy_blocks");
}

}  // namespace kvantage::gpu
