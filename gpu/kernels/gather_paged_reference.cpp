#include <algorithm>

#include "gpu/kernels/gather_paged.h"

namespace kvantage::gpu {

void gather_blocks_reference(const PagedHeads& from, const std::int32_t* indices, const PagedHeads& to) {
  for (int head = 0; head < to.heads; ++head)
    for (int i = 0; i < to.kept[head]; ++i) {
      const int token = indices[to.first_slot[head] + i];
      std::copy_n(from.key(head, token), from.head_dim, to.key(head, i));
      std::copy_n(from.value(head, token), from.head_dim, to.value(head, i));
      *to.position(head, i) = *from.position(head, token);
    }
}

void gather_rows_reference(const PagedHeads& from, const std::int32_t* indices, const std::int32_t* first_row,
                           const std::int32_t* counts, const GatheredRows& to) {
  const auto dim = static_cast<std::size_t>(from.head_dim);
  for (int head = 0; head < from.heads; ++head)
    for (int i = 0; i < counts[head]; ++i) {
      const auto row = static_cast<std::size_t>(first_row[head] + i);
      const int token = indices == nullptr ? i : indices[row];
      if (to.keys != nullptr) std::copy_n(from.key(head, token), dim, to.keys + row * dim);
      if (to.values != nullptr) std::copy_n(from.value(head, token), dim, to.values + row * dim);
      if (to.positions != nullptr) to.positions[row] = *from.position(head, token);
    }
}

void copy_blocks_reference(const BlockCopies& copies, unsigned char* arena, std::size_t block_bytes) {
  for (int i = 0; i < copies.count; ++i)
    std::copy_n(reinterpret_cast<const unsigned char*>(copies.from[i]), block_bytes,
                arena + static_cast<std::size_t>(copies.to[i]) * block_bytes);
}

}  // namespace kvantage::gpu
