#include "core/kv/head_layout.h"

#include <algorithm>
#include <functional>

namespace kvantage::inline kv {

bool ascending(std::span<const std::int32_t> slots) {
  return std::ranges::adjacent_find(slots, std::greater_equal<>{}) == slots.end();
}

HeadLayout settle(std::span<const BlockId> blocks, std::vector<std::int32_t> slots, std::int32_t used, int block_tokens,
                  std::vector<SlotCopy> copies) {
  const auto index_of = [block_tokens](std::int32_t slot) { return static_cast<std::size_t>(slot / block_tokens); };
  std::vector<std::int32_t> end_in_block(blocks.size(), 0);  // rows up to the last live one
  for (const std::int32_t slot : slots) {
    auto& end = end_in_block[index_of(slot)];
    end = std::max(end, slot % block_tokens + 1);
  }
  const std::int32_t filled = used % block_tokens;
  if (filled != 0 && !slots.empty()) end_in_block[index_of(used)] = filled;

  HeadLayout layout;
  std::vector<std::int32_t> shift(blocks.size(), 0);  // renumbering of this block's slots
  std::int32_t gone = 0;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    shift[b] = gone;
    if (end_in_block[b] == 0) {
      gone += block_tokens;
      layout.released.push_back(blocks[b]);
    } else {
      layout.blocks.push_back(blocks[b]);
      const auto index = static_cast<std::int32_t>(layout.blocks.size()) - 1;
      const bool written_to_its_end = used != 0 && (filled == 0 || b != index_of(used));
      layout.used = index * block_tokens + (written_to_its_end ? block_tokens : end_in_block[b]);
    }
  }
  for (std::int32_t& slot : slots) slot -= shift[index_of(slot)];
  for (SlotCopy& copy : copies) copy.to -= shift[index_of(copy.to)];
  layout.copies = std::move(copies);
  const bool dense = static_cast<std::size_t>(layout.used) == slots.size() && ascending(slots);
  if (!dense) layout.row_slots = std::move(slots);
  return layout;
}

}  // namespace kvantage::inline kv
