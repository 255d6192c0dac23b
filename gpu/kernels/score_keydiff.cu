#include "gpu/kernels/score_keydiff.h"

#include "gpu/kernels/row_math.h"

namespace kvantage::gpu {
namespace {

constexpr int threads = 128, join_threads = 512;
constexpr int rows_in_flight = 2;  // per lane: a block requests 8 KiB at a time, and the next 8 KiB before it adds
constexpr int part_tokens = 512;   // of a head per block: 64 blocks for 32,768 tokens
constexpr float min_norm = 1e-8F, min_divisor = 1e-12F;

/// What a block works on: tokens [first, end) of a head.
template <class Lanes>
struct Part {
  static constexpr int rows = threads / Lanes::lanes, tile = rows * rows_in_flight;
  int head, first, end;

  __device__ Part(const KernelHeads& heads, int of_head, int part)
      : head(of_head), first(part * part_tokens), end(min(heads.kept[of_head], first + part_tokens)) {}

  /// The numbers of row i of the pieces, a token's, in whose place the row of the next tile is requested.
  __device__ __forceinline__ void take_row(const KernelHeads& heads, KeyPieces<Lanes, rows_in_flight>& pieces, int i,
                                           int token, const Lanes& lanes, float (&numbers)[Lanes::numbers]) const {
    const KernelHeads::Place next = heads.place(head, min(token + tile, end - 1));
    pieces.widen_row(i, numbers);
    pieces.read_row(heads, next, token + tile < end, i, lanes);
  }
};

/// The sum of unit keys of one part of one head, and all norms. Memory-bound: each key is read once.
template <class Lanes>
__global__ void __launch_bounds__(threads) sum_unit_keys(KernelHeads heads, float* sums, float* norms) {
  KV_SHARED float of_rows[threads * Lanes::numbers];  // [rows][pieces][lanes][8]
  const Part<Lanes> part(heads, static_cast<int>(blockIdx.y), static_cast<int>(blockIdx.x));
  if (part.first >= part.end) return;
  const Lanes lanes;
  float* const of_head = norms + heads.first_slot[part.head];
  float sum[Lanes::numbers] = {};
  KeyPieces<Lanes, rows_in_flight> pieces;
  pieces.read(heads, part.head, part.first + lanes.row, part.rows, part.end, lanes);
  for (int at = part.first; at < part.end; at += part.tile) {
#pragma unroll
    for (int i = 0; i < rows_in_flight; ++i) {
      const int token = at + i * part.rows + lanes.row;
      float numbers[Lanes::numbers];
      part.take_row(heads, pieces, i, token, lanes, numbers);
      const float norm = sqrtf(squares_of_row<Lanes>(numbers));
      if (lanes.lane == 0 && token < part.end) of_head[token] = norm;
      const float inverse = __fdividef(1.0F, fmaxf(norm, min_divisor));
#pragma unroll
      for (int n = 0; n < Lanes::numbers; ++n) sum[n] += numbers[n] * inverse;  // rows past the end are zeros
    }
  }
#pragma unroll
  for (int n = 0; n < Lanes::numbers; ++n)
    of_rows[lanes.row * Lanes::lanes * Lanes::numbers + lanes.channel(n / piece_numbers) + n % piece_numbers] = sum[n];
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < heads.head_dim; i += threads) {
    float total = 0;
#pragma unroll
    for (int r = 0; r < part.rows; ++r) total += of_rows[r * Lanes::lanes * Lanes::numbers + i];
    sums[(static_cast<std::size_t>(part.head) * gridDim.x + blockIdx.x) * static_cast<std::size_t>(heads.head_dim) +
         static_cast<std::size_t>(i)] = total;
  }
}

/// Adds the sums of a head's parts and divides them by minus their norm. A few kilobytes per head, bound by latency:
/// several threads per channel have the sums of every so many parts.
__global__ void __launch_bounds__(join_threads)
    join_sums(KernelHeads heads, int parts, const float* sums, float* anchors) {
  KV_SHARED float of_slices[join_threads], of_warps[join_threads / 32];
  const int head = static_cast<int>(blockIdx.x), used = (heads.kept[head] + part_tokens - 1) / part_tokens,
            thread = static_cast<int>(threadIdx.x), dim = heads.head_dim;
  const int slices = join_threads / dim, slice = thread / dim, channel = thread % dim;
  float mine = 0;
  if (slice < slices) {
    const float* const of_channel = sums + static_cast<std::size_t>(head * parts) * static_cast<std::size_t>(dim) +
                                    static_cast<std::size_t>(channel);
#pragma unroll 8
    for (int p = slice; p < used; p += slices) mine += of_channel[p * dim];
  }
  of_slices[thread] = mine;
  __syncthreads();
  float total = 0;
  if (thread < dim)
    for (int other = 0; other < slices; ++other) total += of_slices[other * dim + thread];
  const float squares = sum_of_lanes(total * total, 32);
  if (thread % 32 == 0) of_warps[thread / 32] = squares;
  __syncthreads();
  float length = 0;
  for (const float of_warp : of_warps) length += of_warp;
  length = fmaxf(sqrtf(length), min_norm);
  if (thread < dim) anchors[static_cast<std::size_t>(head * dim + thread)] = -total / length;
}

/// Dot products with the anchor divided by the keys' norms, which `scores` holds before; each key is read again.
/// Memory-bound like the first pass; blocks go from the last part to the first, so that what the first pass read last
/// comes from the L2 cache (40 MiB on an A100, 50 MiB on an H100).
template <class Lanes>
__global__ void __launch_bounds__(threads) score_by_anchor(KernelHeads heads, const float* anchors, float* scores) {
  const Part<Lanes> part(heads, static_cast<int>(gridDim.y - 1 - blockIdx.y),
                         static_cast<int>(gridDim.x - 1 - blockIdx.x));
  if (part.first >= part.end) return;
  const Lanes lanes;
  float* const of_head = scores + heads.first_slot[part.head];
  KeyPieces<Lanes, rows_in_flight> pieces;
  pieces.read(heads, part.head, part.first + lanes.row, part.rows, part.end, lanes);
  float anchor[Lanes::numbers];
#pragma unroll
  for (int n = 0; n < Lanes::numbers; ++n) {
    const int i = lanes.channel(n / piece_numbers) + n % piece_numbers;
    anchor[n] = i < heads.head_dim ? anchors[static_cast<std::size_t>(part.head * heads.head_dim + i)] : 0.0F;
  }
  for (int at = part.first; at < part.end; at += part.tile) {
    float norms[rows_in_flight];
#pragma unroll
    for (int i = 0; i < rows_in_flight; ++i) {
      const int token = at + i * part.rows + lanes.row;
      norms[i] = lanes.lane == 0 && token < part.end ? of_head[token] : 1.0F;
    }
#pragma unroll
    for (int i = 0; i < rows_in_flight; ++i) {
      const int token = at + i * part.rows + lanes.row;
      float numbers[Lanes::numbers], product = 0;
      part.take_row(heads, pieces, i, token, lanes, numbers);
#pragma unroll
      for (int n = 0; n < Lanes::numbers; ++n) product += numbers[n] * anchor[n];
      product = sum_of_lanes(product, Lanes::lanes);
      if (lanes.lane == 0 && token < part.end) of_head[token] = product / fmaxf(norms[i], min_norm);
    }
  }
}

}  // namespace

std::size_t keydiff_scratch(const PagedHeads& heads, int longest) {
  return static_cast<std::size_t>(heads.heads) * (tiles(longest, part_tokens) + std::size_t{1}) *
         static_cast<std::size_t>(heads.head_dim);
}

Status launch_score_keydiff(const PagedHeads& heads, int longest, float* scratch, float* scores, Stream stream) {
  KV_TRY(check_heads(heads, longest, "score_keydiff"));
  if (heads.heads == 0 || longest == 0) return {};
  return with_lanes(heads.head_dim, [&](auto of_row) -> Status {
    using Lanes = KeyLanes<decltype(of_row)::value>;
    const auto count = static_cast<unsigned>(heads.heads), parts = tiles(longest, part_tokens);
    float* const anchors = scratch + static_cast<std::size_t>(count) * parts * static_cast<std::size_t>(heads.head_dim);
    KV_LAUNCH(sum_unit_keys<Lanes>, dim3(parts, count), dim3(threads), 0, stream, heads, scratch, scores);
    KV_TRY(launched("sum_unit_keys"));
    KV_LAUNCH(join_sums, dim3(count), dim3(join_threads), 0, stream, heads, static_cast<int>(parts), scratch, anchors);
    KV_TRY(launched("join_sums"));
    KV_LAUNCH(score_by_anchor<Lanes>, dim3(parts, count), dim3(threads), 0, stream, heads, anchors, scores);
    return launched("score_by_anchor");
  });
}

}  // namespace kvantage::gpu
