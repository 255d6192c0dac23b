// An eviction order picks the next victim of a full tier. Each is written once, as a class template over the key, and
// used by policies (slot_order.h), simulated caches (tiered_cache.h) and trace statistics (trace/lru_cache.h). To add
// one: a file NAME.cpp here that ends in KVANTAGE_DEFINE_EVICTION_ORDER, and one row in orders.inl.
//
// Keys are small numbers that are stable for the lifetime of the order; state is in arrays indexed by them. An order
// has value semantics: a copy is independent. It reads entry metadata from a book, which its caller keeps:
//     book.size(key)      in the unit of the capacity, the same from add() to remove()
//     book.touched(key)   counter of the last request
//     book.requests(key)  since the entry was last stored, including that one
//     book.gain(key)      requests * seconds that a hit saves / size
//     Book::in_touch_order  whether entries are added and hit in the order of their last request
// An order has:
//     static constexpr OrderTraits traits
//     set_capacity(size), grow(keys)
//     announce(key, book)        before space is freed for an incoming entry
//     add(key, book)             it enters
//     add_from_above(key, book)  the same, demoted from a faster tier: it may be older than direct arrivals
//     hit(key, book)             a request for an entry on this tier
//     remove(key, book)          removed without being a victim
//     take_victim(pinned, book)  removes the next victim; nothing when pinned(key) holds for all
#pragma once

#include <cstdint>

namespace kvantage::inline eviction {

struct OrderTraits {
  bool reads_requests = false;     // book.requests() or book.gain()
  bool reads_gain = false;         // book.gain()
  bool reads_tokens = false;       // kept tokens, policies only
  bool ages_by_touch = false;      // each touch has its own count, even within one request
  bool counts_hits_below = false;  // a hit counts even though it promotes the entry immediately
  bool newcomers_compete = false;  // an entry that enters a full tier may itself be the victim
};

/// For callers that pin nothing: the check is compiled out.
struct NothingPinned {
  constexpr bool operator()(std::uint32_t) const { return false; }
};

}  // namespace kvantage::inline eviction
