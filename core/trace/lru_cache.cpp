#include "core/trace/lru_cache.h"

#include <algorithm>

namespace kvantage::inline trace {

void LruCache::drop(std::uint32_t number) {
  entries_[number].held = false;
  held_ -= entries_[number].weight;
  --keys_;
}

std::optional<std::uint64_t> LruCache::touch(std::uint64_t key, std::uint64_t weight) {
  constexpr TouchOrder book;
  const std::uint32_t number = index_.number(key);
  if (number >= entries_.size()) {
    entries_.resize(std::max<std::size_t>(std::size_t{number} + 1, 2 * entries_.size()));
    order_.grow(entries_.size());
  }
  std::optional<std::uint64_t> before;
  if (entries_[number].held) {
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
  entries_[number] = {weight, true};
  held_ += weight;
  ++keys_;
  order_.add(number, book);
  return before;
}

}  // namespace kvantage::inline trace
