// Caches that only a trace can drive: they need the future, or the blocks of whole requests. One tier each. They have
// no form as a policy, so sessions refuse them by name.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/eviction/simulated_cache.h"

namespace kvantage::inline eviction {

struct TraceCacheInfo {
  std::string_view name;
  bool needs_future = false;  // SimulatedCache::expect() of all keys comes first
  bool blocks_only = false;   // no whole contexts
  std::string_view summary, source;
  std::unique_ptr<SimulatedCache> (*make)(std::uint64_t capacity) = nullptr;
};

std::span<const TraceCacheInfo> trace_caches();
/// Nothing for an unknown name.
const TraceCacheInfo* find_trace_cache(std::string_view name);
/// "belady, vllm_lru".
std::string trace_cache_list();

/// Belady's MIN (1966): the entry whose next request is farthest away is evicted; a newcomer that is requested later
/// than all others is not admitted. The optimum for hits of equal sizes.
std::unique_ptr<SimulatedCache> make_belady_cache(std::uint64_t capacity);
/// vLLM's free queue: blocks of a request return to it in reverse, so the tail of a prompt is evicted first; the blocks
/// of the running request are not in it.
std::unique_ptr<SimulatedCache> make_vllm_lru_cache(std::uint64_t capacity);
/// vLLM's free queue by workload (Wang et al., ATC 2025; vLLM pull request 22236): a queue for each category of
/// requests, and of their oldest blocks the one that is least likely to be reused within the time that a block stays.
std::unique_ptr<SimulatedCache> make_workload_aware_cache(std::uint64_t capacity);
/// SGLang's radix tree: the leaf that was accessed longest ago is evicted, with all blocks of its edge.
std::unique_ptr<SimulatedCache> make_sglang_radix_cache(std::uint64_t capacity);

}  // namespace kvantage::inline eviction
