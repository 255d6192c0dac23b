// Keys or values of ragged heads, either gathered or in blocks.
#pragma once

#include "gpu/kernels/kernel_heads.h"

namespace kvantage::gpu {

/// bf16 rows [head_dim], each aligned to 16 bytes; device addresses (or host addresses, for references).
struct HeadRows {
  std::uint16_t* gathered = nullptr;        // of all heads, concatenated; null: in blocks
  const std::int32_t* first_row = nullptr;  // [heads]: start of a head's rows among the gathered ones
  int head_dim = 0;
  KernelHeads paged;
  bool values = false;  // which rows of the blocks

  bool in_blocks() const { return gathered == nullptr; }
  /// blocks: as in_blocks(), for kernels to be compiled for each.
  template <bool blocks>
  __device__ __forceinline__ std::uint16_t* row(int head, int token) const {
    if constexpr (!blocks)
      return reinterpret_cast<std::uint16_t*>(
          reinterpret_cast<unsigned char*>(gathered) +
          std::uint64_t{static_cast<std::uint32_t>(first_row[head] + token)} *
              (static_cast<std::uint32_t>(head_dim) * std::uint32_t{sizeof(std::uint16_t)}));
    std::uint16_t* const key = paged.key(head, token);
    return values ? paged.value_beside(key) : key;
  }
};

inline HeadRows gathered_rows(std::uint16_t* rows, const std::int32_t* first_row, int head_dim) {
  return {rows, first_row, head_dim, {}, false};
}
inline HeadRows paged_rows(const PagedHeads& heads, bool values) {
  return {nullptr, nullptr, heads.head_dim, heads, values};
}

}  // namespace kvantage::gpu
