#include <algorithm>
#include <optional>
#include <vector>

#include "core/eviction/define_order.h"
#include "core/eviction/linked_ring.h"

namespace kvantage::inline eviction {
namespace {

/// S3-FIFO (Yang et al., SOSP 2023), as libCacheSim's S3-FIFO: newcomers enter a small queue of a tenth of the tier.
/// Entries with two hits there move to the main queue; the others are evicted and kept as ghosts, up to nine tenths of
/// the tier. A ghost that returns enters the main queue, which reinserts an entry for each of up to three hits.
/// Newcomers also fill the main queue until the first eviction. Unlike in libCacheSim, entries larger than the small
/// queue are admitted.
template <class Key>
class S3FifoOrder {
 public:
  static constexpr OrderTraits traits{};
  void set_capacity(std::uint64_t capacity) {
    small_.capacity = static_cast<std::uint64_t>(static_cast<double>(capacity) * 0.1);
    main_.capacity = capacity - small_.capacity;
    ghost_.capacity = static_cast<std::uint64_t>(static_cast<double>(capacity) * 0.9);
  }
  void grow(std::size_t keys) {
    for (Queue* queue : {&small_, &main_, &ghost_}) queue->ring.grow(keys);
    items_.resize(keys);
    ghost_sizes_.resize(keys, 0);
  }
  template <class Book>
  void announce(Key key, const Book&) {
    Item& item = items_[key];
    item.returns = item.remembered;
    if (item.remembered) forget(key);
  }
  template <class Book>
  void add(Key key, const Book& book) {
    Item& item = items_[key];
    item.uses = 0;
    const bool filling = !has_evicted_ && small_.size >= small_.capacity;
    push(item.returns || filling ? Where::main : Where::small, key, book);
    item.returns = false;
  }
  template <class Book>
  void add_from_above(Key key, const Book& book) {
    add(key, book);
  }
  template <class Book>
  void hit(Key key, const Book&) {
    if (items_[key].uses < max_turns) ++items_[key].uses;
  }
  template <class Book>
  void remove(Key key, const Book& book) {
    Queue& from = items_[key].where == Where::small ? small_ : main_;
    from.ring.remove(key);
    from.size -= book.size(key);
    --from.count;
    items_[key].where = Where::nowhere;
  }
  template <class Pinned, class Book>
  std::optional<Key> take_victim(const Pinned& pinned, const Book& book) {
    has_evicted_ = true;
    const bool from_main = main_.size > main_.capacity || small_.count == 0;
    const auto victim = from_main ? take_main(pinned, book) : take_small(pinned, book);
    if (victim) return victim;
    // That queue is fully pinned, or all entries of the small queue have moved to the main queue.
    return from_main ? take_small(pinned, book) : take_main(pinned, book);
  }

 private:
  static constexpr std::uint8_t max_turns = 3;
  enum class Where : std::uint8_t { nowhere, small, main };
  struct Item {
    Where where = Where::nowhere;
    std::uint8_t uses = 0;
    bool returns = false, remembered = false;
  };
  struct Queue {
    LinkedRing<Key> ring;
    std::uint64_t size = 0, capacity = 0;
    std::size_t count = 0;
  };

  template <class Book>
  void push(Where where, Key key, const Book& book) {
    items_[key].where = where;
    Queue& queue = where == Where::small ? small_ : main_;
    queue.ring.add_newest(key);
    queue.size += book.size(key);
    ++queue.count;
  }
  template <class Pinned, class Book>
  std::optional<Key> take_small(const Pinned& pinned, const Book& book) {
    for (std::size_t left = small_.count; left > 0; --left) {
      const Key key = small_.ring.oldest();
      if (pinned(key)) {
        small_.ring.to_newest(key);
        continue;
      }
      remove(key, book);
      if (items_[key].uses < 2) {
        remember(key, book.size(key));
        return key;
      }
      items_[key].uses = 0;
      push(Where::main, key, book);
    }
    return std::nullopt;
  }
  template <class Pinned, class Book>
  std::optional<Key> take_main(const Pinned& pinned, const Book& book) {
    // Every entry may have reinsertions left; after that, all of them are pinned.
    for (std::size_t left = (max_turns + 2) * main_.count; left > 0; --left) {
      const Key key = main_.ring.oldest();
      std::uint8_t& uses = items_[key].uses;
      if (uses == 0 && !pinned(key)) {
        remove(key, book);
        return key;
      }
      if (uses > 0) --uses;
      main_.ring.to_newest(key);
    }
    return std::nullopt;
  }
  void remember(Key key, std::uint64_t size) {
    if (size > ghost_.capacity) return;
    if (items_[key].remembered) forget(key);
    while (ghost_.size + size > ghost_.capacity && !ghost_.ring.empty()) forget(ghost_.ring.oldest());
    ghost_sizes_[key] = size;
    ghost_.size += size;
    items_[key].remembered = true;
    ghost_.ring.add_newest(key);
  }
  void forget(Key key) {
    ghost_.ring.remove(key);
    ghost_.size -= ghost_sizes_[key];
    items_[key].remembered = false;
  }

  Queue small_, main_, ghost_;
  std::vector<Item> items_;
  std::vector<std::uint64_t> ghost_sizes_;  // size at eviction
  bool has_evicted_ = false;
};

}  // namespace

KVANTAGE_DEFINE_EVICTION_ORDER(s3fifo, S3FifoOrder)

}  // namespace kvantage::inline eviction
