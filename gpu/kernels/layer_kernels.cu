#include "gpu/kernels/layer_kernels.h"

#include <cmath>

#include "gpu/kernels/row_math.h"

namespace kvantage::gpu {
namespace {

constexpr int max_norm_threads = 512, heads_threads = 128, activation_threads = 128, max_rows = 65535;
constexpr int four = 4;              // numbers per load
constexpr int rows_that_fill = 128;  // enough blocks at one row each: more would only contend

__device__ __forceinline__ void read(const float* at, float (&numbers)[four]) {
  const float4 all = *reinterpret_cast<const float4*>(at);
  numbers[0] = all.x, numbers[1] = all.y, numbers[2] = all.z, numbers[3] = all.w;
}
__device__ __forceinline__ void read(const std::uint16_t* at, float (&numbers)[four]) {
  const uint2 all = *reinterpret_cast<const uint2*>(at);
  numbers[0] = widened(static_cast<std::uint16_t>(all.x & 0xffffU)),
  numbers[1] = widened(static_cast<std::uint16_t>(all.x >> 16));
  numbers[2] = widened(static_cast<std::uint16_t>(all.y & 0xffffU)),
  numbers[3] = widened(static_cast<std::uint16_t>(all.y >> 16));
}
__device__ __forceinline__ void write(float* at, const float (&numbers)[four]) {
  *reinterpret_cast<float4*>(at) = float4{numbers[0], numbers[1], numbers[2], numbers[3]};
}
__device__ __forceinline__ void write(std::uint16_t* at, const float (&numbers)[four]) {
  *reinterpret_cast<uint2*>(at) = uint2{packed(numbers[0], numbers[1]), packed(numbers[2], numbers[3])};
}
/// numbers += those at `at`, if any.
template <class T>
__device__ __forceinline__ void add(const T* at, float (&numbers)[four]) {
  if (at == nullptr) return;
  float others[four];
  read(at, others);
  for (int i = 0; i < four; ++i) numbers[i] += others[i];
}
template <class T>
__device__ __forceinline__ const T* beyond(const T* numbers, int count) {
  return numbers == nullptr ? nullptr : numbers + count;
}

/// Sum over all threads of a block, the same in each; `sums` has one element per warp.
__device__ __forceinline__ float sum_of_block(float number, float* sums) {
  const int warps = static_cast<int>(blockDim.x) / 32, warp = static_cast<int>(threadIdx.x) / 32;
  number = sum_of_lanes(number, 32);
  __syncthreads();  // the previous sums have been read
  if (threadIdx.x % 32 == 0) sums[warp] = number;
  __syncthreads();
  float sum = 0;
  for (int w = 0; w < warps; ++w) sum += sums[w];
  return sum;
}

/// One block per row; each thread reads only numbers that it wrote itself, so the residual stream needs no barrier.
template <class T>
__global__ void __launch_bounds__(max_norm_threads) add_and_norm(NormJob job) {
  KV_SHARED float sums[max_norm_threads / 32];
  const int mine = static_cast<int>(threadIdx.x) * four, step = static_cast<int>(blockDim.x) * four;
  const std::size_t row = static_cast<std::size_t>(blockIdx.x) * static_cast<std::size_t>(job.width);
  float* const residual = job.residual + row;
  const T* const product = static_cast<const T*>(job.product.numbers);
  float sum = 0, squares = 0, numbers[four], scales[four];
  for (int i = mine; i < job.width; i += step) {
    read(residual + i, numbers);
    if (product != nullptr) {
      add(product + row + static_cast<std::size_t>(i), numbers);
      add(beyond(job.bias, i), numbers);
      write(residual + i, numbers);
    }
    for (const float number : numbers) sum += number, squares += number * number;
  }
  float mean = 0, scale = 1;
  if (job.weight != nullptr) {
    if (job.layer_norm) {
      mean = sum_of_block(sum, sums) / static_cast<float>(job.width);
      squares = 0;  // around the mean: a large mean would cancel the significant digits
      for (int i = mine; i < job.width; i += step) {
        read(residual + i, numbers);
        for (const float number : numbers) squares += (number - mean) * (number - mean);
      }
    }
    scale = 1.0F / sqrtf(sum_of_block(squares, sums) / static_cast<float>(job.width) + job.eps);
  }
  for (int i = mine; i < job.width; i += step) {
    read(residual + i, numbers);
    if (job.weight != nullptr) {
      read(job.weight + i, scales);
      for (int n = 0; n < four; ++n) numbers[n] = (numbers[n] - mean) * scale * scales[n];
      add(beyond(job.shift, i), numbers);
    }
    if (job.in_place) write(residual + i, numbers);
    if (job.normed != nullptr) write(job.normed + row + static_cast<std::size_t>(i), numbers);
  }
}

/// `lanes` threads of a warp handle one head of one token; each has four pairs (d, d + head_dim / 2), as in RoPE.
template <class T>
__global__ void __launch_bounds__(heads_threads) write_heads(HeadsJob job, int lanes) {
  const int all = job.heads + 2 * job.kv_heads, half = job.head_dim / 2, each = heads_threads / lanes;
  const int item = static_cast<int>(blockIdx.x) * each + static_cast<int>(threadIdx.x) / lanes,
            pair = static_cast<int>(threadIdx.x) % lanes * four;
  const int head = item % all, row = item / all;
  const bool is_query = head < job.heads, is_key = !is_query && head < job.heads + job.kv_heads,
             works = pair < half && row < job.rows;
  float x[four] = {}, y[four] = {};
  if (works) {
    const int begin = head * job.head_dim + pair;
    const T* const product = static_cast<const T*>(job.product.numbers) +
                             static_cast<std::size_t>(row) * static_cast<std::size_t>(all * job.head_dim) + begin;
    read(product, x);
    read(product + half, y);
    add(beyond(job.bias, begin), x);
    add(beyond(job.bias, begin + half), y);
  }
  if (job.query_norm != nullptr || job.key_norm != nullptr) {  // uniform across the warp, whose lanes reduce together
    float squares = 0;
    for (int i = 0; i < four; ++i) squares += x[i] * x[i] + y[i] * y[i];
    const float scale = 1.0F / sqrtf(sum_of_lanes(squares, lanes) / static_cast<float>(job.head_dim) + job.eps);
    const float* const norm = is_query ? job.query_norm : is_key ? job.key_norm : nullptr;
    if (works && norm != nullptr)
      for (int i = 0; i < four; ++i) {
        x[i] *= scale * norm[pair + i];
        y[i] *= scale * norm[pair + half + i];
      }
  }
  if (!works) return;
  const int sequence = row / job.each, number = row % job.each, position = job.positions[sequence] + number;
  if ((is_query || is_key) && job.frequencies != nullptr)
    for (int i = 0; i < four; ++i) {
      float sine, cosine;
      sincosf(static_cast<float>(position) * job.frequencies[pair + i], &sine, &cosine);
      const float turned = x[i] * cosine - y[i] * sine;
      y[i] = y[i] * cosine + x[i] * sine;
      x[i] = turned;
    }
  std::uint16_t* out;
  if (is_query) {
    out = job.queries +
          (static_cast<std::size_t>(row) * static_cast<std::size_t>(job.heads) + static_cast<std::size_t>(head)) *
              static_cast<std::size_t>(job.head_dim);
  } else {
    const int kv_head = sequence * job.kv_heads + (head - job.heads) % job.kv_heads,
              token = job.cache.kept[kv_head] - job.each + number;
    out = is_key ? job.cache.key(kv_head, token) : job.cache.value(kv_head, token);
    if (is_key && pair == 0) *job.cache.position(kv_head, token) = position;
  }
  write(out + pair, x);
  write(out + pair + half, y);
}

template <class T>
__global__ void __launch_bounds__(activation_threads) activation(ActivationJob job) {
  const std::size_t row = blockIdx.y, width = static_cast<std::size_t>(job.width);
  const T* const product = static_cast<const T*>(job.product.numbers) + row * (job.gated ? 2 * width : width);
  for (int i = (static_cast<int>(blockIdx.x) * activation_threads + static_cast<int>(threadIdx.x)) * four;
       i < job.width; i += static_cast<int>(gridDim.x) * activation_threads * four) {
    float numbers[four], ups[four];
    read(product + i, numbers);
    add(beyond(job.bias, i), numbers);
    if (job.gated) {
      read(product + width + i, ups);
      add(beyond(job.bias, job.width + i), ups);
      for (int n = 0; n < four; ++n) numbers[n] = numbers[n] / (1.0F + expf(-numbers[n])) * ups[n];
    } else {
      for (float& number : numbers) number = number > 0 ? number : 0;
    }
    write(job.out + row * width + static_cast<std::size_t>(i), numbers);
  }
}

/// Rows are read in pieces of four numbers.
Status check_width(int width, const char* kernel) {
  if (width < four || width % four != 0)
    return fail(ErrorCode::usage, std::string(kernel) + ": rows must be a multiple of 4 numbers");
  return {};
}
Status check_rows(int rows, const char* kernel) {
  if (rows < 0 || rows > max_rows)
    return fail(ErrorCode::usage, std::string(kernel) + ": at most 65,535 tokens at once; use smaller chunks");
  return {};
}

}  // namespace

Status launch_add_and_norm(const NormJob& job, Stream stream) {
  KV_TRY(check_width(job.width, "add_and_norm"));
  if (job.rows < 0) return fail(ErrorCode::usage, "add_and_norm: rows must not be negative");
  if (job.rows == 0) return {};
  const unsigned wanted = tiles(job.width, four * 32) * 32;
  const dim3 grid(static_cast<unsigned>(job.rows)), block(wanted < max_norm_threads ? wanted : max_norm_threads);
  if (job.product.wide)
    KV_LAUNCH(add_and_norm<float>, grid, block, 0, stream, job);
  else
    KV_LAUNCH(add_and_norm<std::uint16_t>, grid, block, 0, stream, job);
  return launched("add_and_norm");
}

Status launch_write_heads(const HeadsJob& job, Stream stream) {
  KV_TRY(check_rows(job.rows, "write_heads"));
  KV_TRY(check_heads(job.cache, 0, "write_heads"));
  if (job.head_dim != job.cache.head_dim || job.each < 1 || job.rows % job.each != 0)
    return fail(ErrorCode::usage,
                "write_heads: rows must be as wide as those of the cache, and as many of each sequence");
  if (job.rows == 0) return {};
  const int lanes = lanes_of_row(job.head_dim);
  const dim3 grid(tiles(job.rows * (job.heads + 2 * job.kv_heads), heads_threads / lanes)), block(heads_threads);
  if (job.product.wide)
    KV_LAUNCH(write_heads<float>, grid, block, 0, stream, job, lanes);
  else
    KV_LAUNCH(write_heads<std::uint16_t>, grid, block, 0, stream, job, lanes);
  return launched("write_heads");
}

Status launch_activation(const ActivationJob& job, Stream stream) {
  KV_TRY(check_rows(job.rows, "activation"));
  KV_TRY(check_width(job.width, "activation"));
  if (job.rows == 0) return {};
  const dim3 grid(job.rows >= rows_that_fill ? 1U : tiles(job.width, activation_threads * four),
                  static_cast<unsigned>(job.rows)),
      block(activation_threads);
  if (job.product.wide)
    KV_LAUNCH(activation<float>, grid, block, 0, stream, job);
  else
    KV_LAUNCH(activation<std::uint16_t>, grid, block, 0, stream, job);
  return launched("activation");
}

}  // namespace kvantage::gpu
