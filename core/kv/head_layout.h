// Where the rows of one head lie: the arithmetic that eviction, truncation and compaction share.
//
// A slot is a place for one row in a head's block table: slot = index_in_table * block_tokens + row_in_block. Without
// holes the i-th kept token lies in slot i. With holes a list of slots says where each lies, in logical order. Pure:
// nothing here reads or writes a block.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/kv/block_pool.h"

namespace kvantage {

/// One row that moves.
struct SlotCopy {
  std::int32_t from = 0;  // slot in the table as it was
  std::int32_t to = 0;    // slot in the table as it becomes
  bool operator==(const SlotCopy&) const = default;
};

/// A head's table as it becomes, and what has to be done for it.
struct HeadLayout {
  std::vector<BlockId> blocks;
  std::vector<std::int32_t> row_slots;  // [kept] in logical order; empty: token i lies in slot i
  std::int32_t used = 0;          // slots [used, blocks * block_tokens) were never written: appending goes on there
  std::vector<BlockId> released;  // of the old table, no longer in this one
  std::vector<SlotCopy> copies;   // in an order in which no row is written over before it is read ...
  bool staged = false;            // ... or, if true, all of them have to be read before the first is written
};

/// Makes a layout of an old table of which only `slots` (of the old table, logical order) hold rows: blocks without a
/// row leave it, slots are renumbered, also those in copies[].to. `used`: the old high-water mark where slots up to it
/// must not be written again and the block being filled stays for as long as any row is left; 0: writing goes on right
/// behind the last row.
HeadLayout settle(std::span<const BlockId> blocks, std::vector<std::int32_t> row_slots, std::int32_t used,
                  int block_tokens, std::vector<SlotCopy> copies = {});

/// Whether rows that move to slots [0, n) in this order can be moved one by one in place.
bool ascending(std::span<const std::int32_t> row_slots);

}  // namespace kvantage
