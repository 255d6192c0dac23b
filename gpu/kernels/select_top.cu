#include "gpu/kernels/select_top.h"

#include "gpu/kernels/cuda_words.h"

namespace kvantage::gpu {
namespace {

constexpr int max_warps = 32;
constexpr int digit_bits = 8, digits = 1 << digit_bits;
constexpr int short_head = 4096;  // up to this many scores a small block suffices

/// Sorts like core's score order: a larger key is a better token, equal keys tie.
__device__ __forceinline__ std::uint32_t sort_key(float score) {
  std::uint32_t bits;
  __builtin_memcpy(&bits, &score, sizeof(bits));
  if ((bits & 0x7fffffffU) > 0x7f800000U) bits = 0xff800000U;  // NaN becomes minus infinity
  if (bits == 0x80000000U) bits = 0;
  return (bits >> 31) != 0 ? ~bits : bits | 0x80000000U;
}

/// One block per head: four digit histograms, highest digit first, find the key of the last kept token; a fifth pass
/// writes in order. A head's scores (4 bytes per token) are read from memory once and from the L2 cache four times. The
/// limit is a single block's rate there, about 64 bytes per clock: some 2 us per pass for 32,768 tokens. Heads run in
/// parallel.
__global__ void select_top(HeadScores all, const std::int32_t* wanted, const std::int32_t* first_index,
                           std::int32_t* indices) {
  KV_SHARED unsigned counts[digits];
  KV_SHARED unsigned of_warps[2][max_warps];
  KV_SHARED std::uint32_t found_key;
  KV_SHARED int found_left;
  const int head = static_cast<int>(blockIdx.x), threads = static_cast<int>(blockDim.x),
            thread = static_cast<int>(threadIdx.x);
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int kept = all.kept[head], want = min(wanted[head], kept);
  if (want <= 0) return;
  const float* const scores = all.scores + all.first_score[head];
  std::int32_t* const out = indices + first_index[head];

  std::uint32_t key = 0, known = 0;  // the known bits of the last kept token's key, and their mask
  int left = want;                   // tokens to keep among those whose key starts with these bits
  for (int shift = 32 - digit_bits; shift >= 0; shift -= digit_bits) {
    for (int i = thread; i < digits; i += threads) counts[i] = 0;
    __syncthreads();
#pragma unroll 4
    for (int token = thread; token < kept; token += threads) {
      const std::uint32_t mine = sort_key(scores[token]);
      if ((mine & known) == key) atomicAdd(&counts[mine >> shift & (digits - 1)], 1U);
    }
    __syncthreads();
    if (warp == 0) {  // eight digits per lane, from the highest down
      constexpr int each = digits / 32;
      const int highest = digits - 1 - static_cast<int>(lane) * each;
      int sum = 0;
      for (int i = 0; i < each; ++i) sum += static_cast<int>(counts[highest - i]);
      int through = sum;
      for (unsigned by = 1; by < 32; by *= 2) {
        const int before = __shfl_up_sync(0xffffffffU, through, by);
        if (lane >= by) through += before;
      }
      int above = through - sum;
      if (above < left && through >= left) {  // true in one lane only
        int digit = highest;
        while (above + static_cast<int>(counts[digit]) < left) above += static_cast<int>(counts[digit--]);
        found_key = key | static_cast<std::uint32_t>(digit) << shift;
        found_left = left - above;
      }
    }
    __syncthreads();
    key = found_key;
    left = found_left;
    known |= static_cast<std::uint32_t>(digits - 1) << shift;
  }

  // Keeps all greater keys, and of equal ones the first `left`. Both are counted together: greater in the lower half,
  // equal in the upper.
  int greater_before = 0, equal_before = 0;
  for (int first = 0, turn = 0; first < kept; first += threads, turn ^= 1) {
    const int token = first + thread;
    const std::uint32_t mine = token < kept ? sort_key(scores[token]) : 0;  // 0 is not a valid key
    const bool greater = mine > key, equal = mine == key;
    const unsigned greater_lanes = __ballot_sync(0xffffffffU, greater), equal_lanes = __ballot_sync(0xffffffffU, equal),
                   earlier = (1U << lane) - 1;
    if (lane == 0)
      of_warps[turn][warp] = static_cast<unsigned>(__popc(greater_lanes)) | static_cast<unsigned>(__popc(equal_lanes))
                                                                                << 16;
    __syncthreads();  // the previous iteration's counts have been read
    const unsigned count = lane * 32 < blockDim.x ? of_warps[turn][lane] : 0;
    unsigned through = count;
    for (unsigned by = 1; by < 32; by *= 2) {
      const unsigned before = __shfl_up_sync(0xffffffffU, through, by);
      if (lane >= by) through += before;
    }
    const unsigned before_warp = __shfl_sync(0xffffffffU, through - count, warp),
                   in_block = __shfl_sync(0xffffffffU, through, 31);
    const int greaters = greater_before + static_cast<int>(before_warp & 0xffffU) + __popc(greater_lanes & earlier);
    const int equals = equal_before + static_cast<int>(before_warp >> 16) + __popc(equal_lanes & earlier);
    if (greater || (equal && equals < left)) out[greaters + min(equals, left)] = token;
    greater_before += static_cast<int>(in_block & 0xffffU);
    equal_before += static_cast<int>(in_block >> 16);
  }
}

}  // namespace

Status launch_select_top(const HeadScores& scores, const std::int32_t* wanted, const std::int32_t* first_index,
                         std::int32_t* indices, Stream stream) {
  if (scores.heads < 0 || scores.longest < 0)
    return fail(ErrorCode::usage, "select_top: a number of heads or of scores below 0");
  if (scores.heads == 0 || scores.longest == 0) return {};
  const unsigned threads = scores.longest <= short_head ? 128 : 1024;
  KV_LAUNCH(select_top, dim3(static_cast<unsigned>(scores.heads)), dim3(threads), 0, stream, scores, wanted,
            first_index, indices);
  return launched("select_top");
}

}  // namespace kvantage::gpu
