// Rows of 16-bit numbers for kernels: pieces of 16 bytes, a few lanes of a warp per row.
#pragma once

#include <type_traits>

#include "gpu/kernels/device.h"
#include "gpu/kernels/kernel_heads.h"

namespace kvantage::gpu {

inline constexpr int piece_numbers = 8;  // bf16 numbers in 16 bytes

/// Lanes that read a row of head_dim numbers together, one piece each: a power of two, at most a warp.
inline int lanes_of_row(int head_dim) {
  int lanes = 1;
  while (lanes * piece_numbers < head_dim) lanes *= 2;
  return lanes;
}
/// Calls launch(std::integral_constant<int, lanes_of_row(head_dim)>): with the number known, nvcc unrolls what lanes
/// do.
template <class Launch>
Status with_lanes(int head_dim, const Launch& launch) {
  switch (lanes_of_row(head_dim)) {
    case 1:
      return launch(std::integral_constant<int, 1>{});
    case 2:
      return launch(std::integral_constant<int, 2>{});
    case 4:
      return launch(std::integral_constant<int, 4>{});
    case 8:
      return launch(std::integral_constant<int, 8>{});
    case 16:
      return launch(std::integral_constant<int, 16>{});
    default:
      return launch(std::integral_constant<int, 32>{});
  }
}
/// usage if rows are not whole pieces or longer than a warp reads at once; longest: maximum tokens of a head.
inline Status check_heads(const PagedHeads& heads, int longest, const char* kernel) {
  if (heads.head_dim < piece_numbers || heads.head_dim % piece_numbers != 0 || heads.head_dim > 32 * piece_numbers)
    return fail(ErrorCode::usage, std::string(kernel) + ": head_dim must be a multiple of 8 up to 256");
  if (heads.block_tokens < 1 || longest < 0)
    return fail(ErrorCode::usage, std::string(kernel) + ": blocks must have at least one token");
  return check_grid_heads(heads.heads, kernel);
}
inline unsigned tiles(int count, int each) { return static_cast<unsigned>((count + each - 1) / each); }

/// The eight numbers of a piece.
__device__ __forceinline__ void widen(const uint4& piece, float (&numbers)[piece_numbers]) {
  const unsigned pairs[4] = {piece.x, piece.y, piece.z, piece.w};
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    numbers[2 * i] = widened(static_cast<std::uint16_t>(pairs[i] & 0xffffU));
    numbers[2 * i + 1] = widened(static_cast<std::uint16_t>(pairs[i] >> 16));
  }
}
/// Sum over this lane's group of `lanes` lanes (a power of two); the whole warp must call it.
__device__ __forceinline__ float sum_of_lanes(float number, int lanes) {
#pragma unroll
  for (int other = lanes / 2; other > 0; other /= 2)
    number += __shfl_xor_sync(0xffffffffU, number, static_cast<unsigned>(other));
  return number;
}

/// Keys as scoring reads them: half of lanes_of_row() per row, so that a lane has up to two pieces of it, and what is
/// done once per row costs half.
template <int lanes_of_row>
struct KeyLanes {
  static constexpr int lanes = lanes_of_row > 1 ? lanes_of_row / 2 : 1, pieces = 2, numbers = pieces * piece_numbers;
  int lane = static_cast<int>(threadIdx.x) % lanes, row = static_cast<int>(threadIdx.x) / lanes;

  __device__ __forceinline__ int channel(int piece) const { return (piece * lanes + lane) * piece_numbers; }
};
/// A lane's pieces of the keys of tokens first, first + apart, ... before `end`, all requested before one is used;
/// zeros for the others and beyond head_dim.
template <class Lanes, int count>
struct KeyPieces {
  uint4 raw[count][Lanes::pieces];

  __device__ __forceinline__ void read(const KernelHeads& heads, int head, int first, int apart, int end,
                                       const Lanes& lanes) {
    KernelHeads::Place places[count];
#pragma unroll
    for (int i = 0; i < count; ++i) places[i] = heads.place(head, min(first + i * apart, end - 1));
#pragma unroll
    for (int i = 0; i < count; ++i) read_row(heads, places[i], first + i * apart < end, i, lanes);
  }
  /// One row of them.
  __device__ __forceinline__ void read_row(const KernelHeads& heads, const KernelHeads::Place& place, bool there, int i,
                                           const Lanes& lanes) {
    const std::uint16_t* const key = heads.key(place);
#pragma unroll
    for (int p = 0; p < Lanes::pieces; ++p) {
      raw[i][p] = uint4{0, 0, 0, 0};
      if (there && lanes.channel(p) < heads.head_dim)
        raw[i][p] = *reinterpret_cast<const uint4*>(key + lanes.channel(p));
    }
  }
  __device__ __forceinline__ void widen_row(int i, float (&numbers)[Lanes::numbers]) const {
#pragma unroll
    for (int p = 0; p < Lanes::pieces; ++p) {
      float of_piece[piece_numbers];
      widen(raw[i][p], of_piece);
#pragma unroll
      for (int n = 0; n < piece_numbers; ++n) numbers[p * piece_numbers + n] = of_piece[n];
    }
  }
};
template <class Lanes>
__device__ __forceinline__ float squares_of_row(const float (&numbers)[Lanes::numbers]) {
  float sum = 0;
#pragma unroll
  for (const float number : numbers) sum += number * number;
  return sum_of_lanes(sum, Lanes::lanes);
}

}  // namespace kvantage::gpu
