// Random ragged heads for tests of kernels, on the host and on the device: blocks all over an arena, empty heads,
// holes.
#pragma once

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "core/base/random.h"
#include "gpu/kernels/device.h"
#include "gpu/kernels/paged_heads.h"
#include "tests/gpu/gpu_check.h"

namespace kvantage::test {

enum class Rows { dense, holes, scrambled };  // scrambled: slots do not ascend, as after hole filling

struct RaggedHeads {
  std::vector<unsigned char> arena;
  std::vector<std::int32_t> blocks, first_block, kept, slots, first_slot;
  gpu::PagedHeads host;  // of the vectors above

  struct OnDevice {
    gpu::DeviceArray<unsigned char> arena;
    gpu::DeviceArray<std::int32_t> blocks, first_block, kept, slots, first_slot;
    gpu::PagedHeads heads;
  };

  int total() const { return std::accumulate(kept.begin(), kept.end(), 0); }
  int longest() const { return kept.empty() ? 0 : *std::ranges::max_element(kept); }

  OnDevice on_device() const {
    OnDevice there{value_of(gpu::DeviceArray<unsigned char>::of(arena)),
                   value_of(gpu::DeviceArray<std::int32_t>::of(blocks)),
                   value_of(gpu::DeviceArray<std::int32_t>::of(first_block)),
                   value_of(gpu::DeviceArray<std::int32_t>::of(kept)),
                   value_of(gpu::DeviceArray<std::int32_t>::of(slots)),
                   value_of(gpu::DeviceArray<std::int32_t>::of(first_slot)),
                   host};
    there.heads.arena = there.arena.data();
    there.heads.blocks = there.blocks.data();
    there.heads.first_block = there.first_block.data();
    there.heads.kept = there.kept.data();
    there.heads.slots = host.slots == nullptr ? nullptr : there.slots.data();
    there.heads.first_slot = there.first_slot.data();
    return there;
  }
  /// After the vectors have been copied or moved.
  void point() {
    host.arena = arena.data();
    host.blocks = blocks.data();
    host.first_block = first_block.data();
    host.kept = kept.data();
    host.slots = host.slots == nullptr ? nullptr : slots.data();
    host.first_slot = first_slot.data();
  }
};

inline std::size_t rounded_to_64(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

/// Heads that keep so many tokens each; keys and values standard normal, positions ascending with gaps.
inline RaggedHeads ragged_heads(Random& random, int head_dim, int block_tokens, const std::vector<int>& kept,
                                Rows rows) {
  RaggedHeads made;
  auto& host = made.host;
  host.head_dim = head_dim;
  host.block_tokens = block_tokens;
  host.heads = static_cast<int>(kept.size());
  const std::size_t plane = rounded_to_64(static_cast<std::size_t>(block_tokens * head_dim) * 2);
  host.values_at = plane;
  host.positions_at = 2 * plane;
  host.block_bytes = 2 * plane + rounded_to_64(static_cast<std::size_t>(block_tokens) * 4);
  for (const int count : kept) {
    made.first_block.push_back(static_cast<std::int32_t>(made.blocks.size()));
    made.first_slot.push_back(static_cast<std::int32_t>(made.slots.size()));
    made.kept.push_back(count);
    const int used =
        rows == Rows::dense ? count : count + static_cast<int>(random.below(static_cast<std::uint64_t>(count + 1)));
    std::vector<std::int32_t> all(static_cast<std::size_t>(used));
    std::iota(all.begin(), all.end(), 0);
    if (rows != Rows::dense) random.shuffle(std::span(all));
    all.resize(static_cast<std::size_t>(count));
    if (rows == Rows::holes) std::ranges::sort(all);
    made.slots.insert(made.slots.end(), all.begin(), all.end());
    made.blocks.resize(made.blocks.size() + static_cast<std::size_t>((used + block_tokens - 1) / block_tokens));
  }
  std::vector<std::int32_t> ids(made.blocks.size() + 3);
  std::iota(ids.begin(), ids.end(), 0);
  random.shuffle(std::span(ids));
  std::copy_n(ids.begin(), made.blocks.size(), made.blocks.begin());
  made.arena.resize(ids.size() * host.block_bytes, 0xff);  // what is not kept reads as NaN
  host.slots = rows == Rows::dense ? nullptr : made.slots.data();
  made.point();
  for (int head = 0; head < host.heads; ++head) {
    std::int32_t position = 0;
    for (int token = 0; token < kept[static_cast<std::size_t>(head)]; ++token) {
      for (int i = 0; i < head_dim; ++i) {
        host.key(head, token)[i] = gpu::narrowed(static_cast<float>(random.normal()));
        host.value(head, token)[i] = gpu::narrowed(static_cast<float>(random.normal()));
      }
      *host.position(head, token) = position += 1 + static_cast<std::int32_t>(random.below(3));
    }
  }
  return made;
}

/// Shapes that tests go through: all head dims, both block sizes, empty heads, one row, holes, slots out of order.
template <class Body>
void for_ragged_shapes(Random& random, const Body& body) {
  for (const int head_dim : {32, 64, 96, 128})
    for (const int block_tokens : {16, 32})
      for (const Rows rows : {Rows::dense, Rows::holes, Rows::scrambled}) {
        std::vector<int> kept{0, 1, block_tokens, 2 * block_tokens + 1};
        for (int i = 0; i < 2; ++i) kept.push_back(static_cast<int>(random.below(150)));
        random.shuffle(std::span(kept));
        RaggedHeads made = ragged_heads(random, head_dim, block_tokens, kept, rows);
        made.point();
        body(made, "head_dim " + std::to_string(head_dim) + ", blocks of " + std::to_string(block_tokens) + ", rows " +
                       std::to_string(static_cast<int>(rows)));
      }
}

/// Numbers that may differ by `relative` of the larger one, and by `absolute`.
inline void check_close(const std::vector<float>& numbers, const std::vector<float>& expected, float relative,
                        float absolute, const std::string& what) {
  check(numbers.size() == expected.size(), what + ": as many numbers");
  for (std::size_t i = 0; i < std::min(numbers.size(), expected.size()); ++i)
    check(std::fabs(numbers[i] - expected[i]) <=
              absolute + relative * std::max(std::fabs(numbers[i]), std::fabs(expected[i])),
          what + ", number " + std::to_string(i) + ": " + std::to_string(numbers[i]) + " for " +
              std::to_string(expected[i]));
}

}  // namespace kvantage::test
