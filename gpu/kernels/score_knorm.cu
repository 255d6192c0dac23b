#include "gpu/kernels/score_knorm.h"

#include "gpu/kernels/row_math.h"

namespace kvantage::gpu {
namespace {

constexpr int threads = 128;
constexpr int rows_in_flight = 4;  // per lane: 64 bytes requested before the first use, 8 KiB per block

/// Memory-bound: each key is read once, 16 bytes per lane, and 4 bytes per token are written. Two rows of 128 numbers
/// take about 100 instructions, while an H100 could issue 138 in their memory time.
__global__ void __launch_bounds__(threads) score_knorm(PagedHeads heads, int lanes, float* scores) {
  const int head = static_cast<int>(blockIdx.y), kept = heads.kept[head];
  const int rows = threads / lanes, tile = rows * rows_in_flight;
  const int lane = static_cast<int>(threadIdx.x) % lanes, row = static_cast<int>(threadIdx.x) / lanes;
  const int first = static_cast<int>(blockIdx.x) * tile;
  if (first >= kept) return;
  const bool has_piece = lane * piece_numbers < heads.head_dim;
  uint4 pieces[rows_in_flight];
#pragma unroll
  for (int i = 0; i < rows_in_flight; ++i) {
    const int token = first + i * rows + row;
    pieces[i] = uint4{0, 0, 0, 0};
    if (token < kept && has_piece) pieces[i] = reinterpret_cast<const uint4*>(heads.key(head, token))[lane];
  }
#pragma unroll
  for (int i = 0; i < rows_in_flight; ++i) {
    const int token = first + i * rows + row;
    float numbers[piece_numbers], sum = 0;
    widen(pieces[i], numbers);
    for (const float number : numbers) sum += number * number;
    sum = sum_of_lanes(sum, lanes);
    if (lane == 0 && token < kept) scores[heads.first_slot[head] + token] = -sqrtf(sum);
  }
}

}  // namespace

Status launch_score_knorm(const PagedHeads& heads, int longest, float* scores, Stream stream) {
  KV_TRY(check_heads(heads, longest, "score_knorm"));
  if (heads.heads == 0 || longest == 0) return {};
  const int lanes = lanes_of_row(heads.head_dim);
  KV_LAUNCH(score_knorm, dim3(tiles(longest, threads / lanes * rows_in_flight), static_cast<unsigned>(heads.heads)),
            dim3(threads), 0, stream, heads, lanes, scores);
  return launched("score_knorm");
}

}  // namespace kvantage::gpu
