// An indexed binary heap over small numbers: lowest rank first, then the lowest tie, then the lowest number.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace kvantage::inline eviction {

/// Key: an unsigned number below the size given to grow().
template <class Key = std::uint32_t>
class RankedHeap {
 public:
  struct Item {
    double rank = 0;
    std::uint64_t tie = 0;
    Key key = 0;
    bool before(const Item& other) const {
      if (rank != other.rank) return rank < other.rank;
      return tie != other.tie ? tie < other.tie : key < other.key;
    }
  };

  void grow(std::size_t keys) { places_.resize(keys, absent); }
  bool empty() const { return heap_.empty(); }
  bool holds(Key key) const { return key < places_.size() && places_[key] != absent; }
  /// Inserts a key, or moves it to its new rank.
  void put(Key key, double rank, std::uint64_t tie) {
    const Item item{rank, tie, key};
    std::size_t at = places_[key];
    if (at == absent) {
      at = heap_.size();
      heap_.push_back(item);
      up(at, item);
    } else if (item.before(heap_[at])) {
      up(at, item);
    } else {
      down(at, item);
    }
  }
  void remove(Key key) {
    const std::size_t at = places_[key];
    places_[key] = absent;
    const Item last = heap_.back();
    heap_.pop_back();
    if (at == heap_.size()) return;
    if (at > 0 && last.before(heap_[(at - 1) / 2])) {
      up(at, last);
    } else {
      down(at, last);
    }
  }
  /// The first unpinned key; it stays in the heap.
  template <class Pinned>
  std::optional<Item> first_free(const Pinned& pinned) {
    if (heap_.empty()) return std::nullopt;
    if (!pinned(heap_.front().key)) return heap_.front();
    std::vector<Item> aside;
    std::optional<Item> first;
    while (!heap_.empty() && !first) {
      const Item item = heap_.front();
      if (pinned(item.key)) {
        aside.push_back(item);
        remove(item.key);
      } else {
        first = item;
      }
    }
    for (const Item& item : aside) put(item.key, item.rank, item.tie);
    return first;
  }

 private:
  static constexpr std::uint32_t absent = std::numeric_limits<std::uint32_t>::max();
  void settle(std::size_t at, const Item& item) {
    heap_[at] = item;
    places_[item.key] = static_cast<std::uint32_t>(at);
  }
  void up(std::size_t at, const Item& item) {
    while (at > 0) {
      const std::size_t parent = (at - 1) / 2;
      if (!item.before(heap_[parent])) break;
      settle(at, heap_[parent]);
      at = parent;
    }
    settle(at, item);
  }
  void down(std::size_t at, const Item& item) {
    for (;;) {
      std::size_t child = 2 * at + 1;
      if (child >= heap_.size()) break;
      if (child + 1 < heap_.size() && heap_[child + 1].before(heap_[child])) ++child;
      if (!heap_[child].before(item)) break;
      settle(at, heap_[child]);
      at = child;
    }
    settle(at, item);
  }

  std::vector<Item> heap_;
  std::vector<std::uint32_t> places_;
};

}  // namespace kvantage::inline eviction
