// Orders that rank each entry on insertion and on each hit: the lowest rank is evicted first, ties broken by LRU.
#pragma once

#include <optional>

#include "core/eviction/order.h"
#include "core/eviction/ranked_rings.h"

namespace kvantage::inline eviction {

/// Derived has rank(key, book), and optionally evicted(rank).
template <class Derived, class Key>
class RankedOrder {
 public:
  void set_capacity(std::uint64_t) {}
  void grow(std::size_t keys) { ranked_.grow(keys); }
  template <class Book>
  void announce(Key, const Book&) {}
  template <class Book>
  void add(Key key, const Book& book) {
    ranked_.put(key, static_cast<const Derived*>(this)->rank(key, book), book.touched(key));
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
    ranked_.remove(key);
  }
  template <class Pinned, class Book>
  std::optional<Key> take_victim(const Pinned& pinned, const Book& book) {
    const auto first = ranked_.first_free(pinned, [&](Key key) { return book.touched(key); });
    if (!first) return std::nullopt;
    ranked_.remove(first->key);
    static_cast<Derived*>(this)->evicted(first->rank);
    return first->key;
  }
  void evicted(double /*rank*/) {}

 private:
  RankedRings<Key> ranked_;
};

}  // namespace kvantage::inline eviction
