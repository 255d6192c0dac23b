#include "core/eviction/trace_caches.h"

#include <algorithm>

namespace kvantage::inline eviction {
namespace {

constexpr TraceCacheInfo trace_cache_table[] = {
    {"belady", true, false, "evicts the entry whose next request is farthest away; needs the whole trace in advance",
     "Belady 1966, IBM Systems Journal", make_belady_cache},
    {"vllm_lru", false, true, "prefix blocks in vLLM's free queue: the tail of the least recently used prompt first",
     "vLLM, FreeKVCacheBlockQueue", make_vllm_lru_cache},
    {"workload_aware", false, true,
     "vLLM's free queue by workload: of the oldest blocks the one least likely to be reused in time",
     "Wang et al. 2025, ATC '25 (arXiv 2506.02634)", make_workload_aware_cache},
    {"sglang_radix", false, true, "SGLang's radix tree: evicts the edge of the leaf that was accessed longest ago",
     "Zheng et al. 2024 (SGLang), RadixAttention", make_sglang_radix_cache},
};

}  // namespace

std::span<const TraceCacheInfo> trace_caches() { return trace_cache_table; }

const TraceCacheInfo* find_trace_cache(std::string_view name) {
  const auto at = std::ranges::find(trace_cache_table, name, &TraceCacheInfo::name);
  return at == std::end(trace_cache_table) ? nullptr : at;
}

std::string trace_cache_list() {
  std::string text;
  for (const TraceCacheInfo& info : trace_cache_table) text += (text.empty() ? "" : ", ") + std::string(info.name);
  return text;
}

}  // namespace kvantage::inline eviction
