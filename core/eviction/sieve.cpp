#include <optional>
#include <vector>

#include "core/eviction/define_order.h"
#include "core/eviction/linked_ring.h"

namespace kvantage::inline eviction {
namespace {

/// SIEVE (Zhang et al., NSDI 2024, algorithm 1), as libCacheSim's Sieve: one queue in insertion order; a hit marks an
/// entry in place. A hand moves from the oldest to the newest and wraps around. It clears marks, evicts the first
/// unmarked entry and stays there. It skips pinned entries and leaves their marks.
template <class Key>
class SieveOrder {
 public:
  static constexpr OrderTraits traits{};
  void set_capacity(std::uint64_t) {}
  void grow(std::size_t keys) {
    queue_.grow(keys);
    marked_.resize(keys, 0);
  }
  template <class Book>
  void announce(Key, const Book&) {}
  template <class Book>
  void add(Key key, const Book&) {
    queue_.add_newest(key);
    ++count_;
    marked_[key] = 0;
  }
  template <class Book>
  void add_from_above(Key key, const Book& book) {
    add(key, book);
  }
  template <class Book>
  void hit(Key key, const Book&) {
    marked_[key] = 1;
  }
  template <class Book>
  void remove(Key key, const Book&) {
    if (hand_ == key) hand_ = queue_.newer(key);
    queue_.remove(key);
    --count_;
  }
  template <class Pinned, class Book>
  std::optional<Key> take_victim(const Pinned& pinned, const Book& book) {
    // The first lap clears every mark; the second one finds an unpinned entry.
    for (std::size_t left = 2 * count_; left > 0; --left) {
      const Key key = hand_.value_or(queue_.oldest());
      if (!pinned(key)) {
        if (marked_[key] == 0) {
          hand_ = key;
          remove(key, book);
          return key;
        }
        marked_[key] = 0;
      }
      hand_ = queue_.newer(key);
    }
    return std::nullopt;
  }

 private:
  LinkedRing<Key> queue_;
  std::vector<std::uint8_t> marked_;
  std::optional<Key> hand_;  // nothing: at the oldest entry
  std::size_t count_ = 0;
};

}  // namespace

KVANTAGE_DEFINE_EVICTION_ORDER(sieve, SieveOrder)

}  // namespace kvantage::inline eviction
