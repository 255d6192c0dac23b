// The cache of simulated_cache.h for one order, so that the per-block calls are inlined.
#pragma once

#include <algorithm>

#include "core/eviction/key_index.h"
#include "core/eviction/order.h"
#include "core/eviction/simulated_cache.h"

namespace kvantage::inline eviction {

/// Metadata of the entries of a simulated cache, by number.
struct NumberBook {
  std::vector<std::uint64_t> sizes;     // in the unit of the tiers; empty: all 1
  std::vector<std::uint64_t> touched;   // count of the last touch
  std::vector<std::uint32_t> requests;  // since it was last stored
  std::vector<double> saved_seconds;    // [number][tier], by a hit there; empty: equal to its size
  std::size_t tiers = 1;

  std::uint64_t size(std::uint32_t number) const { return sizes.empty() ? 1 : sizes[number]; }
  double saved_per_size(std::uint32_t number, std::size_t tier) const {
    return saved_seconds.empty()
               ? 1
               : saved_seconds[number * tiers + tier] / static_cast<double>(std::max<std::uint64_t>(size(number), 1));
  }
};

/// The book of order.h for one tier.
struct TierBook {
  static constexpr bool in_touch_order = true;
  const NumberBook& book;
  std::size_t tier;
  std::uint64_t size(std::uint32_t number) const { return book.size(number); }
  std::uint64_t touched(std::uint32_t number) const { return book.touched[number]; }
  std::uint64_t requests(std::uint32_t number) const { return book.requests[number]; }
  double gain(std::uint32_t number) const { return book.requests[number] * book.saved_per_size(number, tier); }
};

template <class Order>
class TieredCache final : public SimulatedCache {
 public:
  explicit TieredCache(std::span<const std::uint64_t> capacities) {
    for (const std::uint64_t capacity : capacities) tiers_.push_back({capacity, 0, 0, {}});
    book_.tiers = tiers_.size();
    for (Tier& tier : tiers_) tier.order.set_capacity(tier.capacity);
    notes_touches_ = tiers_.size() > 1 || traits.reads_requests;
    grow();
  }

  void touch_blocks(std::span<const std::uint64_t> blocks, Reuse& reuse) override {
    ++now_;
    bool unbroken = true;
    std::uint32_t number = last_;
    for (const std::uint64_t block : blocks) {
      number = numbered(block, number + 1);
      const std::uint8_t tier = places_[number];
      unbroken = unbroken && tier != outside;
      if (unbroken) {
        ++reuse.units[tier];
        ++reuse.all;
      }
      note(number);
      if (tier == 0) {
        tiers_[0].order.hit(number, book_of(0));
      } else {
        enter(number, tier, 1);
      }
    }
    last_ = number;
  }

  void touch_context(std::uint64_t context, std::uint64_t size, std::span<const double> saved_seconds,
                     Reuse& reuse) override {
    ++now_;
    const std::uint32_t number = numbered(context, KeyIndex::none);
    if (book_.sizes.size() < places_.size()) book_.sizes.resize(room_, 0);
    const std::uint8_t tier = places_[number];
    note(number);
    const std::uint64_t before = book_.sizes[number];
    if (tier != outside) {
      reuse.units[tier] = before;
      reuse.all = before;
    }
    if constexpr (traits.reads_gain) {
      if (book_.saved_seconds.size() < room_ * tiers_.size()) book_.saved_seconds.resize(room_ * tiers_.size(), 0);
      for (std::size_t t = 0; t < tiers_.size(); ++t)
        book_.saved_seconds[number * tiers_.size() + t] =
            saved_seconds.empty() ? static_cast<double>(size) : saved_seconds[t];
    }
    if (tier == 0 && before == size) {
      tiers_[0].order.hit(number, book_of(0));
      return;
    }
    enter(number, tier, size);
  }

  std::uint64_t held(std::size_t tier) const override { return tiers_[tier].held; }
  std::uint64_t written(std::size_t tier) const override { return tiers_[tier].written; }
  std::uint64_t distinct() const override { return index_.size(); }

 private:
  static constexpr std::uint8_t outside = 0xff;
  static constexpr OrderTraits traits = Order::traits;
  struct Tier {
    std::uint64_t capacity, held, written;
    Order order;
  };

  std::uint32_t numbered(std::uint64_t key, std::uint32_t due) {
    const std::uint32_t number = index_.number(key, due);
    if (number >= room_) grow();
    return number;
  }
  void grow() {
    room_ = room_ * 2;
    places_.resize(room_, outside);
    for (Tier& tier : tiers_) tier.order.grow(room_);
    if (notes_touches_) book_.touched.resize(room_, 0);
    if constexpr (traits.reads_requests) book_.requests.resize(room_, 0);
  }
  TierBook book_of(std::size_t tier) const { return {book_, tier}; }
  void note(std::uint32_t number) {
    if constexpr (traits.ages_by_touch) ++now_;
    if (notes_touches_) book_.touched[number] = now_;
    if constexpr (traits.reads_requests) ++book_.requests[number];
  }

  /// Promotes an entry to the top with a new size, from `tier` or from outside.
  void enter(std::uint32_t number, std::uint8_t tier, std::uint64_t size) {
    if (tier != outside) {
      if constexpr (traits.counts_hits_below) tiers_[tier].order.hit(number, book_of(tier));
      tiers_[tier].order.remove(number, book_of(tier));
      tiers_[tier].held -= book_.size(number);
      places_[number] = outside;
    }
    if (!book_.sizes.empty()) book_.sizes[number] = size;
    place(number, size, 0);
  }
  void place(std::uint32_t number, std::uint64_t size, std::size_t from) {
    for (std::size_t t = from; t < tiers_.size(); ++t) {
      Tier& tier = tiers_[t];
      if (size > tier.capacity) continue;
      tier.order.announce(number, book_of(t));
      if constexpr (traits.newcomers_compete) {
        settle(number, size, t, from);
        while (tier.capacity < tier.held) displace(t);
      } else {
        while (tier.capacity - size < tier.held) displace(t);
        settle(number, size, t, from);
      }
      return;
    }
    if constexpr (traits.reads_requests) book_.requests[number] = 0;
  }
  void settle(std::uint32_t number, std::uint64_t size, std::size_t t, std::size_t from) {
    Tier& tier = tiers_[t];
    if (from == 0) {
      tier.order.add(number, book_of(t));
    } else {
      tier.order.add_from_above(number, book_of(t));
    }
    tier.held += size;
    tier.written += size;
    places_[number] = static_cast<std::uint8_t>(t);
  }
  void displace(std::size_t t) {
    Tier& tier = tiers_[t];
    const std::uint32_t victim = *tier.order.take_victim(NothingPinned{}, book_of(t));
    const std::uint64_t size = book_.size(victim);
    tier.held -= size;
    places_[victim] = outside;
    place(victim, size, t + 1);
  }

  KeyIndex index_;
  NumberBook book_;
  std::vector<Tier> tiers_;
  std::vector<std::uint8_t> places_;
  std::size_t room_ = 4096;
  std::uint64_t now_ = 0;
  std::uint32_t last_ = KeyIndex::none;
  bool notes_touches_ = false;
};

}  // namespace kvantage::inline eviction
