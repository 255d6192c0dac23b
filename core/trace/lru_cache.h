// An LRU cache of weighted keys without contents.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "core/base/seeded_hash.h"
#include "core/eviction/lru.h"

namespace kvantage::inline trace {

/// Memory grows with the keys held, not with those touched.
class LruCache {
 public:
  static constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();
  explicit LruCache(std::uint64_t capacity) : capacity_(capacity) {}

  /// Touches `key`, stores it with `weight` and evicts the least recently touched until all fits; a key heavier than
  /// the cache is not stored. Returns its previous weight, or nothing.
  std::optional<std::uint64_t> touch(std::uint64_t key, std::uint64_t weight);
  std::uint64_t held() const { return held_; }
  std::size_t keys() const { return numbers_.size(); }

 private:
  struct TouchOrder {  // the book of core/eviction/order.h: the last touched is the newest
    static constexpr bool in_touch_order = true;
    static constexpr std::uint64_t touched(std::uint32_t) { return 0; }
  };
  struct Entry {
    std::uint64_t key = 0, weight = 0;
  };
  void store(std::uint64_t key, std::uint64_t weight);
  void drop(std::uint32_t number);

  std::uint64_t capacity_, held_ = 0;
  SeededMap<std::uint64_t, std::uint32_t> numbers_;  // of the keys held
  LruOrder<> order_;
  std::vector<Entry> entries_;             // by number
  std::vector<std::uint32_t> unassigned_;  // numbers below entries_.size() that no key has
};

}  // namespace kvantage::inline trace
