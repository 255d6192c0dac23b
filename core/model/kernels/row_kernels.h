// Arithmetic over the rows of one KV head, in place in the pool: the basis of scoring in compression methods.
//
// Each kernel reads a row once (or twice while it is in the L1 cache), prefetches the rows of the next tile meanwhile,
// and makes no copy. Compiled per instruction set like the layer kernels (kernels.h), with the same vector types, tiles
// and ordering rules. All arithmetic is in fp32.
#pragma once

#include "core/model/kernels/kernels.h"

namespace kvantage::inline model_kernels {

/// Euclidean norms of the rows of one plane, and optionally the sum of the rows divided by their norms.
struct RowNorms {
  KvRows rows;
  const std::byte* const* planes = nullptr;  // rows.keys or rows.values
  int head_dim = 0;
  float* norms = nullptr;     // [kept]
  float* unit_sum = nullptr;  // [head_dim] or null; a row of norm 0 adds nothing
};

inline constexpr float least_divisor = 1e-8F;

/// products[v, i] = vector v . row i, or that over max(divisors[i], least_divisor).
struct RowProducts {
  KvRows rows;
  const std::byte* const* planes = nullptr;
  int head_dim = 0;
  int count = 0;                    // vectors
  const float* vectors = nullptr;   // [count, head_dim]
  float* products = nullptr;        // [count, kept]
  const float* divisors = nullptr;  // [kept] or null; may be `products` if count = 1
  bool backward = false;            // last rows first: after a pass over the rows they are the ones still in the cache
};

/// Attention of the queries of the last `window` rows on each row under the causal mask, summed over queries and query
/// heads: the full matrix never exists in memory.
struct PaidAttention {
  KvRows rows;
  int head_dim = 0;
  int group = 0;
  int window = 0;                  // <= kept
  const float* queries = nullptr;  // [group, window, head_dim], multiplied by query_scale(head_dim)
  float* paid = nullptr;           // [kept]
};

struct RowKernels {
  void (*norms)(const RowNorms& job);
  void (*products)(const RowProducts& job);
  void (*attention_paid)(const PaidAttention& job);
  /// x[i] = 2^x[i] / sum of 2^x, count > 0.
  void (*softmax)(float* x, int count);
};

/// The table of one instruction set, which this CPU must support.
const RowKernels& row_kernels(Isa isa);

/// Number of queries that attention_paid() batches over so many rows, so that their weights (nearly) stay in the L2
/// cache: a multiple of 32.
int queries_together(int kept, int queries);

}  // namespace kvantage::inline model_kernels
