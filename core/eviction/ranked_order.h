// Orders that rank each entry on insertion and on each hit: the lowest rank is evicted first, ties broken by LRU.
#pragma once

#include <optional>

#include "core/eviction/order.h"
#include "core/eviction/ranked_heap.h"

namespace kvantage::inline eviction {

/// Derived has rank(key, book), and optionally evicted(rank).
template <class Derived, class Key>
class RankedOrder {
 public:
  void set_capacity(std::uint64_t) {}
  void grow(std::size_t keys) { heap_.grow(keys); }
  template <class Book>
  void announce(Key, const Book&) {}
  template <class Book>
  void add(Key key, const Book& book) {
    heap_.put(key, static_cast<const Derived*>(this)->rank(key, book), book.touched(key));
  }
  template <class Book>
  void add_from_above(Key key, const Book& book) {
    add(key, book);
  }
  template <class Book>
  void hit(Key key, const Book& book) {
    add(key, book);
  }
  template <class Book>
  void remove(Key key, const Book&) {
    heap_.remove(key);
  }
  template <class Pinned, class Book>
  std::optional<Key> take_victim(const Pinned& pinned, const Book&) {
    const auto first = heap_.first_free(pinned);
    if (!first) return std::nullopt;
    heap_.remove(first->key);
    static_cast<Derived*>(this)->evicted(first->rank);
    return first->key;
  }
  void evicted(double /*rank*/) {}

 private:
  RankedHeap<Key> heap_;
};

}  // namespace kvantage::inline eviction
