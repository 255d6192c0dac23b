// Compaction: closes the holes that eviction leaves, so that whole blocks are freed.
//
// A paged pool can reuse a block only when its last row is dead; scattered evictions free next to nothing. Two ways to
// compact, both planned without side effects and executed by commit():
//   repack     every survivor slides forward: a dense cache in logical order again, many rows move
//   hole_fill  rows of the newest round move into the holes before them, older rows stay: few rows move, the physical
//              order is scrambled, and the head's slots keep the logical one
// Attention over the cache is bit-identical before and after: it uses logical order.
//
// A block shared with another table is left alone, with its holes: nothing is moved into or out of it. So a plan never
// needs a new block, and a commit never runs out of space.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/kv/kv_cache.h"

namespace kvantage::inline kv {

/// The heads to compact; empty: all.
struct CompactionScope {
  std::optional<int> layer = std::nullopt;
  std::optional<int> kv_head = std::nullopt;
};

/// The change of one head. layout.copies: slot copies, from and to; layout.blocks: its new table.
struct HeadCompaction {
  int layer = 0;
  int kv_head = 0;
  std::vector<BlockId> blocks_before;
  HeadLayout layout;
};

struct CompactionPlan {
  std::vector<HeadCompaction> heads;  // only those that change
  std::size_t blocks_freed = 0;       // blocks returned to the pool
  std::size_t slot_copies = 0;        // rows (key, value, position) that move
  std::uint64_t revision = 0;         // of the cache it was planned for
  bool empty() const { return heads.empty(); }
};

/// Order-preserving repack: rows in blocks of our own slide forward over those blocks.
CompactionPlan plan_repack(const KvCache& cache, const CompactionScope& scope = {});

/// Hole filling: rows at original positions >= round_start move into the lowest dead slots. If there are fewer holes,
/// rows in the highest slots move first. A row never moves to a higher slot.
CompactionPlan plan_hole_fill(const KvCache& cache, const CompactionScope& scope, std::int32_t round_start);

/// Result of one pass.
struct CompactionReport {
  std::size_t blocks_freed = 0;
  std::size_t slot_copies = 0;
  double seconds = 0;  // of the commit, planning not included
};

/// Executes a plan on its cache. internal, without changes, when the cache or the sharing of a target block has changed
/// since.
Expected<CompactionReport> commit(KvCache& cache, const CompactionPlan& plan, const Clock& clock);

}  // namespace kvantage::inline kv
