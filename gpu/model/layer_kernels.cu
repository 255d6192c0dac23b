#include "gpu/model/layer_kernels.h"

#include <cmath>

#include "gpu/kernels/cuda_words.h"

namespace kvantage::gpu {
namespace {

constexpr int norm_threads = 256, activation_threads = 256, most_rows = 65535;

__device__ __forceinline__ float read(const float* numbers, std::size_t at) { return numbers[at]; }
__device__ __forceinline__ float read(const std::uint16_t* numbers, std::size_t at) { return widened(numbers[at]); }

/// Of all threads of a block, the same in each; `sums` has a place for every warp.
__device__ __forceinline__ float sum_of_block(float number, float* sums) {
  const int warps = (static_cast<int>(blockDim.x) + 31) / 32, warp = static_cast<int>(threadIdx.x) / 32;
  for (unsigned other = 16; other > 0; other /= 2) number += __shfl_xor_sync(0xffffffffU, number, other);
  __syncthreads();  // the sums of before have been read
  if (threadIdx.x % 32 == 0) sums[warp] = number;
  __syncthreads();
  float sum = 0;
  for (int w = 0; w < warps; ++w) sum += sums[w];
  return sum;
}

/// A block has a row; each thread meets only numbers that it wrote itself, so the residual stream needs no barrier.
template <class T>
__global__ void __launch_bounds__(norm_threads) add_and_norm(NormJob job) {
  KV_SHARED float sums[norm_threads / 32];
  const int mine = static_cast<int>(threadIdx.x);
  const std::size_t row = static_cast<std::size_t>(blockIdx.x) * static_cast<std::size_t>(job.width);
  float* const residual = job.residual + row;
  const T* const product = static_cast<const T*>(job.product.numbers);
  float sum = 0, squares = 0;
  for (int i = mine; i < job.width; i += norm_threads) {
    float number = residual[i];
    if (product != nullptr) {
      number += read(product, row + static_cast<std::size_t>(i)) + (job.bias == nullptr ? 0.0F : job.bias[i]);
      residual[i] = number;
    }
    sum += number;
    squares += number * number;
  }
  float mean = 0, scale = 1;
  if (job.weight != nullptr) {
    if (job.layer_norm) {
      mean = sum_of_block(sum, sums) / static_cast<float>(job.width);
      squares = 0;  // around the mean: large means would swallow what differs
      for (int i = mine; i < job.width; i += norm_threads) squares += (residual[i] - mean) * (residual[i] - mean);
    }
    scale = 1.0F / sqrtf(sum_of_block(squares, sums) / static_cast<float>(job.width) + job.eps);
  }
  for (int i = mine; i < job.width; i += norm_threads) {
    float number = residual[i];
    if (job.weight != nullptr) number = (number - mean) * scale * job.weight[i] + (job.shift == nullptr ? 0.0F : job.shift[i]);
    if (job.in_place) residual[i] = number;
    if (job.normed != nullptr) job.normed[row + static_cast<std::size_t>(i)] = narrowed(number);
  }
}

/// A block has one head of one token; each thread has pairs (d, d + head_dim / 2), as RoPE turns them.
template <class T>
__global__ void __launch_bounds__(128) write_heads(HeadsJob job) {
  KV_SHARED float sums[4];
  const int head = static_cast<int>(blockIdx.x), row = static_cast<int>(blockIdx.y), half = job.head_dim / 2, pair = static_cast<int>(threadIdx.x);
  const bool is_query = head < job.heads, is_key = !is_query && head < job.heads + job.kv_heads, works = pair < half;
  const int all = (job.heads + 2 * job.kv_heads) * job.head_dim, begin = head * job.head_dim;
  const T* const product = static_cast<const T*>(job.product.numbers) + static_cast<std::size_t>(row) * static_cast<std::size_t>(all) + begin;
  float x = 0, y = 0;
  if (works) {
    x = read(product, static_cast<std::size_t>(pair));
    y = read(product, static_cast<std::size_t>(pair + half));
    if (job.bias != nullptr) {
      x += job.bias[begin + pair];
      y += job.bias[begin + pair + half];
    }
  }
  const float* const norm = is_query ? job.query_norm : is_key ? job.key_norm : nullptr;
  if (norm != nullptr) {  // the same for the whole block
    const float scale = 1.0F / sqrtf(sum_of_block(x * x + y * y, sums) / static_cast<float>(job.head_dim) + job.eps);
    if (works) {
      x *= scale * norm[pair];
      y *= scale * norm[pair + half];
    }
  }
  if (!works) return;
  const int sequence = row / job.each, number = row % job.each, position = job.positions[sequence] + number;
  if ((is_query || is_key) && job.frequencies != nullptr) {
    float sine, cosine;
    sincosf(static_cast<float>(position) * job.frequencies[pair], &sine, &cosine);
    const float turned = x * cosine - y * sine;
    y = y * cosine + x * sine;
    x = turned;
  }
  std::uint16_t* out;
  if (is_query) {
    out = job.queries + (static_cast<std::size_t>(row) * static_cast<std::size_t>(job.heads) + static_cast<std::size_t>(head)) * static_cast<std::size_t>(job.head_dim);
  } else {
    const int kv_head = sequence * job.kv_heads + (head - job.heads) % job.kv_heads, token = job.cache.kept[kv_head] - job.each + number;
    out = is_key ? job.cache.key(kv_head, token) : job.cache.value(kv_head, token);
    if (is_key && pair == 0) *job.cache.position(kv_head, token) = position;
  }
  out[pair] = narrowed(x);
  out[pair + half] = narrowed(y);
}

template <class T>
__global__ void __launch_bounds__(activation_threads) activation(ActivationJob job) {
  const int i = static_cast<int>(blockIdx.x) * activation_threads + static_cast<int>(threadIdx.x);
  if (i >= job.width) return;
  const std::size_t row = blockIdx.y, width = static_cast<std::size_t>(job.width), at = static_cast<std::size_t>(i);
  const T* const product = static_cast<const T*>(job.product.numbers) + row * (job.gated ? 2 * width : width);
  const float first = read(product, at) + (job.bias == nullptr ? 0.0F : job.bias[i]);
  float number = first > 0 ? first : 0;
  if (job.gated) number = first / (1.0F + expf(-first)) * (read(product, width + at) + (job.bias == nullptr ? 0.0F : job.bias[job.width + i]));
  job.out[row * width + at] = narrowed(number);
}

Status check_rows(int rows, const char* kernel) {
  if (rows < 0 || rows > most_rows) return fail(ErrorCode::usage, std::string(kernel) + ": at most 65,535 tokens at once; use smaller chunks");
  return {};
}

}  // namespace

Status launch_add_and_norm(const NormJob& job, Stream stream) {
  if (job.rows == 0) return {};
  const dim3 grid(static_cast<unsigned>(job.rows)), block(norm_threads);
  if (job.product.wide)
    KV_LAUNCH(add_and_norm<float>, grid, block, 0, stream, job);
  else
    KV_LAUNCH(add_and_norm<std::uint16_t>, grid, block, 0, stream, job);
  return launched("add_and_norm");
}

Status launch_write_heads(const HeadsJob& job, Stream stream) {
  KV_TRY(check_rows(job.rows, "write_heads"));
  if (job.head_dim < 8 || job.head_dim % 8 != 0 || job.head_dim > 256) return fail(ErrorCode::usage, "write_heads: head_dim must be a multiple of 8 up to 256");
  if (job.rows == 0) return {};
  const dim3 grid(static_cast<unsigned>(job.heads + 2 * job.kv_heads), static_cast<unsigned>(job.rows)), block(static_cast<unsigned>((job.head_dim / 2 + 31) / 32 * 32));
  if (job.product.wide)
    KV_LAUNCH(write_heads<float>, grid, block, 0, stream, job);
  else
    KV_LAUNCH(write_heads<std::uint16_t>, grid, block, 0, stream, job);
  return launched("write_heads");
}

Status launch_activation(const ActivationJob& job, Stream stream) {
  KV_TRY(check_rows(job.rows, "activation"));
  if (job.rows == 0) return {};
  const dim3 grid(static_cast<unsigned>((job.width + activation_threads - 1) / activation_threads), static_cast<unsigned>(job.rows)), block(activation_threads);
  if (job.product.wide)
    KV_LAUNCH(activation<float>, grid, block, 0, stream, job);
  else
    KV_LAUNCH(activation<std::uint16_t>, grid, block, 0, stream, job);
  return launched("activation");
}

}  // namespace kvantage::gpu
