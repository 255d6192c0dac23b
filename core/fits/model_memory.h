// Whether a model fits into memory, by arithmetic on its facts: weights as they are computed with, the buffers of a
// prefill, and the KV cache of one request in the blocks of the pool.
#pragma once

#include <cstdint>

#include "core/ports/model_catalog.h"

namespace kvantage::inline fits {

/// Tokens of a block of the pool, which a cache occupies as a whole.
inline constexpr int memory_block_tokens = 32;

struct MemoryEstimate {
  std::uint64_t weights_bytes = 0, workspace_bytes = 0;
  std::uint64_t cache_bytes = 0;      // of one request of so many tokens, in whole blocks
  std::uint64_t needed_bytes = 0;     // the sum
  std::uint64_t available_bytes = 0;  // as given
  int max_tokens = 0;  // longest context whose cache fits beside weights and workspace, the pool's limit and the
                       // model's positions included; 0: not even the weights fit
  bool fits = false;
};

/// context_tokens: of the one request. available_bytes: free memory. A model whose facts are not known needs 0 bytes
/// and does not fit.
MemoryEstimate estimate_memory(const ModelFacts& facts, int context_tokens, std::uint64_t available_bytes);

}  // namespace kvantage::inline fits
