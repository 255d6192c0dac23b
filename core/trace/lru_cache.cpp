#include "core/trace/lru_cache.h"

namespace kvantage {

void LruCache::link_newest(std::uint32_t node) {
  const std::uint32_t newest = nodes_[0].older;
  nodes_[node].older = newest;
  nodes_[node].newer = 0;
  nodes_[newest].newer = node;
  nodes_[0].older = node;
}

void LruCache::unlink(std::uint32_t node) {
  nodes_[nodes_[node].older].newer = nodes_[node].newer;
  nodes_[nodes_[node].newer].older = nodes_[node].older;
}

void LruCache::drop(std::uint32_t node) {
  unlink(node);
  held_ -= nodes_[node].weight;
  places_.erase(nodes_[node].key);
  free_.push_back(node);
}

std::optional<std::uint64_t> LruCache::touch(std::uint64_t key, std::uint64_t weight) {
  std::optional<std::uint64_t> before;
  if (const auto found = places_.find(key); found != places_.end()) {
    const std::uint32_t node = found->second;
    before = nodes_[node].weight;
    if (*before == weight) {  // nothing to make room for
      unlink(node);
      link_newest(node);
      return before;
    }
    drop(node);
  }
  if (weight > capacity_) return before;
  while (capacity_ - weight < held_) drop(nodes_[0].newer);
  std::uint32_t node = 0;
  if (free_.empty()) {
    node = static_cast<std::uint32_t>(nodes_.size());
    nodes_.emplace_back();
  } else {
    node = free_.back();
    free_.pop_back();
  }
  nodes_[node].key = key;
  nodes_[node].weight = weight;
  places_.emplace(key, node);
  held_ += weight;
  link_newest(node);
  return before;
}

}  // namespace kvantage
