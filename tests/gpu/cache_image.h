// Caches of core and plans over them as kernels read them: an arena with a pool's blocks, tables in plain numbers.
#pragma once

#include <QtTest>
#include <cstring>
#undef slots  // Qt's word; PagedHeads has some

#include "core/kv/compaction.h"
#include "gpu/kernels/compact.h"
#include "gpu/kernels/paged_heads.h"
#include "tests/kv/plain_cache.h"

namespace kvantage::test {

/// Block tables of heads, one behind the other, as PagedHeads has them.
struct Tables {
  std::vector<std::int32_t> blocks, first_block;

  void add(std::span<const BlockId> table) {
    first_block.push_back(static_cast<std::int32_t>(blocks.size()));
    blocks.insert(blocks.end(), table.begin(), table.end());
  }
};

/// The blocks of a pool in one arena, by their ids.
inline std::vector<unsigned char> arena_of(BlockPool& pool, const std::vector<const KvCache*>& caches) {
  std::vector<unsigned char> arena(pool.capacity_blocks() * pool.block_bytes());
  for (const KvCache* cache : caches)
    for (int l = 0; l < cache->shape().layers; ++l)
      for (int h = 0; h < cache->shape().kv_heads; ++h)
        for (const BlockId block : cache->head(l, h).blocks)
          std::memcpy(arena.data() + static_cast<std::size_t>(block) * pool.block_bytes(), pool.keys(block),
                      pool.block_bytes());
  return arena;
}

inline gpu::PagedHeads planes_of(BlockPool& pool, BlockId any, std::vector<unsigned char>& arena) {
  gpu::PagedHeads heads;
  heads.arena = arena.data();
  heads.block_bytes = pool.block_bytes();
  heads.values_at = static_cast<std::size_t>(pool.values(any) - pool.keys(any));
  heads.positions_at = static_cast<std::size_t>(reinterpret_cast<std::byte*>(pool.positions(any)) - pool.keys(any));
  heads.block_tokens = pool.block_tokens();
  heads.head_dim = pool.shape().head_dim;
  return heads;
}

/// All heads of a cache over an arena that holds its blocks: [layers * kv_heads].
struct Image {
  Tables tables;
  std::vector<std::int32_t> kept, row_slots, first_slot;
  gpu::PagedHeads heads;

  Image(const KvCache& cache, std::vector<unsigned char>& arena) {
    for (int l = 0; l < cache.shape().layers; ++l)
      for (int h = 0; h < cache.shape().kv_heads; ++h) {
        const HeadView head = cache.head(l, h);
        tables.add(head.blocks);
        kept.push_back(head.kept);
        first_slot.push_back(static_cast<std::int32_t>(row_slots.size()));
        for (std::size_t i = 0; i < static_cast<std::size_t>(head.kept); ++i) row_slots.push_back(head.slot(i));
      }
    heads = planes_of(cache.pool(), tables.blocks.at(0), arena);
    heads.heads = static_cast<int>(kept.size());
    heads.blocks = tables.blocks.data();
    heads.first_block = tables.first_block.data();
    heads.kept = kept.data();
    heads.slots = row_slots.data();
    heads.first_slot = first_slot.data();
  }
  Image(const Image&) = delete;

  /// As contents() of tests/kv/plain_cache.h.
  PlainCache contents() const {
    PlainCache all(kept.size());
    const std::size_t row = static_cast<std::size_t>(heads.head_dim) * sizeof(std::uint16_t);
    for (std::size_t h = 0; h < all.size(); ++h)
      for (int i = 0; i < kept[h]; ++i) {
        const auto* key = reinterpret_cast<const std::byte*>(heads.key(static_cast<int>(h), i));
        const auto* value = reinterpret_cast<const std::byte*>(heads.value(static_cast<int>(h), i));
        all[h].keys.insert(all[h].keys.end(), key, key + row);
        all[h].values.insert(all[h].values.end(), value, value + row);
        all[h].positions.push_back(*heads.position(static_cast<int>(h), i));
      }
    return all;
  }
};

/// Moves of a plan for a reference, tables and lists held.
struct Moves {
  Tables before, after;
  std::vector<std::int32_t> from, to, first_copy{0}, first_staged;
  gpu::SlotMoves moves;

  Moves(const CompactionPlan& plan, BlockPool& pool, std::vector<unsigned char>& arena) {
    std::int32_t staged_rows = 0;
    for (const HeadCompaction& head : plan.heads) {
      before.add(head.blocks_before);
      after.add(head.layout.blocks);
      for (const SlotCopy& copy : head.layout.copies) {
        from.push_back(copy.from);
        to.push_back(copy.to);
      }
      first_copy.push_back(static_cast<std::int32_t>(from.size()));
      first_staged.push_back(head.layout.staged ? staged_rows : -1);
      if (head.layout.staged) staged_rows += static_cast<std::int32_t>(head.layout.copies.size());
    }
    moves.before = moves.after = planes_of(pool, before.blocks.at(0), arena);
    moves.before.heads = moves.after.heads = static_cast<int>(plan.heads.size());
    moves.before.blocks = before.blocks.data();
    moves.before.first_block = before.first_block.data();
    moves.after.blocks = after.blocks.data();
    moves.after.first_block = after.first_block.data();
    moves.from = from.data();
    moves.to = to.data();
    moves.first_copy = first_copy.data();
    moves.first_staged = first_staged.data();
  }
  Moves(const Moves&) = delete;
};

}  // namespace kvantage::test
