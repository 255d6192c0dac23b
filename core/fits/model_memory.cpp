#include "core/fits/model_memory.h"

#include <algorithm>

namespace kvantage::inline fits {
namespace {

std::uint64_t whole_block_tokens(int tokens) {
  constexpr auto block = static_cast<std::uint64_t>(memory_block_tokens);
  return (static_cast<std::uint64_t>(std::max(tokens, 0)) + block - 1) / block * block;
}

}  // namespace

MemoryEstimate estimate_memory(const ModelFacts& facts, int context_tokens, std::uint64_t available_bytes) {
  const CacheFacts& caches = facts.caches;
  MemoryEstimate estimate;
  estimate.available_bytes = available_bytes;
  if (facts.weights.loaded_bytes == 0 || caches.pool_bytes_per_token == 0) return estimate;
  estimate.weights_bytes = facts.weights.loaded_bytes;
  estimate.workspace_bytes = facts.workspace_bytes;
  estimate.cache_bytes = whole_block_tokens(context_tokens) * caches.pool_bytes_per_token;
  const std::uint64_t fixed = estimate.weights_bytes + estimate.workspace_bytes;
  estimate.needed_bytes = fixed + estimate.cache_bytes;
  const std::uint64_t rest = available_bytes - std::min(available_bytes, fixed);
  const std::uint64_t pool = caches.pool_limit_bytes > 0 ? std::min(rest, caches.pool_limit_bytes) : rest;
  constexpr auto block = static_cast<std::uint64_t>(memory_block_tokens);
  const std::uint64_t tokens = pool / (caches.pool_bytes_per_token * block) * block;
  estimate.max_tokens =
      static_cast<int>(std::min(tokens, static_cast<std::uint64_t>(std::max(caches.max_positions, 0))));
  estimate.fits = estimate.needed_bytes <= available_bytes && context_tokens <= estimate.max_tokens;
  return estimate;
}

}  // namespace kvantage::inline fits
