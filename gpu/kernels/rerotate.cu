#include "gpu/kernels/rerotate.h"

#include "gpu/kernels/half_words.h"
#include "gpu/kernels/kernel_heads.h"

namespace kvantage::gpu {
namespace {

constexpr int threads = 128;

/// Rotates a pair of elements, each operation rounded separately as on the CPU: a fused product would round
/// differently.
__device__ __forceinline__ void turn(float x, float y, float angle, float& turned_x, float& turned_y) {
  float sine, cosine;
  sincosf(angle, &sine, &cosine);
  turned_x = __fsub_rn(__fmul_rn(x, cosine), __fmul_rn(y, sine));
  turned_y = __fadd_rn(__fmul_rn(y, cosine), __fmul_rn(x, sine));
}

/// A thread has eight pairs of a row: two reads and two writes of 16 bytes. Bound by sines and memory bandwidth: eight
/// full-precision sines per 64 bytes. The fast hardware approximation is off by far more than a bf16 unit at large
/// angles. Above 105,615 radians the range reduction takes its slow path: only for the first frequency, and only for
/// keys that move further than that.
/// only for keys that move further than that.
__global__ void __launch_bounds__(threads)
    rerotate(KernelHeads heads, Rerotation rerotation, int lanes, int rows_per_block) {
  const int head = static_cast<int>(blockIdx.y), kept = heads.kept[head], mine = static_cast<int>(threadIdx.x);
  const int row = static_cast<int>(blockIdx.x) * rows_per_block + mine / lanes, octet = mine % lanes;
  const bool works = mine < rows_per_block * lanes && row < kept;
  int from = 0, to = 0;
  if (works) {
    from = *heads.position(head, row);
    to = rerotation.positions == nullptr ? row : rerotation.positions[rerotation.first_row[head] + row];
  }
  __syncthreads();  // all lanes of a row have read its position before one of them writes it
  if (!works || from == to) return;
  if (octet == 0) *heads.position(head, row) = to;
  const auto shift = static_cast<float>(to - from);
  std::uint16_t* const key = heads.key(head, row) + octet * 8;
  auto* const left = reinterpret_cast<uint4*>(key);
  auto* const right = reinterpret_cast<uint4*>(key + rerotation.pairs);
  const uint4 of_x = *left, of_y = *right;
  const std::uint32_t xs[4] = {of_x.x, of_x.y, of_x.z, of_x.w}, ys[4] = {of_y.x, of_y.y, of_y.z, of_y.w};
  const float* frequency = rerotation.frequencies + octet * 8;
  std::uint32_t new_xs[4], new_ys[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    float x[2], y[2];
    turn(as_float(xs[i] << 16), as_float(ys[i] << 16), __fmul_rn(shift, frequency[2 * i]), x[0], y[0]);
    turn(as_float(xs[i] & 0xffff0000U), as_float(ys[i] & 0xffff0000U), __fmul_rn(shift, frequency[2 * i + 1]), x[1],
         y[1]);
    new_xs[i] = packed(x[0], x[1]);
    new_ys[i] = packed(y[0], y[1]);
  }
  *left = uint4{new_xs[0], new_xs[1], new_xs[2], new_xs[3]};
  *right = uint4{new_ys[0], new_ys[1], new_ys[2], new_ys[3]};
}

}  // namespace

Status launch_rerotate(const PagedHeads& heads, const Rerotation& rerotation, Stream stream) {
  const int lanes = rerotation.pairs / 8;
  if (rerotation.pairs <= 0 || rerotation.pairs % 8 != 0 || 2 * rerotation.pairs > heads.head_dim || lanes > threads ||
      heads.head_dim % 8 != 0)
    return fail(ErrorCode::rejected_input,
                "re-rotation on a GPU: " + std::to_string(rerotation.pairs) + " pairs of " +
                    std::to_string(heads.head_dim) +
                    " channels; it takes whole eights, at most half a row; the processor's takes all");
  if (heads.heads == 0 || rerotation.max_rows == 0) return {};
  KV_TRY(check_grid_heads(heads.heads, "rerotate"));
  const int rows_per_block = threads / lanes;
  const dim3 grid(static_cast<unsigned>((rerotation.max_rows + rows_per_block - 1) / rows_per_block),
                  static_cast<unsigned>(heads.heads));
  KV_LAUNCH(rerotate, grid, dim3(threads), 0, stream, heads, rerotation, lanes, rows_per_block);
  return launched("rerotate");
}

}  // namespace kvantage::gpu
