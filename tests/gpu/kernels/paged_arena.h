// Ragged heads in blocks of an arena on the device, with what a host knows of them: blocks in a random order, some rows
// of heads let go.
#pragma once

#include <cstring>
#include <vector>

#include "core/base/random.h"
#include "gpu/kernels/paged_heads.h"
#include "tests/gpu/gpu_check.h"

namespace kvantage::test {

struct PagedArena {
  gpu::DeviceArray<unsigned char> arena;
  gpu::DeviceArray<std::int32_t> blocks, first_block, kept, slots, first_slot;
  gpu::PagedHeads heads;             // of the device
  std::vector<unsigned char> bytes;  // of the arena, as made
  std::vector<std::vector<std::size_t>>
      key_at;  // [head][row]: where its key begins in the arena; its value: values_at further
  std::vector<std::vector<std::size_t>> position_at;
  std::vector<std::int32_t> first_row;  // [heads]: rows before

  /// `bytes` onto the device.
  void fill() {
    arena = value_of(gpu::DeviceArray<unsigned char>::of(bytes));
    heads.arena = arena.data();
  }
  /// The arena as it is on the device now.
  std::vector<unsigned char> now() const { return value_of(arena.numbers()); }
};

/// Heads of counts[h] rows, positions ascending with gaps, elements normal; sparse: rows are in slots with gaps between
/// them.
inline PagedArena paged_arena(const std::vector<std::int32_t>& counts, int head_dim, bool sparse, Random& random) {
  constexpr int block_tokens = 16;
  PagedArena made;
  const std::size_t rows_bytes = static_cast<std::size_t>(block_tokens * head_dim) * sizeof(std::uint16_t);
  gpu::PagedHeads& heads = made.heads;
  heads.values_at = rows_bytes, heads.positions_at = 2 * rows_bytes,
  heads.block_bytes = 2 * rows_bytes + block_tokens * sizeof(std::int32_t);
  heads.block_tokens = block_tokens, heads.head_dim = head_dim, heads.heads = static_cast<int>(counts.size());
  std::vector<std::int32_t> blocks, first_block, slots;
  std::int32_t rows = 0;
  for (const std::int32_t count : counts) {
    made.first_row.push_back(rows);
    first_block.push_back(static_cast<std::int32_t>(blocks.size()));
    std::int32_t slot = -1;
    for (std::int32_t i = 0; i < count; ++i)
      slots.push_back(slot += sparse ? 1 + static_cast<std::int32_t>(random.below(3)) : 1);
    for (int b = 0; b * block_tokens <= slot; ++b) blocks.push_back(static_cast<std::int32_t>(blocks.size()));
    rows += count;
  }
  random.shuffle(std::span(blocks));
  made.bytes.resize((blocks.size() + 1) * heads.block_bytes);
  for (std::size_t i = 0; i + 1 < made.bytes.size(); i += 2) {
    const std::uint16_t number = gpu::narrowed(static_cast<float>(random.normal()));
    std::memcpy(&made.bytes[i], &number, sizeof(number));
  }
  for (std::size_t h = 0; h < counts.size(); ++h) {
    made.key_at.emplace_back();
    made.position_at.emplace_back();
    std::int32_t position = static_cast<std::int32_t>(random.below(5));
    for (std::int32_t i = 0; i < counts[h]; ++i) {
      const std::int32_t slot = slots[static_cast<std::size_t>(made.first_row[h] + i)];
      const std::size_t block =
          static_cast<std::size_t>(blocks[static_cast<std::size_t>(first_block[h] + slot / block_tokens)]) *
          heads.block_bytes;
      const auto within = static_cast<std::size_t>(slot % block_tokens);
      made.key_at[h].push_back(block + within * static_cast<std::size_t>(head_dim) * sizeof(std::uint16_t));
      made.position_at[h].push_back(block + heads.positions_at + within * sizeof(std::int32_t));
      std::memcpy(&made.bytes[made.position_at[h].back()], &position, sizeof(position));
      position += 1 + static_cast<std::int32_t>(random.below(40));
    }
  }
  made.fill();
  made.blocks = value_of(gpu::DeviceArray<std::int32_t>::of(blocks));
  made.first_block = value_of(gpu::DeviceArray<std::int32_t>::of(first_block));
  made.kept = value_of(gpu::DeviceArray<std::int32_t>::of(counts));
  made.slots = value_of(gpu::DeviceArray<std::int32_t>::of(slots));
  made.first_slot = value_of(gpu::DeviceArray<std::int32_t>::of(made.first_row));
  heads.blocks = made.blocks.data(), heads.first_block = made.first_block.data(), heads.kept = made.kept.data();
  heads.slots = sparse ? made.slots.data() : nullptr, heads.first_slot = made.first_slot.data();
  return made;
}

}  // namespace kvantage::test
