#include "core/kv/row_copy.h"

#include <bit>
#include <cstring>

namespace kvantage {
namespace {

template <std::size_t row_bytes>
void copy_fixed(const std::byte* const* from, std::byte* const* to, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) std::memcpy(to[i], from[i], row_bytes);
}

}  // namespace

void copy_rows(const std::byte* const* from, std::byte* const* to, std::size_t count, std::size_t row_bytes) {
  switch (row_bytes) {  // head dimensions 16 to 128 in both types: a known length is a few moves, not a call
    case 32:
      return copy_fixed<32>(from, to, count);
    case 64:
      return copy_fixed<64>(from, to, count);
    case 128:
      return copy_fixed<128>(from, to, count);
    case 256:
      return copy_fixed<256>(from, to, count);
    default:
      for (std::size_t i = 0; i < count; ++i) std::memcpy(to[i], from[i], row_bytes);
  }
}

SlotAddresses::SlotAddresses(BlockPool& pool, std::span<const BlockId> blocks)
    : block_tokens_(static_cast<std::uint32_t>(pool.block_tokens())),
      row_bytes_(static_cast<std::size_t>(pool.shape().head_dim) * bytes_of(pool.shape().type)) {
  if (std::has_single_bit(block_tokens_)) shift_ = std::countr_zero(block_tokens_);
  bases_.reserve(blocks.size());
  for (const BlockId block : blocks) bases_.push_back(pool.keys(block));
  if (blocks.empty()) return;
  values_offset_ = static_cast<std::size_t>(pool.values(blocks.front()) - bases_.front());
  positions_offset_ =
      static_cast<std::size_t>(reinterpret_cast<std::byte*>(pool.positions(blocks.front())) - bases_.front());
}

}  // namespace kvantage
