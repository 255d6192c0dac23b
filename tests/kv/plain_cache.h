// The brute-force model that caches are compared with: plain vectors of rows per head, no blocks, no slots.
#pragma once

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "core/base/random.h"
#include "core/kv/kv_cache.h"

namespace kvantage::test {

struct PlainHead {
  std::vector<std::byte> keys, values;  // [kept, row]
  std::vector<std::int32_t> positions;  // [kept]
  bool operator==(const PlainHead&) const = default;

  /// Only the rows that `keeps(index)` says stay.
  template <class Keeps>
  void filter(std::size_t row, const Keeps& keeps) {
    std::size_t to = 0;
    for (std::size_t i = 0; i < positions.size(); ++i) {
      if (!keeps(i)) continue;
      std::copy_n(keys.begin() + static_cast<std::ptrdiff_t>(i * row), row,
                  keys.begin() + static_cast<std::ptrdiff_t>(to * row));
      std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(i * row), row,
                  values.begin() + static_cast<std::ptrdiff_t>(to * row));
      positions[to++] = positions[i];
    }
    keys.resize(to * row);
    values.resize(to * row);
    positions.resize(to);
  }
};

/// [layers * kv_heads]
using PlainCache = std::vector<PlainHead>;

inline std::size_t row_bytes(const KvShape& shape) { return shape.bytes_per_head_token() / 2; }

inline PlainHead contents(const KvCache& cache, int layer, int head) {
  PlainHead rows;
  const auto kept = static_cast<std::size_t>(cache.kept(layer, head));
  rows.keys.resize(kept * row_bytes(cache.shape()));
  rows.values.resize(rows.keys.size());
  rows.positions.resize(kept);
  cache.gather_head(layer, head, rows.keys.data(), rows.values.data(), rows.positions.data());
  return rows;
}

inline PlainCache contents(const KvCache& cache) {
  PlainCache all;
  for (int l = 0; l < cache.shape().layers; ++l)
    for (int h = 0; h < cache.shape().kv_heads; ++h) all.push_back(contents(cache, l, h));
  return all;
}

// Not inlined: GCC 12 sees frees in the inlined body that are not there.
[[gnu::noinline]] inline std::vector<std::byte> random_bytes(Random& random, std::size_t count) {
  std::vector<std::byte> bytes(count);
  for (auto& byte : bytes) byte = static_cast<std::byte>(random.next());
  return bytes;
}

/// Appends `tokens` random rows at positions first, first + 1, ... to every head of a layer of the cache and, if that
/// succeeds, of the plain one.
[[gnu::noinline]] inline Status append(KvCache& cache, int layer, int first, int tokens, Random& random,
                                       PlainCache* plain = nullptr) {
  const auto heads = static_cast<std::size_t>(cache.shape().kv_heads);
  const std::size_t row = row_bytes(cache.shape());
  const auto count = static_cast<std::size_t>(tokens);
  const auto keys = random_bytes(random, count * heads * row), values = random_bytes(random, count * heads * row);
  std::vector<std::int32_t> positions(count);
  for (std::size_t t = 0; t < count; ++t) positions[t] = first + static_cast<std::int32_t>(t);
  KV_TRY(cache.append(layer, keys, values, positions));
  if (plain == nullptr) return {};
  for (std::size_t h = 0; h < heads; ++h) {
    PlainHead& head = (*plain)[static_cast<std::size_t>(layer) * heads + h];
    for (std::size_t t = 0; t < count; ++t) {
      const auto at = static_cast<std::ptrdiff_t>((t * heads + h) * row);
      const auto end = at + static_cast<std::ptrdiff_t>(row);
      head.keys.insert(head.keys.end(), keys.begin() + at, keys.begin() + end);
      head.values.insert(head.values.end(), values.begin() + at, values.begin() + end);
      head.positions.push_back(positions[t]);
    }
  }
  return {};
}

/// Each token of each head of a layer with the given chance.
inline KeptIndices random_indices(const KvCache& cache, int layer, double chance, Random& random) {
  KeptIndices indices(static_cast<std::size_t>(cache.shape().kv_heads));
  for (int h = 0; h < cache.shape().kv_heads; ++h)
    for (int i = 0; i < cache.kept(layer, h); ++i)
      if (random.uniform() < chance) indices[static_cast<std::size_t>(h)].push_back(i);
  return indices;
}

inline void filter(PlainCache& plain, const KvShape& shape, int layer, const KeptIndices& indices, bool keep) {
  for (std::size_t h = 0; h < indices.size(); ++h) {
    const std::set<std::int32_t> named(indices[h].begin(), indices[h].end());
    plain[static_cast<std::size_t>(layer * shape.kv_heads) + h].filter(
        row_bytes(shape), [&](std::size_t i) { return named.contains(static_cast<std::int32_t>(i)) == keep; });
  }
}

/// What is wrong with the pool's books, or empty: every block's references are the tables that hold it, live blocks are
/// the union of all tables, every table is as long as it must be and every slot is held once.
inline const char* books_are_wrong(const BlockPool& pool, const std::vector<const KvCache*>& caches) {
  std::map<BlockId, int> tables;
  for (const KvCache* cache : caches)
    for (int l = 0; l < cache->shape().layers; ++l)
      for (int h = 0; h < cache->shape().kv_heads; ++h) {
        const HeadView head = cache->head(l, h);
        for (const BlockId block : head.blocks) ++tables[block];
        const int size = pool.block_tokens();
        if (static_cast<int>(head.blocks.size()) != (head.used + size - 1) / size) return "table and slots used differ";
        if (head.kept > head.used || (head.row_slots.empty() && head.kept != head.used))
          return "slots used are too few";
        if (!head.row_slots.empty() && static_cast<int>(head.row_slots.size()) != head.kept)
          return "a row without a slot";
        std::vector<char> rows(head.blocks.size(), 0), held(static_cast<std::size_t>(head.used), 0);
        for (const std::int32_t slot : head.row_slots) {
          if (slot < 0 || slot >= head.used || held[static_cast<std::size_t>(slot)]++)
            return "a slot outside, or twice";
          rows[static_cast<std::size_t>(slot / size)] = 1;
        }
        if (!head.row_slots.empty() && static_cast<int>(head.row_slots.size()) == head.used &&
            std::ranges::is_sorted(head.row_slots))
          return "a head without holes that is not dense";
        const std::size_t full = static_cast<std::size_t>(head.used / size);
        for (std::size_t b = 0; b < full && !head.row_slots.empty(); ++b)
          if (!rows[b]) return "a block without a row is held";
        if (head.kept == 0 && !head.blocks.empty()) return "a head without rows holds a block";
        const PlainHead plain = contents(*cache, l, h);
        if (std::ranges::adjacent_find(plain.positions, std::greater_equal<>{}) != plain.positions.end())
          return "positions do not ascend";
      }
  if (pool.live_blocks() != tables.size()) return "live blocks are not the union of all tables";
  for (const auto& [block, count] : tables)
    if (pool.references(block) != count) return "references are not the tables that hold a block";
  return "";
}

}  // namespace kvantage::test
