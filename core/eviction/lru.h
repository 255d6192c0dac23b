// Least recently used. Entries that arrive in the order of their last request go into a ring. Older ones demoted from a
// faster tier go into a heap, so that each operation is at most logarithmic in the number of entries.
#pragma once

#include <optional>

#include "core/eviction/linked_ring.h"
#include "core/eviction/order.h"
#include "core/eviction/ranked_heap.h"

namespace kvantage::inline eviction {

template <class Key = std::uint32_t>
class LruOrder {
 public:
  static constexpr OrderTraits traits{.ages_by_touch = true};
  void set_capacity(std::uint64_t) {}
  void grow(std::size_t keys) {
    keys_ = keys;
    ring_.grow(keys);
  }
  template <class Book>
  void announce(Key, const Book&) {}
  template <class Book>
  void add(Key key, const Book& book) {
    if constexpr (Book::in_touch_order) {
      ring_.add_newest(key);
    } else {
      add_from_above(key, book);
    }
  }
  template <class Book>
  void add_from_above(Key key, const Book& book) {
    if (ring_.empty() || older(ring_.newest(), key, book)) return ring_.add_newest(key);
    late_.grow(keys_);
    late_.put(key, 0, book.touched(key));
  }
  template <class Book>
  void hit(Key key, const Book& book) {
    if constexpr (Book::in_touch_order) {
      if (!is_late(key)) return ring_.to_newest(key);
    }
    remove(key, book);
    add(key, book);
  }
  template <class Book>
  void remove(Key key, const Book&) {
    if (is_late(key)) return late_.remove(key);
    ring_.remove(key);
  }
  template <class Pinned, class Book>
  std::optional<Key> take_victim(const Pinned& pinned, const Book& book) {
    std::optional<Key> victim = ring_.oldest_free(pinned);
    if (!late_.empty()) {
      const auto late = late_.first_free(pinned);
      if (late && (!victim || older(late->key, *victim, book))) victim = late->key;
    }
    if (victim) remove(*victim, book);
    return victim;
  }

 private:
  bool is_late(Key key) const { return !late_.empty() && late_.holds(key); }
  /// Ordered by the count of the last request; contexts never requested are ordered by their number.
  template <class Book>
  static bool older(Key a, Key b, const Book& book) {
    return book.touched(a) != book.touched(b) ? book.touched(a) < book.touched(b) : a < b;
  }

  LinkedRing<Key> ring_;
  RankedHeap<Key> late_;
  std::size_t keys_ = 0;
};

}  // namespace kvantage::inline eviction
