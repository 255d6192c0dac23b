#include <algorithm>
#include <optional>
#include <vector>

#include "core/eviction/define_order.h"
#include "core/eviction/linked_ring.h"

namespace kvantage::inline eviction {
namespace {

/// ARC (Megiddo and Modha, FAST 2003, figure 4), as in the paper. T1 holds entries with one request, T2 the others,
/// both in LRU order; B1 and B2 are their ghost lists. A newcomer found in a ghost list enters T2 and moves the target
/// p of T1: up on a hit in B1, down in B2. T1 supplies the next victim while it is larger than p. Entries have sizes
/// here: every length is a sum of sizes, and p moves by the newcomer's size times the paper's ratio. With equal sizes
/// it is the paper's algorithm. (libCacheSim moves p by one byte at a time.)
template <class Key>
class ArcOrder {
 public:
  static constexpr OrderTraits traits{};
  void set_capacity(std::uint64_t capacity) {
    capacity_ = capacity;
    target_ = std::min(target_, static_cast<double>(capacity));
  }
  void grow(std::size_t keys) {
    for (List& list : lists_) list.ring.grow(keys);
    items_.resize(keys);
  }
  template <class Book>
  void announce(Key key, const Book& book) {
    const double size = static_cast<double>(book.size(key)), once = static_cast<double>(lists_[b1].size),
                 often = static_cast<double>(lists_[b2].size);
    incoming_ = book.size(key);
    found_ = items_[key].place;
    if (found_ == b1) target_ = std::min(target_ + size * std::max(often / once, 1.0), static_cast<double>(capacity_));
    if (found_ == b2) target_ = std::max(target_ - size * std::max(once / often, 1.0), 0.0);
    if (found_ != nowhere) return take(key);
    if (first_time() + incoming_ > capacity_) {
      while (first_time() + incoming_ > capacity_ && !lists_[b1].ring.empty()) take(lists_[b1].ring.oldest());
    } else {
      while (first_time() + lists_[t2].size + lists_[b2].size + incoming_ > 2 * capacity_ && !lists_[b2].ring.empty())
        take(lists_[b2].ring.oldest());
    }
  }
  template <class Book>
  void add(Key key, const Book& book) {
    if (items_[key].place != nowhere) take(key);  // in a ghost list, and back without an announce()
    put(found_ == nowhere ? t1 : t2, key, book.size(key));
    found_ = nowhere;
    incoming_ = 0;
  }
  template <class Book>
  void add_from_above(Key key, const Book& book) {
    add(key, book);
  }
  template <class Book>
  void hit(Key key, const Book& book) {
    take(key);
    put(t2, key, book.size(key));
  }
  template <class Book>
  void remove(Key key, const Book&) {
    take(key);
  }
  template <class Pinned, class Book>
  std::optional<Key> take_victim(const Pinned& pinned, const Book&) {
    // T1 alone fills the cache with single-request entries: the oldest is evicted without a ghost entry.
    if (found_ == nowhere && incoming_ > 0 && first_time() + incoming_ > capacity_)
      if (const auto victim = lists_[t1].ring.oldest_free(pinned)) {
        take(*victim);
        return victim;
      }
    const auto first = static_cast<double>(lists_[t1].size);
    const Place from = first > target_ || (first == target_ && found_ == b2) ? t1 : t2;
    for (const Place place : {from, from == t1 ? t2 : t1})
      if (const auto victim = lists_[place].ring.oldest_free(pinned)) {
        const std::uint64_t size = items_[*victim].size;
        take(*victim);
        put(place == t1 ? b1 : b2, *victim, size);
        return victim;
      }
    return std::nullopt;
  }

 private:
  enum Place : std::uint8_t { t1, t2, b1, b2, nowhere };
  struct Item {
    std::uint64_t size = 0;
    Place place = nowhere;
  };
  struct List {
    LinkedRing<Key> ring;
    std::uint64_t size = 0;
  };

  std::uint64_t first_time() const { return lists_[t1].size + lists_[b1].size; }
  void put(Place place, Key key, std::uint64_t size) {
    items_[key] = {size, place};
    lists_[place].ring.add_newest(key);
    lists_[place].size += size;
  }
  void take(Key key) {
    List& from = lists_[items_[key].place];
    from.ring.remove(key);
    from.size -= items_[key].size;
    items_[key].place = nowhere;
  }

  List lists_[4];  // by place
  std::vector<Item> items_;
  std::uint64_t capacity_ = 0, incoming_ = 0;
  double target_ = 0;
  Place found_ = nowhere;  // which ghost list held the newcomer
};

}  // namespace

KVANTAGE_DEFINE_EVICTION_ORDER(arc, ArcOrder)

}  // namespace kvantage::inline eviction
