// The order of ranked_heap.h for ranks that many keys share, as counts of requests are: such keys wait in one ring, and
// only rings are compared by rank.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "core/base/random.h"
#include "core/eviction/ranked_heap.h"

namespace kvantage::inline eviction {

/// Keys are those of RankedHeap. A rank that recurs has a ring, from oldest to newest. A key
/// that would enter a ring out of order, or whose rank was not seen lately, is in a heap of single keys: put() and
/// remove() are at most logarithmic in the number of keys. first_free() also passes each pinned key that is in front of
/// the first free one of its ring or of the heap.
template <class Key = std::uint32_t>
class RankedRings {
 public:
  using Item = typename RankedHeap<Key>::Item;

  RankedRings() { by_rank_.grow(rings_.size()); }
  void grow(std::size_t keys) {
    nodes_.resize(keys);
    single_.grow(keys);
  }
  /// Inserts a key, or moves it to its new rank.
  void put(Key key, double rank, std::uint64_t tie) {
    if (nodes_[key].place < all_rings) unlink(key);
    const std::uint32_t ring = ring_of(rank);
    if (ring == nowhere || !is_in_order(rings_[ring], key, tie)) {
      nodes_[key].place = in_heap;
      return single_.put(key, rank, tie);
    }
    if (nodes_[key].place == in_heap) single_.remove(key);
    append(key, ring, tie);
  }
  void remove(Key key) {
    if (nodes_[key].place == in_heap) {
      single_.remove(key);
    } else {
      unlink(key);
    }
    nodes_[key].place = nowhere;
  }
  /// The first unpinned key; it stays. `tie_of(key)` returns the tie that the key was put with.
  template <class Pinned, class TieOf>
  std::optional<Item> first_free(const Pinned& pinned, const TieOf& tie_of) {
    const auto single = single_.first_free(pinned);
    Key key = none;  // the last ring that is asked for is the one that is found
    const auto ring = by_rank_.first_free([&](std::uint32_t number) {
      key = oldest_free(rings_[number], pinned);
      return key == none;
    });
    if (!ring) return single;
    const Item first{ring->rank, tie_of(key), key};
    if (single && single->before(first)) return single;
    return first;
  }

 private:
  // A rank belongs to one of four rings of a set, as in a processor's cache.
  static constexpr std::uint32_t sets = 128, ways = 4, all_rings = sets * ways;
  static constexpr std::uint32_t nowhere = 0xffffffffU, in_heap = nowhere - 1;
  static constexpr Key none = std::numeric_limits<Key>::max();
  struct Node {
    Key older = none, newer = none;
    std::uint32_t place = nowhere;  // or the ring, or in_heap
  };
  struct Ring {
    double rank = std::numeric_limits<double>::quiet_NaN();  // of an empty one: seen lately
    std::uint64_t last_tie = 0;                              // no key in it has a later one
    Key oldest = none, newest = none;
    bool empty() const { return oldest == none; }
  };

  /// The ring of a rank that was seen before. Otherwise nothing, and a free ring notes the rank: a rank that only one
  /// key has needs no ring.
  std::uint32_t ring_of(double rank) {
    if (rings_[recent_].rank == rank) return recent_;
    // Adding 0 gives both zeros the same bits.
    const auto set = static_cast<std::uint32_t>(mixed_bits(std::bit_cast<std::uint64_t>(rank + 0.0)) % sets) * ways;
    for (std::uint32_t ring = set; ring < set + ways; ++ring)
      if (rings_[ring].rank == rank) return ring;
    for (std::uint32_t i = 0; i < ways; ++i) {
      Ring& ring = rings_[set + ++turn_ % ways];
      if (!ring.empty()) continue;
      ring.rank = rank;
      break;
    }
    return nowhere;
  }
  static bool is_in_order(const Ring& ring, Key key, std::uint64_t tie) {
    return ring.empty() || tie > ring.last_tie || (tie == ring.last_tie && key > ring.newest);
  }
  void append(Key key, std::uint32_t number, std::uint64_t tie) {
    Ring& ring = rings_[number];
    nodes_[key] = {ring.newest, none, number};
    if (ring.empty()) {
      ring.oldest = key;
      by_rank_.put(number, ring.rank, 0);
    } else {
      nodes_[ring.newest].newer = key;
    }
    ring.newest = key;
    ring.last_tie = tie;
    recent_ = number;
  }
  void unlink(Key key) {
    const Node node = nodes_[key];
    Ring& ring = rings_[node.place];
    (node.older == none ? ring.oldest : nodes_[node.older].newer) = node.newer;
    (node.newer == none ? ring.newest : nodes_[node.newer].older) = node.older;
    if (ring.empty()) by_rank_.remove(node.place);
  }
  template <class Pinned>
  Key oldest_free(const Ring& ring, const Pinned& pinned) const {
    Key key = ring.oldest;
    while (key != none && pinned(key)) key = nodes_[key].newer;
    return key;
  }

  std::vector<Node> nodes_;  // by key
  std::vector<Ring> rings_ = std::vector<Ring>(all_rings);
  RankedHeap<std::uint32_t> by_rank_;  // of rings that are not empty
  RankedHeap<Key> single_;
  std::uint32_t recent_ = 0, turn_ = 0;
};

}  // namespace kvantage::inline eviction
