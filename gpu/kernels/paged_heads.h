// Ragged heads of a KV cache in blocks of one arena, in kernel form: core/kv/block_pool.h and kv_cache.h as plain
// numbers. A block holds keys [block_tokens, head_dim], values of the same shape and positions [block_tokens] of one KV
// head; each head has its own list of blocks and its own number of kept tokens. Rows are bf16, aligned to 16 bytes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/kernels/cuda_words.h"

namespace kvantage::gpu {

/// Device addresses; counts and offsets on the host.
struct PagedHeads {
  unsigned char* arena = nullptr;
  std::size_t block_bytes = 0, values_at = 0, positions_at = 0;  // from a block's start
  int block_tokens = 0, head_dim = 0, heads = 0;
  const std::int32_t* blocks = nullptr;       // of all heads, concatenated
  const std::int32_t* first_block = nullptr;  // [heads]: start of a head's blocks
  const std::int32_t* kept = nullptr;         // [heads]
  const std::int32_t* slots = nullptr;        // of all heads, ascending tokens: slot of the i-th kept one; null: slot i
  const std::int32_t* first_slot = nullptr;   // [heads], if there are slots; also indexes rows of dense heads
                                              // where kernels write one number per row

  __host__ __device__ int slot(int head, int token) const {
    return slots == nullptr ? token : slots[first_slot[head] + token];
  }
  __host__ __device__ unsigned char* block(int head, int slot) const {
    return arena + static_cast<std::size_t>(blocks[first_block[head] + slot / block_tokens]) * block_bytes;
  }
  __host__ __device__ std::uint16_t* key(int head, int token) const {
    const int at = slot(head, token);
    return reinterpret_cast<std::uint16_t*>(block(head, at)) +
           static_cast<std::size_t>(at % block_tokens) * static_cast<std::size_t>(head_dim);
  }
  __host__ __device__ std::uint16_t* value(int head, int token) const {
    const int at = slot(head, token);
    return reinterpret_cast<std::uint16_t*>(block(head, at) + values_at) +
           static_cast<std::size_t>(at % block_tokens) * static_cast<std::size_t>(head_dim);
  }
  __host__ __device__ std::int32_t* position(int head, int token) const {
    const int at = slot(head, token);
    return reinterpret_cast<std::int32_t*>(block(head, at) + positions_at) + at % block_tokens;
  }
};

}  // namespace kvantage::gpu
