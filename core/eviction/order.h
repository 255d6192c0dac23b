// An order of eviction says who leaves a full tier next. Each is written once, as a class template over the key, and
// used by policies (slot_order.h), by simulated caches (tiered_cache.h) and by trace statistics (trace/lru_cache.h).
// To add one: a file NAME.cpp here that ends in KVANTAGE_DEFINE_EVICTION_ORDER, and one row in orders.inl.
//
// Keys are small numbers that stay the same for as long as the order lives; state is in arrays over them. An order is a
// value: a copy goes on by itself. What it may weigh about an entry it asks of a book, which its caller keeps:
//     book.size(key)      in the unit of the capacity, the same from add() to remove()
//     book.touched(key)   counter of the last request
//     book.requests(key)  since the entry was last stored, that one included
//     book.gain(key)      requests * seconds that a hit saves / size
//     Book::in_touch_order  whether entries are added and hit in the order of their last request
// An order has:
//     static constexpr OrderTraits traits
//     set_capacity(size), grow(keys)
//     announce(key, book)        before room is made for an entry that is about to enter
//     add(key, book)             it enters
//     add_from_above(key, book)  the same, out of a faster tier: it may be older than what entered here at once
//     hit(key, book)             a request for an entry on this tier
//     remove(key, book)          it leaves without being a victim
//     take_victim(pinned, book)  takes the next one out; nothing when pinned(key) holds for all
#pragma once

#include <cstdint>

namespace kvantage {

struct OrderTraits {
  bool reads_requests = false;     // book.requests() or book.gain()
  bool reads_gain = false;         // book.gain()
  bool reads_tokens = false;       // kept tokens, of policies alone
  bool ages_by_touch = false;      // each touch has its own count, those of one request as well
  bool counts_hits_below = false;  // a hit counts although it brings the entry to a faster tier at once
  bool newcomers_compete = false;  // an entry that enters a full tier may itself be the victim
};

/// For callers that pin nothing: the check is compiled out.
struct NothingPinned {
  constexpr bool operator()(std::uint32_t) const { return false; }
};

}  // namespace kvantage
