#include "gpu/kernels/compact.h"

#include "gpu/kernels/row_math.h"

namespace kvantage::gpu {
namespace {

constexpr int threads = 256;
constexpr int rows_in_flight = 4;  // per lane, key and value each: a block reads 32 KiB before the first write

/// Rows in the pool, and staged ones: all keys, all values, all positions.
struct Places {
  PagedHeads heads;
  const std::int32_t* slots;

  __device__ std::uint16_t* key(int head, int copy) const { return heads.key(head, slots[copy]); }
  __device__ std::uint16_t* value(int head, int copy) const { return heads.value(head, slots[copy]); }
  __device__ std::int32_t* position(int head, int copy) const { return heads.position(head, slots[copy]); }
};
struct Staging {
  unsigned char* memory;
  std::size_t rows, dim;
  int shift;  // from a copy's index to its row here

  __device__ std::uint16_t* key(int, int copy) const {
    return reinterpret_cast<std::uint16_t*>(memory) + static_cast<std::size_t>(copy + shift) * dim;
  }
  __device__ std::uint16_t* value(int, int copy) const {
    return reinterpret_cast<std::uint16_t*>(memory) + (rows + static_cast<std::size_t>(copy + shift)) * dim;
  }
  __device__ std::int32_t* position(int, int copy) const {
    return reinterpret_cast<std::int32_t*>(memory + 2 * rows * dim * sizeof(std::uint16_t)) + copy + shift;
  }
};

/// Executes copies [first, end) of a head in order, in pieces: all rows of a piece are in registers before its first
/// write, and no piece starts before the previous one is written. So a row is never read later than in sequential
/// order.
template <class From, class To>
__device__ void move_rows(const From& from, const To& to, int head, int first, int end, int lanes, int head_dim) {
  const int rows = threads / lanes, lane = static_cast<int>(threadIdx.x) % lanes,
            row = static_cast<int>(threadIdx.x) / lanes;
  const bool has_piece = lane * piece_numbers < head_dim;
  for (int at = first; at < end; at += rows * rows_in_flight) {
    uint4 keys[rows_in_flight], values[rows_in_flight];
    std::int32_t positions[rows_in_flight];
#pragma unroll
    for (int n = 0; n < rows_in_flight; ++n) {
      const int copy = at + n * rows + row;
      if (copy >= end) continue;
      if (has_piece) keys[n] = reinterpret_cast<const uint4*>(from.key(head, copy))[lane];
      if (has_piece) values[n] = reinterpret_cast<const uint4*>(from.value(head, copy))[lane];
      if (lane == 0) positions[n] = *from.position(head, copy);
    }
    __syncthreads();
#pragma unroll
    for (int n = 0; n < rows_in_flight; ++n) {
      const int copy = at + n * rows + row;
      if (copy >= end) continue;
      if (has_piece) reinterpret_cast<uint4*>(to.key(head, copy))[lane] = keys[n];
      if (has_piece) reinterpret_cast<uint4*>(to.value(head, copy))[lane] = values[n];
      if (lane == 0) *to.position(head, copy) = positions[n];
    }
    __syncthreads();  // writes are visible to the block, the only reader
  }
}

/// One block per head, whose copies are ordered; heads have separate blocks and run in parallel. With fewer heads than
/// multiprocessors, the per-multiprocessor rate is the limit (some tens of gigabytes a second on an H100); with many
/// (layers times KV heads), memory bandwidth is. Staged heads cross memory twice.
__global__ void __launch_bounds__(threads, 2)
    compact(SlotMoves moves, unsigned char* staging, std::size_t staged_rows, int lanes) {
  const int head = static_cast<int>(blockIdx.x), first = moves.first_copy[head], end = moves.first_copy[head + 1],
            dim = moves.before.head_dim;
  const Places from{moves.before, moves.from}, to{moves.after, moves.to};
  const int first_staged = moves.first_staged == nullptr ? -1 : moves.first_staged[head];
  if (first_staged < 0 ||
      end - first <= threads / lanes * rows_in_flight) {  // in one piece, everything is read first anyway
    move_rows(from, to, head, first, end, lanes, dim);
  } else {
    const Staging between{staging, staged_rows, static_cast<std::size_t>(dim), first_staged - first};
    move_rows(from, between, head, first, end, lanes, dim);
    move_rows(between, to, head, first, end, lanes, dim);
  }
}

}  // namespace

std::size_t staging_bytes(int head_dim, std::size_t rows) {
  return rows * (2 * static_cast<std::size_t>(head_dim) * sizeof(std::uint16_t) + sizeof(std::int32_t));
}

Status launch_compact(const SlotMoves& moves, unsigned char* staging, std::size_t staged_rows, Stream stream) {
  KV_TRY(check_heads(moves.before, 0, "compact"));
  if (moves.before.slots != nullptr || moves.after.slots != nullptr || moves.before.heads != moves.after.heads ||
      moves.before.arena != moves.after.arena)
    return fail(ErrorCode::usage, "compact: tables without slots, of the same heads in the same arena");
  if (staged_rows > 0 && staging == nullptr)
    return fail(ErrorCode::usage, "compact: staged heads need memory to be staged in");
  if (moves.before.heads == 0) return {};
  KV_LAUNCH(compact, dim3(static_cast<unsigned>(moves.before.heads)), dim3(threads), 0, stream, moves, staging,
            staged_rows, lanes_of_row(moves.before.head_dim));
  return launched("compact");
}

}  // namespace kvantage::gpu
