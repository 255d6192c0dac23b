// Compaction carried out on a device: the host plans which slot moves where (core/kv/compaction.h: repack and hole
// filling), a kernel moves the rows. Plans promise that slots are written once, and for each head that no row is
// written over before it is read where its copies are done one after the other, or else that the head is staged: then
// all rows are read before the first is written.
#pragma once

#include <cstdint>

#include "gpu/kernels/device.h"
#include "gpu/kernels/paged_heads.h"

namespace kvantage::gpu {

/// Addresses of the device; the layout of core's HeadLayout, heads one behind the other. One arena.
struct SlotMoves {
  PagedHeads before, after;                  // tables as they were and as they become; slots null, kept is not read
  const std::int32_t* from = nullptr;        // slots in `before`, in the plan's order
  const std::int32_t* to = nullptr;          // slots in `after`
  const std::int32_t* first_copy = nullptr;  // [heads + 1]
  const std::int32_t* first_staged =
      nullptr;  // [heads]: staged heads' first row in the staging memory, others -1; null: no head is staged
};

/// Bytes of staging memory for so many rows of staged heads.
std::size_t staging_bytes(int head_dim, std::size_t rows);
/// staging [staging_bytes()], aligned to 16 bytes; staged_rows: copies of all staged heads.
Status launch_compact(const SlotMoves& moves, unsigned char* staging, std::size_t staged_rows, Stream stream);
/// The same of host memory: one copy after the other, staged heads through memory of its own.
void compact_twin(const SlotMoves& moves);

/// Nothing where a head's copies keep the promise above, else which does not: for the host, before moves are sent. Host
/// memory.
Status check_moves(const SlotMoves& moves);

}  // namespace kvantage::gpu
