// Compaction on a device: the host plans the slot moves (core/kv/compaction.h: repack and hole filling), a kernel moves
// the rows. Plans guarantee that slots are written once. For each head, either sequential execution never overwrites a
// row before it is read, or the head is staged: then all rows are read before the first write.
#pragma once

#include <cstdint>

#include "gpu/kernels/device.h"
#include "gpu/kernels/paged_heads.h"

namespace kvantage::gpu {

/// Device addresses; the layout of core's HeadLayout, heads concatenated. One arena.
struct SlotMoves {
  PagedHeads before, after;                  // tables before and after; slots null, kept is unused
  const std::int32_t* from = nullptr;        // slots in `before`, in the plan's order
  const std::int32_t* to = nullptr;          // slots in `after`
  const std::int32_t* first_copy = nullptr;  // [heads + 1]
  const std::int32_t* first_staged =
      nullptr;  // [heads]: staged heads' first row in the staging memory, others -1; null: no head is staged
};

/// Bytes of staging memory for this many rows of staged heads.
std::size_t staging_bytes(int head_dim, std::size_t rows);
/// staging [staging_bytes()], aligned to 16 bytes; staged_rows: copies of all staged heads.
Status launch_compact(const SlotMoves& moves, unsigned char* staging, std::size_t staged_rows, Stream stream);
/// Reference on host memory: one copy at a time, staged heads through a separate buffer.
void compact_reference(const SlotMoves& moves);

/// Checks on the host that a head's copies keep the guarantee above, before moves are sent; the error names the
/// violation. Host memory.
Status check_moves(const SlotMoves& moves);

}  // namespace kvantage::gpu
