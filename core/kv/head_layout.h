// Row placement within one head: the arithmetic shared by eviction, truncation and compaction.
//
// A slot is the place of one row in a head's block table: slot = index_in_table * block_tokens + row_in_block. Without
// holes the i-th kept token is in slot i. With holes a list of slots gives each position, in logical order. Pure:
// nothing here reads or writes a block.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/kv/block_pool.h"

namespace kvantage::inline kv {

/// One row to move.
struct SlotCopy {
  std::int32_t from = 0;  // slot in the old table
  std::int32_t to = 0;    // slot in the new table
  bool operator==(const SlotCopy&) const = default;
};

/// A head's new table, and the steps to get there.
struct HeadLayout {
  std::vector<BlockId> blocks;
  std::vector<std::int32_t> row_slots;  // [kept] in logical order; empty: token i is in slot i
  std::int32_t used = 0;          // slots [used, blocks * block_tokens) were never written: appends continue there
  std::vector<BlockId> released;  // in the old table, not in the new one
  std::vector<SlotCopy> copies;   // ordered so that no row is overwritten before it is read ...
  bool staged = false;            // ... or, if true, read all of them before writing the first
};

/// Builds a layout from an old table in which only `slots` (of the old table, logical order) hold rows. Blocks without
/// a row are removed and slots renumbered, including copies[].to. `used`: the old high-water mark, where slots below it
/// must not be rewritten and the block being filled stays as long as any row is left; 0: appends continue right after
/// the last row.
HeadLayout settle(std::span<const BlockId> blocks, std::vector<std::int32_t> row_slots, std::int32_t used,
                  int block_tokens, std::vector<SlotCopy> copies = {});

/// Whether rows can move one by one in place to slots [0, n) in this order.
bool ascending(std::span<const std::int32_t> row_slots);

}  // namespace kvantage::inline kv
