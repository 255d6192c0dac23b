#include "gpu/kernels/recompute_kv.h"

#include "gpu/kernels/cuda_check.h"
#include "gpu/kernels/row_math.h"

namespace kvantage::gpu {
namespace {

constexpr int warps_down = 4, warps_across = 2, threads = warps_down * warps_across * 32;
constexpr int tile_rows = 128, tile_depth = 32;         // tokens and input channels of a tile
constexpr int row_stride = tile_depth + piece_numbers;  // 80 bytes: avoids bank conflicts between eight rows of a
                                                        // fragment
constexpr int stages = 4;

template <int dim>
struct Layout {
  static constexpr int stage_numbers = (tile_rows + dim) * row_stride;
  static constexpr int out_stride = dim + 4;
  static constexpr std::size_t stage_bytes = std::size_t{stages} * stage_numbers * sizeof(std::uint16_t);
  static constexpr std::size_t out_bytes = std::size_t{tile_rows} * out_stride * sizeof(float);
  static constexpr std::size_t bytes = stage_bytes > out_bytes ? stage_bytes : out_bytes;
};

/// Per-warp postprocessing of a projected row of one head: lanes have channels 2 l and 2 l + 1 of each 64, and their
/// partners half a row away.
__device__ __forceinline__ void finish_row(const float* row, const KvProjection& projection, const float* bias,
                                           const float* norm, const float* frequencies, int head_dim, int position,
                                           int lane, std::uint16_t* out) {
  const int half = head_dim / 2;
  const auto number = [&](int i) { return widened(narrowed(row[i])) + (bias == nullptr ? 0.0F : bias[i]); };
  float scale = 1;
  if (norm != nullptr) {
    float sum = 0;
    for (int i = lane; i < head_dim; i += 32) sum += number(i) * number(i);
    for (unsigned other = 16; other > 0; other /= 2) sum += __shfl_xor_sync(0xffffffffU, sum, other);
    scale = rsqrtf(sum / static_cast<float>(head_dim) + projection.eps);
  }
  for (int i = 2 * lane; i < half; i += 64) {
    float left[2], right[2];
#pragma unroll
    for (int n = 0; n < 2; ++n) {
      const float x = number(i + n) * scale * (norm == nullptr ? 1.0F : norm[i + n]),
                  y = number(half + i + n) * scale * (norm == nullptr ? 1.0F : norm[half + i + n]);
      float sine = 0, cosine = 1;
      if (frequencies != nullptr) sincosf(__fmul_rn(static_cast<float>(position), frequencies[i + n]), &sine, &cosine);
      left[n] = __fsub_rn(__fmul_rn(x, cosine), __fmul_rn(y, sine));
      right[n] = __fadd_rn(__fmul_rn(y, cosine), __fmul_rn(x, sine));
    }
    *reinterpret_cast<std::uint32_t*>(out + i) = packed(left[0], left[1]);
    *reinterpret_cast<std::uint32_t*>(out + half + i) = packed(right[0], right[1]);
  }
}

/// What a block projects: tokens [first, + tile_rows) to the keys or values of a head.
struct BlockWork {
  int head = static_cast<int>(blockIdx.y), first = static_cast<int>(blockIdx.x) * tile_rows;
  bool of_keys = blockIdx.z == 0;
};

/// Copies a round's tile of input channels, of the tokens and of the matrix, into a stage, asynchronously; zeros beyond
/// their ends. matrix: the head's rows [head_dim, hidden].
template <int dim>
__device__ __forceinline__ void copy_stage(const LayerInputs& inputs, const std::uint16_t* matrix, int hidden,
                                           int head_dim, int first, int round, std::uint16_t* stage) {
  constexpr int pieces = tile_depth / piece_numbers;
  for (int i = static_cast<int>(threadIdx.x); i < (tile_rows + dim) * pieces; i += threads) {
    const int row = i / pieces, channel = round * tile_depth + i % pieces * piece_numbers;
    const bool of_inputs = row < tile_rows;
    const int in_matrix = of_inputs ? first + row : row - tile_rows;
    const bool there = channel < hidden && in_matrix < (of_inputs ? inputs.tokens : head_dim);
    const std::uint16_t* const source =
        (of_inputs ? inputs.rows : matrix) +
        (there ? static_cast<std::size_t>(in_matrix) * static_cast<std::size_t>(hidden) +
                     static_cast<std::size_t>(channel)
               : 0);
    copy_async(stage + row * row_stride + i % pieces * piece_numbers, source, there);
  }
}

/// A warp's tile of the product: 32 tokens by half of the head's channels.
template <int dim>
struct WarpTile {
  static constexpr int columns = dim / warps_across, column_tiles = columns / 8;
  int lane, row, column;  // row and column: of the block's product, where the warp's begins
  float sums[2][column_tiles][4] = {};

  __device__ __forceinline__ explicit WarpTile(int thread)
      : lane(thread % 32), row(thread / 32 / warps_across * 32), column(thread / 32 % warps_across * columns) {}

  __device__ __forceinline__ void add_stage(const std::uint16_t* stage) {
    const std::uint16_t* const of_matrix = stage + tile_rows * row_stride;
#pragma unroll
    for (int step = 0; step < tile_depth; step += 16) {
      std::uint32_t left[2][4];
#pragma unroll
      for (int m = 0; m < 2; ++m)
        load_tiles(left[m], stage + (row + m * 16 + lane % 16) * row_stride + step + lane / 16 * 8);
#pragma unroll
      for (int n = 0; n < column_tiles; n += 2) {
        std::uint32_t right[4];  // channels of the head 0 to 7 and 8 to 15, each as two halves of 16 input channels
        load_tiles(right,
                   of_matrix + (column + n * 8 + lane / 16 * 8 + lane % 8) * row_stride + step + lane / 8 % 2 * 8);
#pragma unroll
        for (int m = 0; m < 2; ++m) {
          mma_bf16(sums[m][n], left[m], {right[0], right[1]});
          mma_bf16(sums[m][n + 1], left[m], {right[2], right[3]});
        }
      }
    }
  }

  /// To projected [tile_rows, out_stride].
  __device__ __forceinline__ void store(float* projected) const {
    const int group = lane / 4, pair = lane % 4;
#pragma unroll
    for (int m = 0; m < 2; ++m)
#pragma unroll
      for (int n = 0; n < column_tiles; ++n)
#pragma unroll
        for (int half = 0; half < 2; ++half)
          *reinterpret_cast<float2*>(projected + (row + m * 16 + half * 8 + group) * Layout<dim>::out_stride + column +
                                     n * 8 + 2 * pair) = float2{sums[m][n][2 * half], sums[m][n][2 * half + 1]};
  }
};

/// Biases, norm, rotation and position of the projected rows [tile_rows, stride], one warp per row, into the cache.
__device__ __forceinline__ void finish_rows(const float* projected, int stride, const LayerInputs& inputs,
                                            const KvProjection& projection, const PagedHeads& to, const BlockWork& work,
                                            int first_token) {
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32;
  const float* const all_biases = work.of_keys ? projection.key_bias : projection.value_bias;
  const float* const bias = all_biases == nullptr ? nullptr : all_biases + work.head * to.head_dim;
  for (int row = thread / 32; row < tile_rows && work.first + row < inputs.tokens; row += threads / 32) {
    const int token = first_token + work.first + row, position = inputs.positions[work.first + row];
    if (work.of_keys) {
      finish_row(projected + row * stride, projection, bias, projection.key_norm, projection.frequencies, to.head_dim,
                 position, lane, to.key(work.head, token));
      if (lane == 0) *to.position(work.head, token) = position;
    } else {
      finish_row(projected + row * stride, projection, bias, nullptr, nullptr, to.head_dim, position, lane,
                 to.value(work.head, token));
    }
  }
}

/// A block projects 128 tokens to one head's keys or values, so that norm and rotation have all channels of a row.
/// Tensor cores process tiles of 32 input channels with four buffers; compute-bound (64 products per byte read). Rows
/// and matrices are read from memory once and otherwise from the L2 cache.
template <int dim>
__global__ void __launch_bounds__(threads, dim > 128 ? 1 : 2)
    recompute_kv(LayerInputs inputs, KvProjection projection, PagedHeads to, int first_token) {
  using L = Layout<dim>;
  KV_DYNAMIC_SHARED(shared);
  auto* const tiles = reinterpret_cast<std::uint16_t*>(shared);
  const BlockWork work;
  const std::uint16_t* const matrix =
      (work.of_keys ? projection.key : projection.value) +
      static_cast<std::size_t>(work.head * to.head_dim) * static_cast<std::size_t>(projection.hidden);
  const int rounds = (projection.hidden + tile_depth - 1) / tile_depth;

  const auto load = [&](int round) {
    if (round < rounds)
      copy_stage<dim>(inputs, matrix, projection.hidden, to.head_dim, work.first, round,
                      tiles + round % stages * L::stage_numbers);
    copy_async_commit();
  };
  for (int round = 0; round + 1 < stages; ++round) load(round);

  WarpTile<dim> warp_tile(static_cast<int>(threadIdx.x));
  for (int round = 0; round < rounds; ++round) {
    copy_async_wait<stages - 2>();
    __syncthreads();
    load(round + stages - 1);
    warp_tile.add_stage(tiles + round % stages * L::stage_numbers);
  }
  copy_async_wait<0>();
  __syncthreads();  // all tiles have been read: sums reuse their memory
  auto* const projected = reinterpret_cast<float*>(shared);
  warp_tile.store(projected);
  __syncthreads();
  finish_rows(projected, L::out_stride, inputs, projection, to, work, first_token);
}

template <int dim>
Status launch(const LayerInputs& inputs, const KvProjection& projection, const PagedHeads& to, int first_token,
              Stream stream) {
  KV_TRY(KV_ALLOW_SHARED(recompute_kv<dim>, Layout<dim>::bytes));
  const dim3 grid(tiles(inputs.tokens, tile_rows), static_cast<unsigned>(to.heads), 2);
  KV_LAUNCH(recompute_kv<dim>, grid, dim3(threads), Layout<dim>::bytes, stream, inputs, projection, to, first_token);
  return launched("recompute_kv");
}

}  // namespace

Status launch_recompute_kv(const LayerInputs& inputs, const KvProjection& projection, const PagedHeads& to,
                           int first_token, Stream stream) {
  KV_TRY(check_heads(to, inputs.tokens, "recompute_kv"));
  if (projection.hidden < piece_numbers || projection.hidden % piece_numbers != 0)
    return fail(ErrorCode::usage, "recompute_kv: hidden must be a multiple of 8");
  if (to.heads == 0 || inputs.tokens == 0) return {};
  if (to.head_dim <= 64) return launch<64>(inputs, projection, to, first_token, stream);
  if (to.head_dim <= 128) return launch<128>(inputs, projection, to, first_token, stream);
  return launch<256>(inputs, projection, to, first_token, stream);
}

}  // namespace kvantage::gpu
