#include "gpu/model/attend_rows.h"

#include <algorithm>
#include <optional>
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

/// libtorch's flash attention, called directly: its causal mask ends with the last query and the last row, while that
/// of scaled_dot_product_attention begins with the first ones, and flash attention behind that takes no other mask.
at::Tensor flash(const at::Tensor& queries, const at::Tensor& keys, const at::Tensor& values,
                 const std::optional<at::Tensor>& first_query, const std::optional<at::Tensor>& first_row,
                 std::int64_t max_queries, std::int64_t max_rows, const std::optional<at::Tensor>& rows) {
  return std::get<0>(at::_flash_attention_forward(queries, keys, values, first_query, first_row, max_queries, max_rows,
                                                  0.0, true, false, std::nullopt, std::nullopt, std::nullopt, rows));
}

/// All heads of a layer with the same number of rows, `kept`; queries as in attend_rows().
at::Tensor flash_uniform(const DeviceCache& cache, const CacheTables& tables, int layer, const at::Tensor& queries,
                         std::int64_t kept) {
  const CacheArena& arena = cache.arena();
  const auto rows = [&](const at::Tensor& all) {
    return gathered(all, tables.blocks(layer), kept, arena.block_tokens()).transpose(0, 1).unsqueeze(0);
  };
  const std::int64_t count = queries.size(0);
  return flash(queries.view({1, count, -1, arena.head_dim()}), rows(arena.keys()), rows(arena.values()), {}, {}, count,
               kept, {});
}

/// Heads with different numbers of rows: each KV head is a sequence of its own, with the query heads of its group.
at::Tensor flash_ragged(const DeviceCache& cache, int layer, const at::Tensor& queries, int tokens) {
  const CacheArena& arena = cache.arena();
  const std::int64_t count = queries.size(0), heads = arena.kv_heads(), dim = arena.head_dim(),
                     each = arena.block_tokens();
  std::vector<std::int32_t> blocks, first_query{0}, first_row{0}, rows;
  for (int h = 0; h < arena.kv_heads(); ++h) {
    const DeviceCache::Head& head = cache.head(layer, h);
    rows.push_back(head.kept + tokens);
    const auto used = (rows.back() + each - 1) / each;
    blocks.insert(blocks.end(), head.blocks.begin(), head.blocks.begin() + used);
    first_query.push_back(static_cast<std::int32_t>((h + 1) * count));
    first_row.push_back(static_cast<std::int32_t>(std::ssize(blocks) * each));
  }
  const auto longest = *std::ranges::max_element(rows);
  // One copy to the device for all four.
  std::vector<std::int64_t> sizes;
  std::vector<std::int32_t> numbers;
  numbers.reserve(blocks.size() + first_query.size() + first_row.size() + rows.size());
  for (const auto* part : {&blocks, &first_query, &first_row, &rows}) {
    numbers.insert(numbers.end(), part->begin(), part->end());
    sizes.push_back(std::ssize(*part));
  }
  const auto parts = at::from_blob(numbers.data(), {std::ssize(numbers)}, at::TensorOptions(at::kInt))
                         .to(queries.device(), at::kInt, false, true)
                         .split_with_sizes(sizes);
  const auto gathered_rows = [&](const at::Tensor& all) { return all.index_select(0, parts[0]).view({-1, 1, dim}); };
  const at::Tensor by_head = queries.view({count, heads, -1, dim}).transpose(0, 1).reshape({heads * count, -1, dim});
  return flash(by_head, gathered_rows(arena.keys()), gathered_rows(arena.values()), parts[1], parts[2], count, longest,
               parts[3])
      .view({heads, count, -1, dim})
      .transpose(0, 1);
}

}  // namespace

at::Tensor attend_rows(const DeviceCache& cache, const CacheTables& tables, int layer, const at::Tensor& queries,
                       int tokens, int query_heads) {
  const CacheArena& arena = cache.arena();
  const std::int64_t count = queries.size(0), kv_heads = arena.kv_heads(), dim = arena.head_dim(),
                     group = query_heads / kv_heads;
  if (queries.is_cuda())
    return (cache.uniform(layer) ? flash_uniform(cache, tables, layer, queries, cache.head(layer, 0).kept + tokens)
                                 : flash_ragged(cache, layer, queries, tokens))
        .reshape({count, std::int64_t{query_heads} * dim})
        .contiguous();
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
