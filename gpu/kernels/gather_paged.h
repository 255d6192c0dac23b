// Gathers rows of selected tokens of each head into new blocks or plain arrays: used by eviction with a gather,
// offloading and encoding. Gathers whole blocks from any addresses of a device's memory into those of an arena: how a
// cache that is stored there becomes that of a request.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/kernels/device.h"
#include "gpu/kernels/paged_heads.h"

namespace kvantage::gpu {

/// Plain arrays, all heads concatenated; null ones are skipped. Device addresses.
struct GatheredRows {
  std::uint16_t* keys = nullptr;      // [rows, head_dim], aligned to 16 bytes
  std::uint16_t* values = nullptr;    // the same shape
  std::int32_t* positions = nullptr;  // [rows]
};

/// Token i of head h of `to` gets key, value and position of token indices[to.first_slot[h] + i] of head h of `from`, i
/// < to.kept[h]. indices: into the kept tokens of `from`, in its logical order. `to` and `from` share no blocks;
/// head_dim is the same. longest: maximum of to.kept.
Status launch_gather_blocks(const PagedHeads& from, const std::int32_t* indices, const PagedHeads& to, int longest,
                            Stream stream);
/// Row first_row[h] + i of `to`, i < counts[h], gets token indices[first_row[h] + i] of head h; indices null: token i.
/// longest: maximum of counts.
Status launch_gather_rows(const PagedHeads& from, const std::int32_t* indices, const std::int32_t* first_row,
                          const std::int32_t* counts, const GatheredRows& to, int longest, Stream stream);

/// Device addresses. Sources are aligned to 16 bytes; no block is both a source and a target.
struct BlockCopies {
  const std::uint64_t* from = nullptr;  // [count] addresses
  const std::int32_t* to = nullptr;     // [count] blocks of the arena
  int count = 0;
};

/// arena: aligned to 16 bytes. usage: block_bytes is not a multiple of 16.
Status launch_copy_blocks(const BlockCopies& copies, unsigned char* arena, std::size_t block_bytes, Stream stream);

/// Reference on host memory.
void gather_blocks_reference(const PagedHeads& from, const std::int32_t* indices, const PagedHeads& to);
void gather_rows_reference(const PagedHeads& from, const std::int32_t* indices, const std::int32_t* first_row,
                           const std::int32_t* counts, const GatheredRows& to);
void copy_blocks_reference(const BlockCopies& copies, unsigned char* arena, std::size_t block_bytes);

}  // namespace kvantage::gpu
