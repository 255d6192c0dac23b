#include <optional>

#include "core/eviction/define_order.h"
#include "core/eviction/linked_ring.h"

namespace kvantage::inline eviction {
namespace {

/// First in, first out.
template <class Key>
class FifoOrder {
 public:
  static constexpr OrderTraits traits{};
  void set_capacity(std::uint64_t) {}
  void grow(std::size_t keys) { ring_.grow(keys); }
  template <class Book>
  void announce(Key, const Book&) {}
  template <class Book>
  void add(Key key, const Book&) {
    ring_.add_newest(key);
  }
  template <class Book>
  void add_from_above(Key key, const Book&) {
    ring_.add_newest(key);
  }
  template <class Book>
  void hit(Key, const Book&) {}
  template <class Book>
  void remove(Key key, const Book&) {
    ring_.remove(key);
  }
  template <class Pinned, class Book>
  std::optional<Key> take_victim(const Pinned& pinned, const Book&) {
    const auto victim = ring_.oldest_free(pinned);
    if (victim) ring_.remove(*victim);
    return victim;
  }

 private:
  LinkedRing<Key> ring_;
};

}  // namespace

KVANTAGE_DEFINE_EVICTION_ORDER(fifo, FifoOrder)

}  // namespace kvantage::inline eviction
