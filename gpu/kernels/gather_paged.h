// Rows of some tokens of each head, moved into blocks of their own or into plain arrays: what eviction with a gather,
// offloading and coding read.
#pragma once

#include <cstdint>

#include "gpu/kernels/device.h"
#include "gpu/kernels/paged_heads.h"

namespace kvantage::gpu {

/// Plain arrays, all heads one behind the other; those that are null are left out. Addresses of the device.
struct GatheredRows {
  std::uint16_t* keys = nullptr;      // [rows, head_dim], aligned to 16 bytes
  std::uint16_t* values = nullptr;    // alike
  std::int32_t* positions = nullptr;  // [rows]
};

/// Token i of head h of `to` gets key, value and position of token indices[to.first_slot[h] + i] of head h of `from`, i
/// < to.kept[h]. indices: into the kept tokens of `from`, in its logical order. Blocks of `to` are none of `from`'s;
/// head_dim is the same. longest: of to.kept.
Status launch_gather_blocks(const PagedHeads& from, const std::int32_t* indices, const PagedHeads& to, int longest,
                            Stream stream);
/// Row first_row[h] + i of `to`, i < counts[h], gets token indices[first_row[h] + i] of head h; indices null: token i.
/// longest: of counts.
Status launch_gather_rows(const PagedHeads& from, const std::int32_t* indices, const std::int32_t* first_row,
                          const std::int32_t* counts, const GatheredRows& to, int longest, Stream stream);

/// The same of host memory.
void gather_blocks_twin(const PagedHeads& from, const std::int32_t* indices, const PagedHeads& to);
void gather_rows_twin(const PagedHeads& from, const std::int32_t* indices, const std::int32_t* first_row,
                      const std::int32_t* counts, const GatheredRows& to);

}  // namespace kvantage::gpu
