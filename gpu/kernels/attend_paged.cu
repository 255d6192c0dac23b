#include "gpu/kernels/attend_paged.h"

#include "gpu/kernels/cuda_check.h"
#include "gpu/kernels/row_math.h"

namespace kvantage::gpu {
namespace {

constexpr int warps = 4, threads = warps * 32;
constexpr int row_tile = 16;            // query heads per warp, and tokens read at a time
constexpr float nothing_seen = -1e30F;  // below every score, but finite
constexpr int wanted_blocks = 264;      // one round over an H100's 132 multiprocessors, two blocks on each
constexpr int piece_of_dims = 4;        // numbers of an output that a lane combines at a time

/// Work split of heads over blocks; depends only on `longest`, so that it is known before graph capture.
struct Parts {
  int count = 1, tokens = 0;  // of the longest head; of one part
  int row_tiles = 1;          // over the query heads of a KV head
};

Parts parts_of(const PagedHeads& heads, const DecodeAttention& job, int longest) {
  Parts parts;
  parts.row_tiles = static_cast<int>(tiles(job.group, row_tile));
  const int others = heads.heads * parts.row_tiles, wanted = others >= wanted_blocks ? 1 : wanted_blocks / others;
  constexpr int unit = warps * row_tile,
                fewest = 2 * unit;  // below this, a block's overhead exceeds its work
  const int tokens = static_cast<int>(tiles(longest, wanted));
  parts.tokens = static_cast<int>(tiles(tokens < fewest ? fewest : tokens, unit)) * unit;
  parts.count = static_cast<int>(tiles(longest, parts.tokens));
  return parts;
}

template <int dim>
struct Layout {
  static constexpr int stride = dim + piece_numbers;  // avoids bank conflicts between the rows of a tile
  static constexpr int stages = dim > 128 ? 2 : 3;
  static constexpr int stage_numbers = 2 * row_tile * stride;  // keys, then values
  static constexpr std::size_t stage_bytes = std::size_t{warps} * stages * stage_numbers * sizeof(std::uint16_t);
  static constexpr std::size_t joined_bytes = std::size_t{warps} * row_tile * dim * sizeof(float);
  static constexpr std::size_t bytes = stage_bytes > joined_bytes ? stage_bytes : joined_bytes;
};

/// The partial result of a part, or a warp, per row: outputs relative to the maximum score, and their divisors.
struct Partial {
  float* outputs;  // [row_tile, dim]
  float* highest;  // [row_tile]
  float* sums;     // [row_tile]
};
template <int dim>
__device__ __forceinline__ Partial partial_of(float* scratch, std::size_t part) {
  float* const at = scratch + part * (row_tile * (dim + 2));
  return {at, at + row_tile * dim, at + row_tile * dim + row_tile};
}

/// Combines the results of a block's warps: outputs [warps, row_tile, dim] in shared memory. Calls take(row, column,
/// four numbers), then once per row take_row(row, highest, sum).
template <int dim, class Take, class TakeRow>
__device__ __forceinline__ void join_warps(const float* outputs, const float (&highest)[warps][row_tile],
                                           const float (&sums)[warps][row_tile], int rows, const Take& take,
                                           const TakeRow& take_row) {
  const int thread = static_cast<int>(threadIdx.x);
  for (int i = thread; i < rows * (dim / piece_of_dims); i += threads) {
    const int row = i / (dim / piece_of_dims), column = i % (dim / piece_of_dims) * piece_of_dims;
    float most = nothing_seen, sum = 0;
#pragma unroll
    for (int w = 0; w < warps; ++w) most = fmaxf(most, highest[w][row]);
    float4 joined{0, 0, 0, 0};
#pragma unroll
    for (int w = 0; w < warps; ++w) {
      const float factor = exp2f(highest[w][row] - most);
      const float4 of_warp = *reinterpret_cast<const float4*>(outputs + (w * row_tile + row) * dim + column);
      sum += factor * sums[w][row];
      joined.x += factor * of_warp.x, joined.y += factor * of_warp.y, joined.z += factor * of_warp.z,
          joined.w += factor * of_warp.w;
    }
    take(row, column, joined, sum);
    if (column == 0) take_row(row, most, sum);
  }
}

__device__ __forceinline__ void store_row(std::uint16_t* out, int column, int head_dim, const float4& numbers,
                                          float sum) {
  if (column >= head_dim) return;
  const float factor = sum > 0 ? 1 / sum : 0;
  auto* const at = reinterpret_cast<std::uint32_t*>(out + column);
  at[0] = packed(numbers.x * factor, numbers.y * factor);
  at[1] = packed(numbers.z * factor, numbers.w * factor);
}

/// What a block works on: tokens [first, end) of a KV head, query heads [row_block * row_tile, + rows) of its group.
struct BlockWork {
  int head, part, row_block, kept, first, end, rows;

  __device__ __forceinline__ static BlockWork of_block(const PagedHeads& heads, const DecodeAttention& job,
                                                       const Parts& parts) {
    BlockWork work;
    work.head = static_cast<int>(blockIdx.y), work.part = static_cast<int>(blockIdx.x),
    work.row_block = static_cast<int>(blockIdx.z), work.kept = heads.kept[work.head];
    work.first = work.part * parts.tokens, work.end = min(work.kept, work.first + parts.tokens);
    work.rows = min(row_tile, job.group - work.row_block * row_tile);
    return work;
  }
  /// Index of a row's first number in queries and outputs [heads, group, head_dim].
  __device__ __forceinline__ std::size_t row_at(const PagedHeads& heads, const DecodeAttention& job, int row) const {
    return (static_cast<std::size_t>(head) * static_cast<std::size_t>(job.group) +
            static_cast<std::size_t>(row_block * row_tile + row)) *
           static_cast<std::size_t>(heads.head_dim);
  }
};

/// group and pair: of a lane in fragments (cuda_words.h).
struct ThreadIndex {
  int in_block = static_cast<int>(threadIdx.x), lane = in_block % 32, warp = in_block / 32, group = lane / 4,
      pair = lane % 4;
};

/// Where the token is that a lane sees to in a tile from `from` on; the last token's place for those beyond it.
__device__ __forceinline__ KernelHeads::Place place_of_lane(const KernelHeads& heads, const BlockWork& work, int from,
                                                            int lane) {
  return heads.place(work.head, min(from + lane % row_tile, work.end - 1));
}
/// Copies keys and values of row_tile tokens from `from` on into a stage, asynchronously; zeros from `end` on.
template <int dim>
__device__ __forceinline__ void copy_tile(const KernelHeads& heads, const BlockWork& work,
                                          const KernelHeads::Place& place, int from, int lane, std::uint16_t* stage) {
  using L = Layout<dim>;
  constexpr int pieces = dim / piece_numbers;
  const auto row = reinterpret_cast<unsigned long long>(heads.key(place));
#pragma unroll
  for (int i = lane; i < row_tile * pieces; i += 32) {
    const int at = i / pieces, piece = i % pieces;
    const auto* const source =
        reinterpret_cast<const unsigned char*>(__shfl_sync(0xffffffffU, row, static_cast<unsigned>(at))) + piece * 16;
    const bool there = from + at < work.end && piece * piece_numbers < heads.head_dim;
    copy_async(stage + at * L::stride + piece * piece_numbers, there ? source : heads.arena, there);
    copy_async(stage + (row_tile + at) * L::stride + piece * piece_numbers,
               there ? source + heads.values_at : heads.arena, there);
  }
}

/// The work's query rows as fragments; zeros beyond its rows and head_dim.
template <int steps>
__device__ __forceinline__ void load_queries(const PagedHeads& heads, const DecodeAttention& job, const BlockWork& work,
                                             const ThreadIndex& thread, std::uint32_t (&queries)[steps][4]) {
#pragma unroll
  for (int step = 0; step < steps; ++step)
#pragma unroll
    for (int half = 0; half < 2; ++half)
#pragma unroll
      for (int right = 0; right < 2; ++right) {
        const int row = half * 8 + thread.group, column = step * 16 + right * 8 + 2 * thread.pair;
        const std::size_t at = work.row_at(heads, job, row) + static_cast<std::size_t>(column);
        queries[step][half + 2 * right] =
            row < work.rows && column < heads.head_dim ? *reinterpret_cast<const std::uint32_t*>(job.queries + at) : 0;
      }
}

/// A warp's running softmax over its tiles: [half] of fragments is row half * 8 + group.
template <int dim>
struct RunningSoftmax {
  float outputs[dim / 8][4] = {};  // relative to `highest`
  float highest[2] = {nothing_seen, nothing_seen}, sums[2] = {0, 0};

  /// One row's products of a tile become weights, with the row's earlier outputs rescaled. tokens: in the tile.
  __device__ __forceinline__ void weigh(int half, const float (&products)[2][4], float scale, int tokens, int pair,
                                        std::uint32_t (&weights)[4]) {
    float powers[4], most = highest[half];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const bool there = i / 2 * 8 + 2 * pair + i % 2 < tokens;
      powers[i] = there ? products[i / 2][2 * half + i % 2] * scale : -INFINITY;
      most = fmaxf(most, powers[i]);
    }
    most = fmaxf(most, __shfl_xor_sync(0xffffffffU, most, 1));
    most = fmaxf(most, __shfl_xor_sync(0xffffffffU, most, 2));
    const float factor = exp2f(highest[half] - most);
    highest[half] = most;
    // Summed after rounding, as they are multiplied: the divisor is then exactly the sum of a row's weights.
    weights[half] = packed(exp2f(powers[0] - most), exp2f(powers[1] - most));
    weights[half + 2] = packed(exp2f(powers[2] - most), exp2f(powers[3] - most));
    float sum = 0;
#pragma unroll
    for (int i = 0; i < 4; i += 2)
      sum += widened(static_cast<std::uint16_t>(weights[half + i] & 0xffffU)) +
             widened(static_cast<std::uint16_t>(weights[half + i] >> 16));
    sums[half] = sums[half] * factor + sum;
#pragma unroll
    for (int n = 0; n < dim / 8; ++n) outputs[n][2 * half] *= factor, outputs[n][2 * half + 1] *= factor;
  }

  __device__ __forceinline__ void add_values(const std::uint16_t* values, int lane, const std::uint32_t (&weights)[4]) {
#pragma unroll
    for (int column = 0; column < dim; column += 16) {
      std::uint32_t tile[4];
      load_tiles_transposed(tile,
                            values + (lane / 8 % 2 * 8 + lane % 8) * Layout<dim>::stride + column + lane / 16 * 8);
#pragma unroll
      for (int n = 0; n < 2; ++n) {
        const std::uint32_t of_columns[2] = {tile[2 * n], tile[2 * n + 1]};
        mma_bf16(outputs[column / 8 + n], weights, of_columns);
      }
    }
  }

  /// The work's rows to joined [warps, row_tile, dim] and [warps, row_tile] each.
  __device__ __forceinline__ void store(const ThreadIndex& thread, int rows, float* joined,
                                        float (&highest_of)[warps][row_tile], float (&sums_of)[warps][row_tile]) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int row = half * 8 + thread.group;
      sums[half] += __shfl_xor_sync(0xffffffffU, sums[half], 1);
      sums[half] += __shfl_xor_sync(0xffffffffU, sums[half], 2);
      if (row >= rows) continue;
      if (thread.pair == 0) highest_of[thread.warp][row] = highest[half], sums_of[thread.warp][row] = sums[half];
#pragma unroll
      for (int n = 0; n < dim / 8; ++n)
        *reinterpret_cast<float2*>(joined + (thread.warp * row_tile + row) * dim + n * 8 + 2 * thread.pair) =
            float2{outputs[n][2 * half], outputs[n][2 * half + 1]};
    }
  }
};

/// products = queries times the keys of a tile: [n] of tokens n * 8 to n * 8 + 7.
template <int dim>
__device__ __forceinline__ void multiply_keys(const std::uint16_t* keys, int lane,
                                              const std::uint32_t (&queries)[dim / 16][4], float (&products)[2][4]) {
#pragma unroll
  for (int step = 0; step < dim / 16; ++step) {
    std::uint32_t tile[4];  // tokens 0 to 7 and 8 to 15, each as two halves of 16 columns
    load_tiles(tile, keys + (lane / 16 * 8 + lane % 8) * Layout<dim>::stride + step * 16 + lane / 8 % 2 * 8);
#pragma unroll
    for (int n = 0; n < 2; ++n) {
      const std::uint32_t of_tokens[2] = {tile[2 * n], tile[2 * n + 1]};
      mma_bf16(products[n], queries[step], of_tokens);
    }
  }
}

/// Combines every warps-th of a head's parts, from this warp's on, into the warp's place in shared memory, some rows at
/// a time. A lane has the factors of one part in 32, and four numbers of each row, so that no read waits for another
/// one's result. first_part: index of the head's first partial result.
template <int dim, int joined_rows>
__device__ __forceinline__ void join_parts(float* scratch, std::size_t first_part, int parts, int rows,
                                           const ThreadIndex& thread, float* joined,
                                           float (&highest_of)[warps][row_tile], float (&sums_of)[warps][row_tile]) {
  constexpr int columns = (dim + 127) / 128;
  [[maybe_unused]] constexpr int parts_in_flight = joined_rows * columns <= 4 ? 8 : 2;  // only nvcc unrolls
  const auto part_of = [&](int part) {
    return partial_of<dim>(scratch, first_part + static_cast<std::size_t>(min(part, parts - 1)));
  };
  for (int first_row = 0; first_row < rows; first_row += joined_rows) {
    float most[joined_rows], sums[joined_rows] = {};
    float4 numbers[joined_rows][columns] = {};
#pragma unroll
    for (int r = 0; r < joined_rows; ++r) most[r] = nothing_seen;
    for (int part = thread.warp + thread.lane * warps; part < parts; part += 32 * warps)
#pragma unroll
      for (int r = 0; r < joined_rows; ++r)
        most[r] = fmaxf(most[r], part_of(part).highest[min(first_row + r, rows - 1)]);
#pragma unroll
    for (int r = 0; r < joined_rows; ++r)
#pragma unroll
      for (int other = 1; other < 32; other *= 2)
        most[r] = fmaxf(most[r], __shfl_xor_sync(0xffffffffU, most[r], static_cast<unsigned>(other)));
    for (int first = thread.warp; first < parts; first += 32 * warps) {
      float factors[joined_rows];
      const int mine = first + thread.lane * warps;
#pragma unroll
      for (int r = 0; r < joined_rows; ++r) {
        const Partial of_part = part_of(mine);
        const int row = min(first_row + r, rows - 1);
        factors[r] = mine < parts ? exp2f(of_part.highest[row] - most[r]) : 0.0F;
        sums[r] += factors[r] * of_part.sums[row];
      }
      const int there = min(32, (parts - first + warps - 1) / warps);
#pragma unroll parts_in_flight
      for (int i = 0; i < there; ++i) {
        const Partial of_part = part_of(first + i * warps);
#pragma unroll
        for (int r = 0; r < joined_rows; ++r) {
          const float factor = __shfl_sync(0xffffffffU, factors[r], static_cast<unsigned>(i));
#pragma unroll
          for (int c = 0; c < columns; ++c) {
            const int column = c * 128 + thread.lane * piece_of_dims;
            if (column >= dim) continue;
            const float4 part =
                *reinterpret_cast<const float4*>(of_part.outputs + min(first_row + r, rows - 1) * dim + column);
            numbers[r][c].x += factor * part.x, numbers[r][c].y += factor * part.y;
            numbers[r][c].z += factor * part.z, numbers[r][c].w += factor * part.w;
          }
        }
      }
    }
#pragma unroll
    for (int r = 0; r < joined_rows; ++r) {
      const int row = first_row + r;
#pragma unroll
      for (int other = 1; other < 32; other *= 2)
        sums[r] += __shfl_xor_sync(0xffffffffU, sums[r], static_cast<unsigned>(other));
      if (row >= rows) continue;
#pragma unroll
      for (int c = 0; c < columns; ++c)
        if (const int column = c * 128 + thread.lane * piece_of_dims; column < dim)
          *reinterpret_cast<float4*>(joined + (thread.warp * row_tile + row) * dim + column) = numbers[r][c];
      if (thread.lane == 0) highest_of[thread.warp][row] = most[r], sums_of[thread.warp][row] = sums[r];
    }
  }
}

/// A warp reads its own tiles of 16 tokens into its own part of shared memory, two ahead of the current one, so that
/// warps need no synchronization. Scores and outputs use tensor cores with the query heads of a KV head as rows.
template <int dim>
__device__ __forceinline__ void attend_tiles(const KernelHeads& heads, const DecodeAttention& job,
                                             const BlockWork& work, const ThreadIndex& thread, std::uint16_t* stages,
                                             RunningSoftmax<dim>& softmax) {
  using L = Layout<dim>;
  const int my_tiles =
      work.end > work.first ? ((work.end - work.first + row_tile - 1) / row_tile - thread.warp + warps - 1) / warps : 0;
  const auto first_of = [&](int number) { return work.first + (thread.warp + number * warps) * row_tile; };
  // A place is requested a tile ahead, as its block's index comes from memory, too.
  KernelHeads::Place next{};
  if (my_tiles > 0) next = place_of_lane(heads, work, first_of(0), thread.lane);
  const auto load = [&](int number) {
    if (number < my_tiles) {
      const KernelHeads::Place place = next;
      next = place_of_lane(heads, work, first_of(number + 1), thread.lane);
      copy_tile<dim>(heads, work, place, first_of(number), thread.lane, stages + number % L::stages * L::stage_numbers);
    }
    copy_async_commit();
  };
  for (int number = 0; number + 1 < L::stages; ++number) load(number);

  std::uint32_t queries[dim / 16][4];
  load_queries(heads, job, work, thread, queries);
  const float scale = job.scale * 1.4426950408889634F;  // powers of two
  for (int number = 0; number < my_tiles; ++number) {
    copy_async_wait<L::stages - 2>();
    __syncwarp();
    load(number + L::stages - 1);
    const std::uint16_t* const keys = stages + number % L::stages * L::stage_numbers;
    float products[2][4] = {};
    multiply_keys<dim>(keys, thread.lane, queries, products);
    std::uint32_t weights[4];
#pragma unroll
    for (int half = 0; half < 2; ++half)
      softmax.weigh(half, products, scale, work.end - first_of(number), thread.pair, weights);
    softmax.add_values(keys + row_tile * L::stride, thread.lane, weights);
  }
  copy_async_wait<0>();
}

/// Whether this block is the last of its head: all others' partial results are then visible. Resets the counter.
__device__ __forceinline__ bool is_last_part(int* finished, int of_head, int thread, int& is_last) {
  __threadfence();
  __syncthreads();
  if (thread == 0) is_last = atomicAdd(finished, 1) == of_head - 1 ? 1 : 0;
  __syncthreads();
  if (is_last == 0) return false;
  __threadfence();
  if (thread == 0) *finished = 0;
  return true;
}

/// Each block attends to a part of a head's tokens; the last one of a head combines its parts in order. Memory-bound:
/// each key and value is read once for all query heads; two blocks have up to 139 KiB in flight per multiprocessor.
template <int dim>
__global__ void __launch_bounds__(threads, dim > 128 ? 1 : 2)
    attend_paged(KernelHeads heads, DecodeAttention job, Parts parts, int* finished, float* scratch,
                 std::uint16_t* out) {
  KV_DYNAMIC_SHARED(shared);
  KV_SHARED float highest_of[warps][row_tile], sums_of[warps][row_tile];
  KV_SHARED int is_last;
  const BlockWork work = BlockWork::of_block(heads, job, parts);
  if (work.first >= work.end && work.part > 0) return;
  const ThreadIndex thread;
  auto* const stages = reinterpret_cast<std::uint16_t*>(shared);
  RunningSoftmax<dim> softmax;
  attend_tiles(heads, job, work, thread, stages + thread.warp * Layout<dim>::stages * Layout<dim>::stage_numbers,
               softmax);

  __syncthreads();  // all tiles have been read: outputs reuse their memory
  auto* const joined = reinterpret_cast<float*>(shared);
  softmax.store(thread, work.rows, joined, highest_of, sums_of);
  __syncthreads();
  const auto finish = [&] {
    join_warps<dim>(
        joined, highest_of, sums_of, work.rows,
        [&](int row, int column, const float4& numbers, float sum) {
          store_row(out + work.row_at(heads, job, row), column, heads.head_dim, numbers, sum);
        },
        [](int, float, float) {});
  };
  const int of_head = (work.kept + parts.tokens - 1) / parts.tokens;
  if (of_head <= 1) return finish();

  const std::size_t of_rows = static_cast<std::size_t>(work.head * parts.row_tiles + work.row_block),
                    first_part = of_rows * static_cast<std::size_t>(parts.count);
  const Partial mine = partial_of<dim>(scratch, first_part + static_cast<std::size_t>(work.part));
  join_warps<dim>(
      joined, highest_of, sums_of, work.rows,
      [&](int row, int column, const float4& numbers, float) {
        *reinterpret_cast<float4*>(mine.outputs + row * dim + column) = numbers;
      },
      [&](int row, float most, float sum) { mine.highest[row] = most, mine.sums[row] = sum; });
  if (!is_last_part(finished + of_rows, of_head, thread.in_block, is_last)) return;
  if (work.rows <= 4)
    join_parts<dim, 4>(scratch, first_part, of_head, work.rows, thread, joined, highest_of, sums_of);
  else
    join_parts<dim, 8>(scratch, first_part, of_head, work.rows, thread, joined, highest_of, sums_of);
  __syncthreads();
  finish();
}

int padded_dim(const PagedHeads& heads) {
  return heads.head_dim <= 32    ? 32
         : heads.head_dim <= 64  ? 64
         : heads.head_dim <= 96  ? 96
         : heads.head_dim <= 128 ? 128
                                 : 256;
}

/// Counters before the partial outputs, padded to 16 bytes.
std::size_t counter_bytes(const PagedHeads& heads, const Parts& parts) {
  return static_cast<std::size_t>(tiles(heads.heads * parts.row_tiles, 4)) * 16;
}

template <int dim>
Status launch(const PagedHeads& heads, const DecodeAttention& job, const Parts& parts, void* scratch,
              std::uint16_t* out, Stream stream) {
  auto* const outputs = reinterpret_cast<float*>(static_cast<unsigned char*>(scratch) + counter_bytes(heads, parts));
  const dim3 grid(static_cast<unsigned>(parts.count), static_cast<unsigned>(heads.heads),
                  static_cast<unsigned>(parts.row_tiles));
  KV_TRY(KV_ALLOW_SHARED(attend_paged<dim>, Layout<dim>::bytes));
  KV_LAUNCH(attend_paged<dim>, grid, dim3(threads), Layout<dim>::bytes, stream, heads, job, parts,
            static_cast<int*>(scratch), outputs, out);
  return launched("attend_paged");
}

}  // namespace

std::size_t attend_scratch_bytes(const PagedHeads& heads, const DecodeAttention& job, int longest) {
  if (heads.heads == 0 || job.group < 1) return 0;
  const Parts parts = parts_of(heads, job, longest);
  const auto all = static_cast<std::size_t>(heads.heads) * static_cast<std::size_t>(parts.row_tiles * parts.count);
  return counter_bytes(heads, parts) +
         all * static_cast<std::size_t>(row_tile * (padded_dim(heads) + 2)) * sizeof(float);
}

Status launch_attend_paged(const PagedHeads& heads, const DecodeAttention& job, int longest, void* scratch,
                           std::uint16_t* out, Stream stream) {
  KV_TRY(check_heads(heads, longest, "attend_paged"));
  if (job.group < 1) return fail(ErrorCode::usage, "attend_paged: a KV head has at least one query head");
  if (heads.heads == 0) return {};
  Parts parts = parts_of(heads, job, longest);
  if (parts.count == 0) parts.count = 1;  // outputs of empty heads are written, too
  switch (padded_dim(heads)) {
    case 32:
      return launch<32>(heads, job, parts, scratch, out, stream);
    case 64:
      return launch<64>(heads, job, parts, scratch, out, stream);
    case 96:
      return launch<96>(heads, job, parts, scratch, out, stream);
    case 128:
      return launch<128>(heads, job, parts, scratch, out, stream);
    default:
      return launch<256>(heads, job, parts, scratch, out, stream);
  }
}

}  // namespace kvantage::gpu
