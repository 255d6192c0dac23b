// A cache of weighted keys without contents that evicts what was touched longest ago.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <unordered_map>
#include <vector>

namespace kvantage {

class LruCache {
 public:
  static constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();
  explicit LruCache(std::uint64_t capacity) : capacity_(capacity) {}

  /// Touches `key`, holds it with `weight` from now on and evicts the least recently touched until all fits; a key that
  /// is heavier than the cache is not held. Gives the weight it was held with before, or nothing.
  std::optional<std::uint64_t> touch(std::uint64_t key, std::uint64_t weight);
  std::uint64_t held() const { return held_; }
  std::size_t keys() const { return places_.size(); }

 private:
  struct Node {
    std::uint64_t key = 0, weight = 0;
    std::uint32_t older = 0, newer = 0;
  };
  void link_newest(std::uint32_t node);
  void unlink(std::uint32_t node);
  void drop(std::uint32_t node);

  std::uint64_t capacity_, held_ = 0;
  std::vector<Node> nodes_{Node{}};  // 0 closes the ring: its newer is the oldest, its older the newest
  std::vector<std::uint32_t> free_;
  std::unordered_map<std::uint64_t, std::uint32_t> places_;
};

}  // namespace kvantage
