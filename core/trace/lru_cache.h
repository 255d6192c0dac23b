// An LRU cache of weighted keys without contents.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "core/eviction/key_index.h"
#include "core/eviction/lru.h"

namespace kvantage::inline trace {

class LruCache {
 public:
  static constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();
  explicit LruCache(std::uint64_t capacity) : capacity_(capacity) {}

  /// Touches `key`, stores it with `weight` and evicts the least recently touched until all fits; a key heavier than
  /// the cache is not stored. Returns its previous weight, or nothing.
  std::optional<std::uint64_t> touch(std::uint64_t key, std::uint64_t weight);
  std::uint64_t held() const { return held_; }
  std::size_t keys() const { return keys_; }

 private:
  struct TouchOrder {  // the book of core/eviction/order.h: the last touched is the newest
    static constexpr bool in_touch_order = true;
    static constexpr std::uint64_t touched(std::uint32_t) { return 0; }
  };
  struct Entry {
    std::uint64_t weight = 0;
    bool held = false;
  };
  void drop(std::uint32_t number);

  std::uint64_t capacity_, held_ = 0;
  std::size_t keys_ = 0;
  KeyIndex index_;
  LruOrder<> order_;
  std::vector<Entry> entries_;  // by number
};

}  // namespace kvantage::inline trace
