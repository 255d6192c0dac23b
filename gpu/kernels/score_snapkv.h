// SnapKV (Li et al. 2024): attention of the last W queries of a context on each earlier token, smoothed over neighbors:
//   A = softmax(Q_w K^T / sqrt(d) + causal), window columns included;  m = mean over the W rows of columns [0, S - W)
//   s = mean over the query heads of a group of pool(m, kernel);  the window itself gets max(s) of its layer + 1
// A head of at most W tokens is scored by the queries of its second half, one of a single token gets 1. As
// core/compress/scorers/snapkv.cpp, which uses mean pooling; the maximum is the paper's other option.
#pragma once

#include <cstdint>

#include "gpu/kernels/device.h"
#include "gpu/kernels/paged_heads.h"

namespace kvantage::gpu {

enum class Pool { mean, maximum };

struct SnapKv {
  const std::uint16_t* queries = nullptr;  // [heads, group, window, head_dim] bf16 after RoPE, of each head's last
                                           // `window` tokens; aligned to 4 bytes
  int group = 1;                           // query heads per KV head
  int window = 1;
  int kernel = 1;       // odd, up to 1,023; zero-padded past the scored tokens
  int layer_heads = 1;  // KV heads of a layer, adjacent
  Pool pool = Pool::mean;
};

/// Observing tokens of a head, by core's rule: the last ones; the others are scored.
__host__ __device__ inline int snapkv_window(int kept, int window) {
  return kept > window ? window : kept / 2 > 1 ? kept / 2 : kept > 0 ? 1 : 0;
}

/// Scratch numbers of launch_score_snapkv(). total: kept tokens of all heads.
std::size_t snapkv_scratch(const PagedHeads& heads, const SnapKv& job, int longest, int total);
/// scores[heads.first_slot[h] + t] for each kept token t of each head; first_slot is contiguous. longest: maximum kept
/// tokens of a head. Deterministic: fixed summation order.
Status launch_score_snapkv(const PagedHeads& heads, const SnapKv& job, int longest, int total, float* scratch,
                           float* scores, Stream stream);
/// Reference on host memory, in double.
void score_snapkv_reference(const PagedHeads& heads, const SnapKv& job, float* scores);

}  // namespace kvantage::gpu
