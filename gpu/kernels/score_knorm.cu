#include "gpu/kernels/score_knorm.h"

#include "gpu/kernels/row_math.h"

namespace kvantage::gpu {
namespace {

constexpr int threads = 128;
constexpr int rows_in_flight = 2;  // per lane: a block requests 8 KiB at a time, and the next 8 KiB before it adds
constexpr int tiles_of_block = 4;

template <class Lanes>
constexpr int tile_of = threads / Lanes::lanes* rows_in_flight;

/// Memory-bound: each key is read once, 16 bytes per lane at a time, and 4 bytes per token are written.
template <class Lanes>
__global__ void __launch_bounds__(threads) score_knorm(KernelHeads heads, float* scores) {
  constexpr int rows = threads / Lanes::lanes, tile = tile_of<Lanes>;
  const int head = static_cast<int>(blockIdx.y), kept = heads.kept[head];
  const int first = static_cast<int>(blockIdx.x) * tile * tiles_of_block,
            end = min(kept, first + tile * tiles_of_block);
  if (first >= kept) return;
  const Lanes lanes;
  float* const of_head = scores + heads.first_slot[head];
  KeyPieces<Lanes, rows_in_flight> next;
  next.read(heads, head, first + lanes.row, rows, end, lanes);
  for (int at = first; at < end; at += tile) {
    const KeyPieces<Lanes, rows_in_flight> pieces = next;
    if (at + tile < end) next.read(heads, head, at + tile + lanes.row, rows, end, lanes);
#pragma unroll
    for (int i = 0; i < rows_in_flight; ++i) {
      const int token = at + i * rows + lanes.row;
      float numbers[Lanes::numbers];
      pieces.widen_row(i, numbers);
      const float squares = squares_of_row<Lanes>(numbers);
      if (lanes.lane == 0 && token < end) of_head[token] = -sqrtf(squares);
    }
  }
}

}  // namespace

Status launch_score_knorm(const PagedHeads& heads, int longest, float* scores, Stream stream) {
  KV_TRY(check_heads(heads, longest, "score_knorm"));
  if (heads.heads == 0 || longest == 0) return {};
  return with_lanes(heads.head_dim, [&](auto of_row) -> Status {
    using Lanes = KeyLanes<decltype(of_row)::value>;
    KV_LAUNCH(score_knorm<Lanes>,
              dim3(tiles(longest, tile_of<Lanes> * tiles_of_block), static_cast<unsigned>(heads.heads)), dim3(threads),
              0, stream, heads, scores);
    return launched("score_knorm");
  });
}

}  // namespace kvantage::gpu
