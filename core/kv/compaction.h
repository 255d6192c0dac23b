// Compaction: closing the holes that eviction leaves, so that whole blocks come back.
//
// A paged pool gets a block back only when its last row is dead; scattered evictions free next to nothing. Two ways to
// consolidate, both planned without touching anything and carried out by commit():
//   repack     every survivor slides forward: a dense cache in logical order again, many rows move
//   hole_fill  the survivors of the newest round drop into the holes before them, history stays where it is: few rows
//              move, physical order comes out scrambled, and the head's slots keep the logical one
// Answers over the cache are the same bit for bit before and after: attention counts in logical order.
//
// A block that another table holds, too, is left alone: it stays where it is, with its holes, and nothing is moved into
// it or out of it. So a plan never needs a new block, and committing never runs out of space.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/kv/kv_cache.h"

namespace kvantage {

/// Which heads a pass works on; nothing named: all.
struct CompactionScope {
  std::optional<int> layer = std::nullopt;
  std::optional<int> kv_head = std::nullopt;
};

/// What becomes of one head. layout.copies: slot copies, from and to; layout.blocks: its table afterwards.
struct HeadCompaction {
  int layer = 0;
  int kv_head = 0;
  std::vector<BlockId> blocks_before;
  HeadLayout layout;
};

struct CompactionPlan {
  std::vector<HeadCompaction> heads;  // only those that change
  std::size_t blocks_freed = 0;       // blocks that go back to the pool
  std::size_t slot_copies = 0;        // rows (key, value, position) that move
  std::uint64_t revision = 0;         // of the cache that it was made for
  bool empty() const { return heads.empty(); }
};

/// Order-preserving repack: rows in blocks of our own slide forward over those blocks.
CompactionPlan plan_repack(const KvCache& cache, const CompactionScope& scope = {});

/// Hole filling: rows at original positions >= round_start move, those in the highest slots first where there are more
/// of them than holes, into the lowest dead slots; a row never moves to a higher slot.
CompactionPlan plan_hole_fill(const KvCache& cache, const CompactionScope& scope, std::int32_t round_start);

/// One pass as it was carried out.
struct CompactionReport {
  std::size_t blocks_freed = 0;
  std::size_t slot_copies = 0;
  double seconds = 0;  // of the commit, planning not included
};

/// Carries a plan out on the cache it was made for. internal, and nothing changed, when the cache or the sharing of a
/// block that would be written has changed since.
Expected<CompactionReport> commit(KvCache& cache, const CompactionPlan& plan, const Clock& clock);

}  // namespace kvantage
