#include "gpu/kernels/score_snapkv.h"

#include "gpu/kernels/row_math.h"

namespace kvantage::gpu {
namespace {

constexpr int warps = 4, threads = warps * 32;
constexpr int longest_kernel = 1023;
constexpr float nothing_seen = -1e30F;  // below every score, but finite

/// Rows of queries are padded so that a warp's rows belong to one query head.
struct Shape {
  int dim = 0;  // head_dim padded with zeros to a compiled size
  int warp_rows = 0, tile_tokens = 0;
  int warp_tiles = 0, head_tiles = 0;  // for all query heads of a KV head, and for one
  int parts = 0, part_tokens = 0;      // a head's tokens, one block per part
  int rows() const { return warp_tiles * warp_rows; }
};

Shape shape_of(const PagedHeads& heads, const SnapKv& job, int longest) {
  Shape shape;
  shape.dim = heads.head_dim <= 32    ? 32
              : heads.head_dim <= 64  ? 64
              : heads.head_dim <= 96  ? 96
              : heads.head_dim <= 128 ? 128
                                      : 256;
  shape.warp_rows = shape.dim > 128 ? 16 : 32;
  shape.tile_tokens = shape.dim > 128 ? 32 : 64;
  shape.head_tiles = (job.window + shape.warp_rows - 1) / shape.warp_rows;
  shape.warp_tiles = shape.head_tiles * job.group;
  const int wanted_blocks = 1024;  // about two rounds over an H100's 132 multiprocessors, four blocks on each
  const int tiles_of_head = (longest + shape.tile_tokens - 1) / shape.tile_tokens;
  const int others = heads.heads * ((shape.warp_tiles + warps - 1) / warps);
  shape.parts = tiles_of_head < wanted_blocks / others ? tiles_of_head : wanted_blocks / others;
  if (shape.parts < 1) shape.parts = 1;
  shape.part_tokens = (tiles_of_head + shape.parts - 1) / shape.parts * shape.tile_tokens;
  return shape;
}

template <int dim>
struct Layout {
  static constexpr int row_tiles = dim > 128 ? 1 : 2, tile_tokens = dim > 128 ? 32 : 64;
  static constexpr int stride = dim + piece_numbers;  // avoids bank conflicts between the rows of a tile
  static constexpr int steps = dim / 16, pieces = dim / piece_numbers;
};

/// Copies keys of tile_tokens tokens from `from` on to one of two tiles [2, tile_tokens, stride], asynchronously; zeros
/// from `end` on.
template <int dim>
__device__ __forceinline__ void copy_tile(const KernelHeads& heads, int head, int from, int end, int buffer,
                                          std::uint16_t* tiles) {
  using L = Layout<dim>;
  for (int i = static_cast<int>(threadIdx.x); i < L::tile_tokens * L::pieces; i += threads) {
    const int token = from + i / L::pieces, piece = i % L::pieces;
    const bool there = token < end && piece * piece_numbers < heads.head_dim;
    copy_async(tiles + (buffer * L::tile_tokens + i / L::pieces) * L::stride + piece * piece_numbers,
               there ? static_cast<const void*>(heads.key(head, token) + piece * piece_numbers) : heads.arena, there);
  }
  copy_async_commit();
}

/// A warp's rows of queries: [m][half] is row m * 16 + half * 8 + group. `lane`, `group` and `pair` are of fragments
/// (cuda_words.h). Products are of 16 tokens: [m][n][2 * half + column] of token 8 * n + 2 * pair + column.
template <int dim>
struct WarpQueries {
  using L = Layout<dim>;
  static constexpr int row_tiles = L::row_tiles;
  using Products = float[row_tiles][2][4];

  int lane = static_cast<int>(threadIdx.x) % 32, group = lane / 4, pair = lane % 4;
  int warp_tile;
  std::uint32_t queries[row_tiles][L::steps][4];
  float highest[row_tiles][2], sums[row_tiles][2];  // sums: of powers; or a row's divisor, as a power
  int last_seen[row_tiles][2];                      // the last token that a row sees

  /// Row of the warp that belongs to [m][half].
  __device__ __forceinline__ int row(int m, int half) const { return m * 16 + half * 8 + group; }

  /// window: of this head, at most job.window; works: whether the warp has rows.
  __device__ __forceinline__ void load(const PagedHeads& heads, const SnapKv& job, const Shape& shape, int head,
                                       int window, int scored, bool works) {
#pragma unroll
    for (int m = 0; m < row_tiles; ++m)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int in_head = warp_tile % shape.head_tiles * shape.warp_rows + row(m, half);
        const bool there = works && in_head < window;
        const std::size_t query = (static_cast<std::size_t>(head) * static_cast<std::size_t>(job.group) +
                                   static_cast<std::size_t>(warp_tile / shape.head_tiles)) *
                                      static_cast<std::size_t>(job.window) +
                                  static_cast<std::size_t>(job.window - window + in_head);
        const std::uint16_t* const numbers = job.queries + query * static_cast<std::size_t>(heads.head_dim);
#pragma unroll
        for (int step = 0; step < L::steps; ++step)
#pragma unroll
          for (int right = 0; right < 2; ++right) {
            const int column = step * 16 + right * 8 + 2 * pair;
            queries[m][step][half + 2 * right] =
                there && column < heads.head_dim ? *reinterpret_cast<const std::uint32_t*>(numbers + column) : 0;
          }
        highest[m][half] = nothing_seen;
        sums[m][half] = 0;
        last_seen[m][half] = scored + in_head;
      }
  }

  /// Takes the rows' divisors from log_sums [heads, rows].
  __device__ __forceinline__ void load_divisors(const Shape& shape, int head, bool works, const float* log_sums) {
#pragma unroll
    for (int m = 0; m < row_tiles; ++m)
#pragma unroll
      for (int half = 0; half < 2; ++half)
        sums[m][half] = works ? log_sums[static_cast<std::size_t>(head * shape.warp_tiles + warp_tile) *
                                             static_cast<std::size_t>(shape.warp_rows) +
                                         static_cast<std::size_t>(row(m, half))]
                              : 0;
  }

  /// products += queries times 16 keys, rows [first, + 16) of tiles [.., stride].
  __device__ __forceinline__ void multiply(const std::uint16_t* tiles, int first, Products& products) const {
#pragma unroll
    for (int step = 0; step < L::steps; ++step) {
      std::uint32_t keys[4];  // tokens 0 to 7 and 8 to 15 of these, each as two halves of 16 columns
      load_tiles(keys, tiles + (first + lane / 16 * 8 + lane % 8) * L::stride + step * 16 + lane / 8 % 2 * 8);
#pragma unroll
      for (int m = 0; m < row_tiles; ++m)
#pragma unroll
        for (int n = 0; n < 2; ++n) {
          const std::uint32_t of_tokens[2] = {keys[2 * n], keys[2 * n + 1]};
          mma_bf16(products[m][n], queries[m][step], of_tokens);
        }
    }
  }

  /// Sums of the softmax over the warp's rows, one per token from `first` on, to paid [warp_tiles, total]; up to `end`.
  __device__ __forceinline__ void store_column_sums(const Products& products, float scale, int first, int end,
                                                    const std::int32_t* first_slot, int total, float* paid) const {
#pragma unroll
    for (int n = 0; n < 2; ++n)
#pragma unroll
      for (int column = 0; column < 2; ++column) {
        float sum = 0;
        for (int m = 0; m < row_tiles; ++m)
          for (int half = 0; half < 2; ++half) sum += exp2f(products[m][n][2 * half + column] * scale - sums[m][half]);
        for (unsigned other = 4; other < 32; other *= 2) sum += __shfl_xor_sync(0xffffffffU, sum, other);
        const int token = first + 8 * n + 2 * pair + column;
        if (group == 0 && token < end)
          paid[static_cast<std::size_t>(warp_tile) * static_cast<std::size_t>(total) +
               static_cast<std::size_t>(*first_slot + token)] = sum;
      }
  }

  /// Maxima and sums of powers over the tokens from `first` on that a row sees, up to `end`.
  __device__ __forceinline__ void update_softmax(const Products& products, float scale, int first, int end,
                                                 int scored) {
    const bool all_see = first + 16 <= scored;
#pragma unroll
    for (int m = 0; m < row_tiles; ++m)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        float powers[4];
        float most = highest[m][half];
        for (int i = 0; i < 4; ++i) {
          const int token = first + i / 2 * 8 + 2 * pair + i % 2;
          powers[i] = products[m][i / 2][2 * half + i % 2] * scale;
          if (!all_see && (token >= end || token > last_seen[m][half])) powers[i] = -INFINITY;
          most = fmaxf(most, powers[i]);
        }
        float sum = sums[m][half] * exp2f(highest[m][half] - most);
        for (const float power : powers) sum += exp2f(power - most);
        highest[m][half] = most;
        sums[m][half] = sum;
      }
  }

  /// Maxima and sums, combined over the lanes of a row, to partial [heads, parts, rows, 2].
  __device__ __forceinline__ void store(const Shape& shape, int head, float* partial) const {
#pragma unroll
    for (int m = 0; m < row_tiles; ++m)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        float most = highest[m][half], sum = sums[m][half];
        for (unsigned other = 1; other < 4; other *= 2) {
          const float other_max = __shfl_xor_sync(0xffffffffU, most, other),
                      other_sum = __shfl_xor_sync(0xffffffffU, sum, other);
          const float both = fmaxf(most, other_max);
          sum = sum * exp2f(most - both) + other_sum * exp2f(other_max - both);
          most = both;
        }
        if (pair != 0) continue;
        float* const of_part = partial + ((static_cast<std::size_t>(head) * gridDim.x + blockIdx.x) *
                                              static_cast<std::size_t>(shape.warp_tiles * shape.warp_rows) +
                                          static_cast<std::size_t>(warp_tile * shape.warp_rows + row(m, half))) *
                                             2;
        of_part[0] = most;
        of_part[1] = sum;
      }
  }
};

/// Queries times keys on tensor cores, 32 rows of queries per warp in registers, tiles of keys through shared memory
/// with two buffers. sum_columns false: for each row the maximum and the sum of powers relative to it over the tokens
/// of a part, into partial [heads, parts, rows, 2]. sum_columns true: given log_sums [heads, rows], the softmax's sum
/// over a warp's rows for each token before the window, into paid [warp_tiles, total]. Bound by tensor cores and
/// exponentials rather than by memory: with 256 rows of 128 numbers a key of 256 bytes costs 64 K products and 256
/// powers in each pass. Keys are read from memory once per pass and from the L2 cache for the other blocks of rows.
/// Registers are bounded where nvcc would otherwise leave fewer than four blocks on a multiprocessor, see shape_of().
template <int dim, bool sum_columns>
__global__ void __launch_bounds__(threads, dim == 128 && !sum_columns ? 4 : 0)
    attend_window(KernelHeads heads, SnapKv job, Shape shape, int total, float scale, float* partial,
                  const float* log_sums, float* paid) {
  using L = Layout<dim>;
  KV_DYNAMIC_SHARED(shared);
  auto* const tiles = reinterpret_cast<std::uint16_t*>(shared);  // [2, tile_tokens, stride]
  const int head = static_cast<int>(blockIdx.y), kept = heads.kept[head], window = snapkv_window(kept, job.window),
            scored = kept - window;
  const int end_of_all = sum_columns ? scored : kept;
  const int first = static_cast<int>(blockIdx.x) * shape.part_tokens, end = min(end_of_all, first + shape.part_tokens);
  if (first >= end) return;
  WarpQueries<dim> queries;
  queries.warp_tile = static_cast<int>(blockIdx.z) * warps + static_cast<int>(threadIdx.x) / 32;
  const bool works = queries.warp_tile < shape.warp_tiles;

  copy_tile<dim>(heads, head, first, end, 0, tiles);
  queries.load(heads, job, shape, head, window, scored, works);
  if constexpr (sum_columns) queries.load_divisors(shape, head, works, log_sums);
  int buffer = 0;
  for (int tile = first; tile < end; tile += L::tile_tokens, buffer ^= 1) {
    if (tile + L::tile_tokens < end) {
      copy_tile<dim>(heads, head, tile + L::tile_tokens, end, buffer ^ 1, tiles);
      copy_async_wait<1>();
    } else {
      copy_async_wait<0>();
    }
    __syncthreads();
    for (int at = 0; works && at < L::tile_tokens && tile + at < end; at += 16) {
      float products[L::row_tiles][2][4] = {};
      queries.multiply(tiles, buffer * L::tile_tokens + at, products);
      if constexpr (sum_columns)
        queries.store_column_sums(products, scale, tile + at, end, heads.first_slot + head, total, paid);
      else
        queries.update_softmax(products, scale, tile + at, end, scored);
    }
    __syncthreads();
  }
  if constexpr (!sum_columns)
    if (works) queries.store(shape, head, partial);
}

/// For each row over all parts of its head, log2 of the softmax's divisor; infinity if there is no query. Also zeroes
/// the layers' maxima.
__global__ void __launch_bounds__(threads)
    join_parts(PagedHeads heads, SnapKv job, Shape shape, const float* partial, float* log_sums, int* tops) {
  const int head = static_cast<int>(blockIdx.y), rows = shape.warp_tiles * shape.warp_rows,
            row = static_cast<int>(blockIdx.x) * threads + static_cast<int>(threadIdx.x);
  if (row == 0) tops[head / job.layer_heads] = 0;
  if (row >= rows) return;
  const int kept = heads.kept[head], parts = (kept + shape.part_tokens - 1) / shape.part_tokens;
  const bool there = row / shape.warp_rows % shape.head_tiles * shape.warp_rows + row % shape.warp_rows <
                     snapkv_window(kept, job.window);
  float most = nothing_seen, sum = 0;
  for (int part = 0; there && part < parts; ++part) {
    const float* const of_part = partial + static_cast<std::size_t>((head * shape.parts + part) * rows + row) * 2;
    const float both = fmaxf(most, of_part[0]);
    sum = sum * exp2f(most - both) + of_part[1] * exp2f(of_part[0] - both);
    most = both;
  }
  log_sums[static_cast<std::size_t>(head * rows + row)] = there ? most + log2f(sum) : INFINITY;
}

/// Pools the attention sums, one token per thread, and updates the layer's maximum. Reads 4 bytes per token and tile of
/// rows: at most an eighth of the keys' bytes.
__global__ void __launch_bounds__(threads)
    pool_paid(PagedHeads heads, SnapKv job, Shape shape, int total, const float* paid, int* tops, float* scores) {
  KV_SHARED float around[threads + longest_kernel];
  KV_SHARED int top;
  const int head = static_cast<int>(blockIdx.y), kept = heads.kept[head], window = snapkv_window(kept, job.window),
            scored = kept - window;
  const int first = static_cast<int>(blockIdx.x) * threads, reach = job.kernel / 2,
            thread = static_cast<int>(threadIdx.x), token = first + thread;
  if (first >= scored) return;
  if (thread == 0) top = 0;
  float score = 0;
  for (int query_head = 0; query_head < job.group; ++query_head) {
    for (int i = thread; i < threads + 2 * reach; i += threads) {
      const int at = first - reach + i;
      float sum = 0;
      if (at >= 0 && at < scored)
        for (int tile = 0; tile < shape.head_tiles; ++tile)
          sum += paid[static_cast<std::size_t>(query_head * shape.head_tiles + tile) * static_cast<std::size_t>(total) +
                      static_cast<std::size_t>(heads.first_slot[head] + at)];
      around[i] = sum;
    }
    __syncthreads();
    float pooled = 0;
    for (int i = thread; i < thread + job.kernel; ++i)
      pooled = job.pool == Pool::mean ? pooled + around[i] : fmaxf(pooled, around[i]);
    score += pooled;
    __syncthreads();
  }
  score /= static_cast<float>(job.group * window * (job.pool == Pool::mean ? job.kernel : 1));
  if (token < scored) {
    scores[heads.first_slot[head] + token] = score;
    atomicMax(&top, __float_as_int(score));  // for non-negative floats the bits sort like the numbers
  }
  __syncthreads();
  if (thread == 0) atomicMax(&tops[head / job.layer_heads], top);
}

__global__ void __launch_bounds__(threads) score_window(PagedHeads heads, SnapKv job, const int* tops, float* scores) {
  const int head = static_cast<int>(blockIdx.x), kept = heads.kept[head], window = snapkv_window(kept, job.window);
  const float top = kept == window ? 1.0F : __int_as_float(tops[head / job.layer_heads]) + 1.0F;
  for (int i = kept - window + static_cast<int>(threadIdx.x); i < kept; i += threads)
    scores[heads.first_slot[head] + i] = top;
}

template <int dim>
Status launch(const PagedHeads& heads, const SnapKv& job, const Shape& shape, int total, float* scratch, float* scores,
              Stream stream, int longest) {
  const auto count = static_cast<unsigned>(heads.heads), rows = static_cast<unsigned>(shape.rows());
  float* const partial = scratch;
  float* const log_sums = partial + static_cast<std::size_t>(count) * static_cast<std::size_t>(shape.parts) * rows * 2;
  int* const tops = reinterpret_cast<int*>(log_sums + static_cast<std::size_t>(count) * rows);
  float* const paid = reinterpret_cast<float*>(tops) + count;
  const float scale = 1.4426950408889634F / sqrtf(static_cast<float>(heads.head_dim));  // powers of two
  const dim3 grid(static_cast<unsigned>(shape.parts), count, tiles(shape.warp_tiles, warps));
  const std::size_t shared_bytes =
      std::size_t{2} * static_cast<std::size_t>(shape.tile_tokens) * (dim + piece_numbers) * sizeof(std::uint16_t);
  KV_LAUNCH((attend_window<dim, false>), grid, dim3(threads), shared_bytes, stream, heads, job, shape, total, scale,
            partial, nullptr, nullptr);
  KV_TRY(launched("attend_window (rows)"));
  KV_LAUNCH(join_parts, dim3(tiles(shape.rows(), threads), count), dim3(threads), 0, stream, heads, job, shape, partial,
            log_sums, tops);
  KV_TRY(launched("join_parts"));
  KV_LAUNCH((attend_window<dim, true>), grid, dim3(threads), shared_bytes, stream, heads, job, shape, total, scale,
            nullptr, log_sums, paid);
  KV_TRY(launched("attend_window (columns)"));
  KV_LAUNCH(pool_paid, dim3(tiles(longest, threads), count), dim3(threads), 0, stream, heads, job, shape, total, paid,
            tops, scores);
  KV_TRY(launched("pool_paid"));
  KV_LAUNCH(score_window, dim3(count), dim3(threads), 0, stream, heads, job, tops, scores);
  return launched("score_window");
}

}  // namespace

std::size_t snapkv_scratch(const PagedHeads& heads, const SnapKv& job, int longest, int total) {
  if (heads.heads == 0 || longest == 0) return 0;
  const Shape shape = shape_of(heads, job, longest);
  const auto rows = static_cast<std::size_t>(shape.rows()), count = static_cast<std::size_t>(heads.heads);
  return count * rows * (2 * static_cast<std::size_t>(shape.parts) + 1) + count +
         static_cast<std::size_t>(shape.warp_tiles) * static_cast<std::size_t>(total);
}

Status launch_score_snapkv(const PagedHeads& heads, const SnapKv& job, int longest, int total, float* scratch,
                           float* scores, Stream stream) {
  KV_TRY(check_heads(heads, longest, "score_snapkv"));
  if (job.group < 1 || job.window < 1 || job.layer_heads < 1 || job.kernel < 1 || job.kernel > longest_kernel ||
      job.kernel % 2 == 0)
    return fail(ErrorCode::usage,
                "score_snapkv: group, window and heads a layer must be at least 1, kernel odd and at most 1,023");
  if (heads.heads == 0 || longest == 0) return {};
  const Shape shape = shape_of(heads, job, longest);
  switch (shape.dim) {
    case 32:
      return launch<32>(heads, job, shape, total, scratch, scores, stream, longest);
    case 64:
      return launch<64>(heads, job, shape, total, scratch, scores, stream, longest);
    case 96:
      return launch<96>(heads, job, shape, total, scratch, scores, stream, longest);
    case 128:
      return launch<128>(heads, job, shape, total, scratch, scores, stream, longest);
    default:
      return launch<256>(heads, job, shape, total, scratch, scores, stream, longest);
  }
}

}  // namespace kvantage::gpu
