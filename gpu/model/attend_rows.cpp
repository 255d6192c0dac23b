#include "gpu/model/attend_rows.h"

#include <algorithm>
#include <vector>

namespace kvantage::gpu {
namespace {

/// Mask elements: the mask is as large as the scores, and libtorch widens it to their type.
constexpr std::int64_t mask_elements = std::int64_t{1} << 26;
constexpr std::int64_t min_queries = 64;

/// The first `count` rows of adjacent heads, gathered from blocks: [heads, count, head_dim].
at::Tensor gathered(const at::Tensor& rows, const at::Tensor& blocks, std::int64_t count, int block_tokens) {
  const std::int64_t each = (count + block_tokens - 1) / block_tokens;
  const at::Tensor taken = rows.index_select(0, blocks.narrow(1, 0, each).reshape({-1}));
  return taken.view({blocks.size(0), each * block_tokens, rows.size(2)}).narrow(1, 0, count);
}

/// queries: [kv_heads, group, count, head_dim]; keys, values: [kv_heads, kept, head_dim]. The last query sees all of
/// them, each earlier one sees one fewer. Returns the shape of queries.
at::Tensor attend(const at::Tensor& queries, const at::Tensor& keys, const at::Tensor& values) {
  const std::int64_t kv_heads = queries.size(0), group = queries.size(1), count = queries.size(2),
                     dim = queries.size(3), kept = keys.size(1);
  if (count == kept && count > 1)  // no earlier rows: libtorch's own causal kernels
    return at::scaled_dot_product_attention(queries.reshape({1, kv_heads * group, count, dim}), keys.unsqueeze(0),
                                            values.unsqueeze(0), {}, 0.0, true, std::nullopt, group > 1)
        .view({kv_heads, group, count, dim});
  const std::int64_t piece = std::clamp(mask_elements / (group * kept), min_queries, std::max(min_queries, count));
  std::vector<at::Tensor> parts;
  for (std::int64_t first = 0; first < count; first += piece) {
    const std::int64_t some = std::min(piece, count - first), seen = kept - count + first + some;
    // Concatenates the queries of a group, so that keys and values need no copy for each of them.
    const at::Tensor folded = queries.narrow(2, first, some).reshape({1, kv_heads, group * some, dim});
    std::optional<at::Tensor> mask;
    if (some > 1) {
      const auto numbers = at::TensorOptions(at::kInt).device(queries.device());
      const at::Tensor last = at::arange(seen - some, seen, numbers);
      mask = at::arange(seen, numbers).unsqueeze(0).le(last.unsqueeze(1)).repeat({group, 1});
    }
    parts.push_back(at::scaled_dot_product_attention(folded, keys.narrow(1, 0, seen).unsqueeze(0),
                                                     values.narrow(1, 0, seen).unsqueeze(0), mask)
                        .view({kv_heads, group, some, dim}));
  }
  return parts.size() == 1 ? parts.front() : at::cat(parts, 2);
}

}  // namespace

at::Tensor attend_rows(const DeviceCache& cache, const CacheTables& tables, int layer, const at::Tensor& queries,
                       int tokens, int query_heads) {
  const CacheArena& arena = cache.arena();
  const std::int64_t count = queries.size(0), kv_heads = arena.kv_heads(), dim = arena.head_dim(),
                     group = query_heads / kv_heads;
  const at::Tensor by_head = queries.view({count, kv_heads, group, dim}).permute({1, 2, 0, 3});
  const at::Tensor keys = arena.keys(), values = arena.values(), blocks = tables.blocks(layer);
  const auto of_heads = [&](std::int64_t first, std::int64_t heads) {
    const std::int64_t kept = cache.head(layer, static_cast<int>(first)).kept + tokens;
    const at::Tensor table = blocks.narrow(0, first, heads);
    return attend(by_head.narrow(0, first, heads), gathered(keys, table, kept, arena.block_tokens()),
                  gathered(values, table, kept, arena.block_tokens()));
  };
  at::Tensor attended;
  if (cache.uniform(layer)) {
    attended = of_heads(0, kv_heads);
  } else {
    std::vector<at::Tensor> each;
    for (std::int64_t h = 0; h < kv_heads; ++h) each.push_back(of_heads(h, 1));
    attended = at::cat(each, 0);
  }
  return attended.permute({2, 0, 1, 3}).reshape({count, std::int64_t{query_heads} * dim}).contiguous();
}

}  // namespace kvantage::gpu
