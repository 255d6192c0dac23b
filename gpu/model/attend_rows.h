// Attention of a chunk of new tokens over a sequence's kept rows: gathered rows and libtorch's flash attention, or on
// the processor its scaled_dot_product_attention, where heads with different numbers of rows run one after the other.
#pragma once

#include <ATen/ATen.h>

#include "gpu/model/cache_tables.h"

namespace kvantage::gpu {

/// queries: bf16 [count, heads * head_dim], of the last `count` of the `tokens` newest tokens, whose rows are already
/// appended to `cache`. Token i sees a head's earlier rows and the new tokens up to itself, in cache order, regardless
/// of original positions. Returns bf16 [count, heads * head_dim].
at::Tensor attend_rows(const DeviceCache& cache, const CacheTables& tables, int layer, const at::Tensor& queries,
                       int tokens, int query_heads);

}  // namespace kvantage::gpu
