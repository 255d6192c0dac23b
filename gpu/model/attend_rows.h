// Attention of a chunk of new tokens over what a sequence keeps: gathered rows and libtorch's
// scaled_dot_product_attention. Heads that keep different numbers of rows attend one after the other; where all keep
// the same, together.
#pragma once

#include <ATen/ATen.h>

#include "gpu/model/cache_tables.h"

namespace kvantage::gpu {

/// queries: bf16 [count, heads * head_dim], those of the last `count` of the `tokens` newest tokens, whose rows stand
/// behind the kept ones of `cache` already. Token i sees what a head kept before and the new tokens up to itself, in
/// the cache's order, whatever their original positions are. bf16 [count, heads * head_dim].
at::Tensor attend_rows(const DeviceCache& cache, const CacheTables& tables, int layer, const at::Tensor& queries,
                       int tokens, int query_heads);

}  // namespace kvantage::gpu
