// Paged heads as kernels take them: PagedHeads, prepared at launch.
#pragma once

#include "gpu/kernels/division.h"
#include "gpu/kernels/paged_heads.h"

namespace kvantage::gpu {

struct KernelHeads : PagedHeads {
  Division by_block_tokens;

  KernelHeads() = default;
  KernelHeads(const PagedHeads& heads)  // implicit: launches pass what they were given
      : PagedHeads(heads), by_block_tokens(heads.block_tokens < 1 ? 1 : heads.block_tokens) {}

  /// Where a token's rows are; key, value and position share it. A block's index rather than its address, for kernels
  /// that request it some time before they need it.
  struct Place {
    std::uint32_t block;
    std::uint32_t row;
  };
  __device__ __forceinline__ Place place(int head, int token) const {
    const int at = slot(head, token), block = by_block_tokens.quotient(at);
    return {static_cast<std::uint32_t>(blocks[first_block[head] + block]),
            static_cast<std::uint32_t>(at - block * block_tokens)};
  }
  __device__ __forceinline__ unsigned char* block(const Place& at) const { return arena + at.block * block_bytes; }
  __device__ __forceinline__ std::uint16_t* key(const Place& at) const {
    return reinterpret_cast<std::uint16_t*>(block(at)) + at.row * static_cast<std::uint32_t>(head_dim);
  }
  __device__ __forceinline__ std::uint16_t* value(const Place& at) const { return value_beside(key(at)); }
  __device__ __forceinline__ std::int32_t* position(const Place& at) const {
    return reinterpret_cast<std::int32_t*>(block(at) + positions_at) + at.row;
  }
  /// Of the same token as a key.
  __device__ __forceinline__ std::uint16_t* value_beside(std::uint16_t* key) const {
    return reinterpret_cast<std::uint16_t*>(reinterpret_cast<unsigned char*>(key) + values_at);
  }

  __device__ __forceinline__ std::uint16_t* key(int head, int token) const { return key(place(head, token)); }
  __device__ __forceinline__ std::uint16_t* value(int head, int token) const { return value(place(head, token)); }
  __device__ __forceinline__ std::int32_t* position(int head, int token) const { return position(place(head, token)); }
};

}  // namespace kvantage::gpu
