#include <algorithm>
#include <optional>
#include <vector>

#include "core/eviction/define_order.h"
#include "core/eviction/linked_ring.h"

namespace kvantage::inline eviction {
namespace {

/// W-TinyLFU (Einziger, Friedman and Manes, ACM Transactions on Storage 2017): newcomers enter an LRU window of a
/// hundredth of the tier. An entry that leaves the window competes with the next victim of the main part, a segmented
/// LRU with four fifths of it protected. The entry with more requests stays; on a tie the incumbent does. A hit on
/// probation promotes to protected; overflow of protected is demoted to probation.
/// Counts saturate at 15. All are halved each time that ten times as many requests came as the peak number of entries
/// (the paper's sample of W = 10 C). Keys are small numbers here, so counts are exact, one byte each, instead of the
/// paper's sketch. Sizes count: entries that leave the window enter the main part while it has space. An insertion
/// counts as a request.
template <class Key>
class WTinyLfuOrder {
 public:
  static constexpr OrderTraits traits{.counts_hits_below = true, .newcomers_compete = true};
  void set_capacity(std::uint64_t capacity) {
    capacity_ = capacity;
    window_.capacity = capacity / 100;
    protected_.capacity = static_cast<std::uint64_t>(static_cast<double>(capacity - window_.capacity) * 0.8);
  }
  void grow(std::size_t keys) {
    for (Segment* segment : {&window_, &probation_, &protected_}) segment->ring.grow(keys);
    places_.resize(keys, Place::nowhere);
    counts_.resize(keys, 0);
  }
  template <class Book>
  void announce(Key, const Book&) {}
  template <class Book>
  void add(Key key, const Book& book) {
    max_entries_ = std::max(max_entries_, ++entries_);
    count(key);
    push(Place::window, key, book);
    while (window_.size > window_.capacity && has_room(window_.ring.oldest(), book))
      move_to_main(window_.ring.oldest(), book);
  }
  template <class Book>
  void add_from_above(Key key, const Book& book) {
    add(key, book);
  }
  template <class Book>
  void hit(Key key, const Book& book) {
    count(key);
    if (places_[key] != Place::probation) return segment(places_[key]).ring.to_newest(key);
    take(key, book);
    push(Place::protection, key, book);
    while (protected_.size > protected_.capacity) {
      const Key oldest = protected_.ring.oldest();
      take(oldest, book);
      push(Place::probation, oldest, book);
    }
  }
  template <class Book>
  void remove(Key key, const Book& book) {
    take(key, book);
    --entries_;
  }
  template <class Pinned, class Book>
  std::optional<Key> take_victim(const Pinned& pinned, const Book& book) {
    while (window_.size > window_.capacity) {
      const auto candidate = window_.ring.oldest_free(pinned);
      if (!candidate) break;
      const bool fits = has_room(*candidate, book);
      const auto victim = main_victim(pinned);
      if (!fits && (!victim || counts_[*candidate] <= counts_[*victim])) return leaves(*candidate, book);
      move_to_main(*candidate, book);
      if (!fits) return leaves(*victim, book);
    }
    auto victim = main_victim(pinned);
    if (!victim) victim = window_.ring.oldest_free(pinned);
    return victim ? leaves(*victim, book) : std::nullopt;
  }

 private:
  static constexpr std::uint8_t max_count = 15;
  static constexpr std::uint64_t sample_factor = 10;
  enum class Place : std::uint8_t { nowhere, window, probation, protection };
  struct Segment {
    LinkedRing<Key> ring;
    std::uint64_t size = 0, capacity = 0;
  };

  Segment& segment(Place place) {
    return place == Place::window ? window_ : place == Place::probation ? probation_ : protected_;
  }
  void count(Key key) {
    if (counts_[key] < max_count) ++counts_[key];
    if (++sampled_ < sample_factor * max_entries_) return;
    for (std::uint8_t& counted : counts_) counted /= 2;
    sampled_ /= 2;
  }
  template <class Book>
  void push(Place place, Key key, const Book& book) {
    places_[key] = place;
    segment(place).ring.add_newest(key);
    segment(place).size += book.size(key);
  }
  template <class Book>
  void take(Key key, const Book& book) {
    Segment& from = segment(places_[key]);
    from.ring.remove(key);
    from.size -= book.size(key);
    places_[key] = Place::nowhere;
  }
  template <class Book>
  bool has_room(Key key, const Book& book) const {
    return probation_.size + protected_.size + book.size(key) <= capacity_ - window_.capacity;
  }
  template <class Book>
  void move_to_main(Key key, const Book& book) {
    take(key, book);
    push(Place::probation, key, book);
  }
  template <class Pinned>
  std::optional<Key> main_victim(const Pinned& pinned) const {
    const auto victim = probation_.ring.oldest_free(pinned);
    return victim ? victim : protected_.ring.oldest_free(pinned);
  }
  template <class Book>
  std::optional<Key> leaves(Key key, const Book& book) {
    remove(key, book);
    return key;
  }

  Segment window_, probation_, protected_;
  std::vector<Place> places_;
  std::vector<std::uint8_t> counts_;
  std::uint64_t capacity_ = 0, entries_ = 0, max_entries_ = 0, sampled_ = 0;
};

}  // namespace

KVANTAGE_DEFINE_EVICTION_ORDER(w_tinylfu, WTinyLfuOrder)

}  // namespace kvantage::inline eviction
