#include "gpu/kernels/score_keydiff.h"

#include "gpu/kernels/row_math.h"

namespace kvantage::gpu {
namespace {

constexpr int threads = 128;
constexpr int rows_in_flight = 4;  // per lane: a block requests 8 KiB before the first use
constexpr int part_tokens = 512;   // of a head per block: 64 blocks for 32,768 tokens
constexpr float min_norm = 1e-8F, min_divisor = 1e-12F;

/// A lane's pieces of rows [first + row, first + row + rows, ...), and the squared norms of the whole rows.
struct Pieces {
  float numbers[rows_in_flight][piece_numbers];

  __device__ __forceinline__ void read(const PagedHeads& heads, int head, int first, int rows, int row, int lane,
                                       int end) {
    uint4 raw[rows_in_flight];
#pragma unroll
    for (int i = 0; i < rows_in_flight; ++i) {
      const int token = first + i * rows + row;
      raw[i] = uint4{0, 0, 0, 0};
      if (token < end && lane * piece_numbers < heads.head_dim)
        raw[i] = reinterpret_cast<const uint4*>(heads.key(head, token))[lane];
    }
#pragma unroll
    for (int i = 0; i < rows_in_flight; ++i) widen(raw[i], numbers[i]);
  }
  __device__ __forceinline__ float norm(int i, int lanes) const {
    float sum = 0;
    for (const float number : numbers[i]) sum += number * number;
    return sqrtf(sum_of_lanes(sum, lanes));
  }
};

/// The sum of unit keys of one part of one head. Memory-bound: each key is read once.
__global__ void __launch_bounds__(threads) sum_unit_keys(PagedHeads heads, int lanes, float* sums) {
  KV_SHARED float of_rows[threads * piece_numbers];  // [rows][lanes][8]
  const int head = static_cast<int>(blockIdx.y), kept = heads.kept[head], rows = threads / lanes;
  const int lane = static_cast<int>(threadIdx.x) % lanes, row = static_cast<int>(threadIdx.x) / lanes;
  const int first = static_cast<int>(blockIdx.x) * part_tokens, end = min(kept, first + part_tokens);
  if (first >= kept) return;
  float sum[piece_numbers] = {};
  for (int at = first; at < end; at += rows * rows_in_flight) {
    Pieces pieces;
    pieces.read(heads, head, at, rows, row, lane, end);
    for (int i = 0; i < rows_in_flight; ++i) {
      const float inverse = 1.0F / fmaxf(pieces.norm(i, lanes), min_divisor);
      for (int n = 0; n < piece_numbers; ++n) sum[n] += pieces.numbers[i][n] * inverse;  // rows past the end are zeros
    }
  }
  for (int n = 0; n < piece_numbers; ++n) of_rows[static_cast<int>(threadIdx.x) * piece_numbers + n] = sum[n];
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < heads.head_dim; i += threads) {
    float total = 0;
    for (int r = 0; r < rows; ++r) total += of_rows[r * lanes * piece_numbers + i];
    sums[(static_cast<std::size_t>(head) * gridDim.x + blockIdx.x) * static_cast<std::size_t>(heads.head_dim) +
         static_cast<std::size_t>(i)] = total;
  }
}

/// Adds the sums of a head's parts and divides them by minus their norm. A few kilobytes per head: negligible.
__global__ void __launch_bounds__(threads) join_sums(PagedHeads heads, int parts, const float* sums, float* anchors) {
  KV_SHARED float of_warps[threads / 32];
  const int head = static_cast<int>(blockIdx.x), used = (heads.kept[head] + part_tokens - 1) / part_tokens;
  const auto dim = static_cast<std::size_t>(heads.head_dim);
  float mine[2] = {}, squares = 0;  // at most 256 numbers, 128 threads
  for (int n = 0; n < 2; ++n) {
    const std::size_t i = threadIdx.x + static_cast<std::size_t>(n) * threads;
    if (i >= dim) continue;
    for (int p = 0; p < used; ++p) mine[n] += sums[static_cast<std::size_t>(head * parts + p) * dim + i];
    squares += mine[n] * mine[n];
  }
  squares = sum_of_lanes(squares, 32);
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = squares;
  __syncthreads();
  float length = 0;
  for (const float of_warp : of_warps) length += of_warp;
  length = fmaxf(sqrtf(length), min_norm);
  for (int n = 0; n < 2; ++n) {
    const std::size_t i = threadIdx.x + static_cast<std::size_t>(n) * threads;
    if (i < dim) anchors[static_cast<std::size_t>(head) * dim + i] = -mine[n] / length;
  }
}

/// Dot products with the anchor divided by the keys' norms; each key is read again. From the L2 cache if all keys of
/// the launch fit there (40 MiB on an A100, 50 MiB on an H100), else memory-bound like the first pass.
__global__ void __launch_bounds__(threads)
    score_by_anchor(PagedHeads heads, int lanes, const float* anchors, float* scores) {
  const int head = static_cast<int>(blockIdx.y), kept = heads.kept[head], rows = threads / lanes;
  const int lane = static_cast<int>(threadIdx.x) % lanes, row = static_cast<int>(threadIdx.x) / lanes;
  const int first = static_cast<int>(blockIdx.x) * part_tokens, end = min(kept, first + part_tokens);
  if (first >= kept) return;
  float anchor[piece_numbers];
  for (int n = 0; n < piece_numbers; ++n) {
    const int i = lane * piece_numbers + n;
    anchor[n] = i < heads.head_dim ? anchors[static_cast<std::size_t>(head) * static_cast<std::size_t>(heads.head_dim) +
                                             static_cast<std::size_t>(i)]
                                   : 0.0F;
  }
  for (int at = first; at < end; at += rows * rows_in_flight) {
    Pieces pieces;
    pieces.read(heads, head, at, rows, row, lane, end);
    for (int i = 0; i < rows_in_flight; ++i) {
      float product = 0;
      for (int n = 0; n < piece_numbers; ++n) product += pieces.numbers[i][n] * anchor[n];
      product = sum_of_lanes(product, lanes);
      const float norm = pieces.norm(i, lanes);
      const int token = at + i * rows + row;
      if (lane == 0 && token < end) scores[heads.first_slot[head] + token] = product / fmaxf(norm, min_norm);
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
  const int lanes = lanes_of_row(heads.head_dim);
  const auto count = static_cast<unsigned>(heads.heads), parts = tiles(longest, part_tokens);
  float* const anchors = scratch + static_cast<std::size_t>(count) * parts * static_cast<std::size_t>(heads.head_dim);
  KV_LAUNCH(sum_unit_keys, dim3(parts, count), dim3(threads), 0, stream, heads, lanes, scratch);
  KV_TRY(launched("sum_unit_keys"));
  KV_LAUNCH(join_sums, dim3(count), dim3(threads), 0, stream, heads, static_cast<int>(parts), scratch, anchors);
  KV_TRY(launched("join_sums"));
  KV_LAUNCH(score_by_anchor, dim3(parts, count), dim3(threads), 0, stream, heads, lanes, anchors, scores);
  return launched("score_by_anchor");
}

}  // namespace kvantage::gpu
