#include "core/trace/prefix_lru.h"

#include <algorithm>

namespace kvantage::inline trace {

std::uint64_t PrefixLru::touch(std::span<const std::uint64_t> blocks) {
  std::uint64_t hits = 0;
  bool unbroken = true;
  for (const std::uint64_t block : blocks) {
    unbroken = cache_.touch(block, 1).has_value() && unbroken;
    if (unbroken) ++hits;
  }
  counts_.hits += hits;
  counts_.all += blocks.size();
  return hits;
}

std::uint64_t ContextLru::touch(std::uint64_t context, std::uint64_t blocks) {
  const std::uint64_t hits = std::min(cache_.touch(context, blocks).value_or(0), blocks);
  counts_.hits += hits;
  counts_.all += blocks;
  return hits;
}

}  // namespace kvantage::inline trace
