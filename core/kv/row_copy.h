// Moving rows of keys and values: what the speed of gathering and of compaction is made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/kv/block_pool.h"

namespace kvantage {

/// Copies `count` rows of row_bytes, row i from from[i] to to[i], one after the other. Two rows are the same or apart.
void copy_rows(const std::byte* const* from, std::byte* const* to, std::size_t count, std::size_t row_bytes);

/// Addresses of the slots of a block table; valid while its blocks are held.
class SlotAddresses {
 public:
  SlotAddresses(BlockPool& pool, std::span<const BlockId> blocks);

  std::byte* key(std::int32_t slot) const { return at(slot, 0); }
  std::byte* value(std::int32_t slot) const { return at(slot, values_offset_); }
  std::int32_t* position(std::int32_t slot) const {
    const auto [block, row] = split(slot);
    return reinterpret_cast<std::int32_t*>(bases_[block] + positions_offset_) + row;
  }

 private:
  std::pair<std::size_t, std::size_t> split(std::int32_t slot) const {
    const auto number = static_cast<std::uint32_t>(slot);
    if (shift_ >= 0) return {number >> shift_, number & (block_tokens_ - 1)};
    return {number / block_tokens_, number % block_tokens_};
  }
  std::byte* at(std::int32_t slot, std::size_t plane) const {
    const auto [block, row] = split(slot);
    return bases_[block] + plane + row * row_bytes_;
  }

  std::vector<std::byte*> bases_;
  std::uint32_t block_tokens_;
  int shift_ = -1;  // log2 of block_tokens where that is a whole number
  std::size_t row_bytes_;
  std::size_t values_offset_ = 0;
  std::size_t positions_offset_ = 0;
};

}  // namespace kvantage
