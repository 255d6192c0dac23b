// Moves rows of keys and values: this determines the speed of gathering and compaction.
//
// Rows are scattered over a pool and many are skipped, so the time is memory latency. Where at least a third of a
// block's short rows is wanted, the whole block is read in order before copying. Longer rows are prefetched one run
// ahead. Copies larger than the caches use non-temporal stores.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/kv/block_pool.h"
#include "core/kv/head_layout.h"
#include "core/kv/row_run.h"

namespace kvantage::inline kv {

/// Addresses of the slots of a block table; valid while its blocks are held.
class SlotAddresses {
 public:
  SlotAddresses(BlockPool& pool, std::span<const BlockId> blocks);

  std::byte* key(std::int32_t slot) const {
    const auto [block, row] = split(slot);
    return bases_[block] + row * row_bytes_;
  }
  /// The first slot after the block of a slot.
  std::int32_t block_end(std::int32_t slot) const {
    return slot + static_cast<std::int32_t>(block_tokens_ - split(slot).second);
  }
  std::size_t row_bytes() const { return row_bytes_; }
  /// Byte offset from the key to the value of a slot.
  std::ptrdiff_t value_offset() const { return value_offset_; }
  std::int32_t* position(std::int32_t slot) const {
    const auto [block, row] = split(slot);
    return reinterpret_cast<std::int32_t*>(bases_[block] + position_offset_) + row;
  }

 private:
  std::pair<std::size_t, std::size_t> split(std::int32_t slot) const {
    const auto number = static_cast<std::uint32_t>(slot);
    if (shift_ >= 0) return {number >> shift_, number & (block_tokens_ - 1)};
    return {number / block_tokens_, number % block_tokens_};
  }

  std::vector<std::byte*> bases_;
  std::uint32_t block_tokens_;
  int shift_ = -1;  // log2 of block_tokens if it is a power of two
  std::size_t row_bytes_;
  std::ptrdiff_t value_offset_ = 0;
  std::ptrdiff_t position_offset_ = 0;
};

/// Whether this many rows of keys and values exceed a core's own caches before they are read.
inline bool exceeds_caches(std::size_t rows, std::size_t row_bytes) {
  return 2 * rows * row_bytes >= std::size_t{1} << 20;
}

/// Moves keys, values and positions row by row: a row may be overwritten once it has been read. past_caches:
/// non-temporal stores, which avoid reading the overwritten lines.
void move_rows(const SlotAddresses& source, const SlotAddresses& target, std::span<const SlotCopy> copies,
               bool past_caches);
/// The same through a staging buffer: all rows are read before the first is written.
void move_rows_staged(const SlotAddresses& source, const SlotAddresses& target, std::span<const SlotCopy> copies);
/// Reads the rows of the given slots into contiguous arrays; null ones are skipped.
void read_rows(const SlotAddresses& source, std::span<const std::int32_t> slots_read, std::byte* keys,
               std::byte* values, std::int32_t* positions);
/// Writes contiguous rows where they are reserved: row i of `runs` is row i of keys and values; null ones are skipped.
void fill_runs(std::span<const RowRun> runs, const std::byte* keys, const std::byte* values, std::size_t row_bytes,
               bool past_caches);

}  // namespace kvantage::inline kv
