#include "core/trace/lru_cache.h"

#include <algorithm>

namespace kvantage::inline trace {

void LruCache::store(std::uint64_t key, std::uint64_t weight) {
  if (unassigned_.empty()) {
    const std::size_t before = entries_.size();
    entries_.resize(std::max<std::size_t>(64, 2 * before));
    order_.grow(entries_.size());
    for (std::size_t number = entries_.size(); number > before; --number)
      unassigned_.push_back(static_cast<std::uint32_t>(number - 1));
  }
  const std::uint32_t number = unassigned_.back();
  unassigned_.pop_back();
  entries_[number] = {key, weight};
  numbers_.emplace(key, number);
  held_ += weight;
  order_.add(number, TouchOrder());
}

void LruCache::drop(std::uint32_t number) {
  held_ -= entries_[number].weight;
  numbers_.erase(entries_[number].key);
  unassigned_.push_back(number);
}

std::optional<std::uint64_t> LruCache::touch(std::uint64_t key, std::uint64_t weight) {
  constexpr TouchOrder book;
  std::optional<std::uint64_t> before;
  if (const auto at = numbers_.find(key); at != numbers_.end()) {
    const std::uint32_t number = at->second;
    before = entries_[number].weight;
    if (*before == weight) {  // no eviction needed
      order_.hit(number, book);
      return before;
    }
    order_.remove(number, book);
    drop(number);
  }
  if (weight > capacity_) return before;
  while (capacity_ - weight < held_) drop(*order_.take_victim(NothingPinned{}, book));
  store(key, weight);
  return before;
}

}  // namespace kvantage::inline trace
