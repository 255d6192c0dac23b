// Adapts an order of order.h to the interface of eviction_order.h.
#pragma once

#include <algorithm>

#include "core/eviction/eviction_order.h"

namespace kvantage::inline eviction {

/// Metadata of the entries of one tier, by slot.
class SlotBook {
 public:
  static constexpr bool in_touch_order = false;
  std::uint64_t size(Slot slot) const { return sizes_[slot]; }
  std::uint64_t touched(Slot slot) const { return facts_[slot].last_access; }
  std::uint64_t requests(Slot slot) const { return facts_[slot].requests; }
  double gain(Slot slot) const {
    const EntryFacts& facts = facts_[slot];
    return static_cast<double>(facts.requests) * facts.seconds_saved / std::max(static_cast<double>(facts.bytes), 1.0);
  }
  const EntryFacts& facts(Slot slot) const { return facts_[slot]; }

  void grow(std::size_t count) {
    facts_.resize(count);
    sizes_.resize(count, 0);
  }
  void set_size(Slot slot, std::uint64_t bytes) { sizes_[slot] = bytes; }
  void set_facts(Slot slot, const EntryFacts& facts) { facts_[slot] = facts; }

 private:
  std::vector<EntryFacts> facts_;     // as of the last touch
  std::vector<std::uint64_t> sizes_;  // as of insertion
};

template <class Order>
class SlotOrder final : public EvictionOrder {
 public:
  std::unique_ptr<EvictionOrder> clone() const override { return std::make_unique<SlotOrder>(*this); }
  OrderTraits traits() const override { return Order::traits; }
  void set_capacity(std::uint64_t bytes) override { order_.set_capacity(bytes); }
  void announce(Slot slot, std::uint64_t bytes) override {
    leave(slot);
    grow_to_hold(slot);
    book_.set_size(slot, bytes);
    order_.announce(slot, book_);
  }
  void enter(Slot slot, const EntryFacts& facts) override {
    leave(slot);
    grow_to_hold(slot);
    book_.set_facts(slot, facts);
    book_.set_size(slot, facts.bytes);
    here_[slot] = true;
    order_.add(slot, book_);
  }
  void touch(Slot slot, const EntryFacts& facts) override {
    if (!is_here(slot)) return;
    book_.set_facts(slot, facts);
    order_.hit(slot, book_);
  }
  void leave(Slot slot) override {
    if (!is_here(slot)) return;
    order_.remove(slot, book_);
    here_[slot] = false;
  }
  std::optional<Slot> evict(const std::vector<bool>& pinned) override {
    const auto victim = order_.take_victim([&](Slot slot) { return slot < pinned.size() && pinned[slot]; }, book_);
    if (victim) here_[*victim] = false;
    return victim;
  }

 private:
  bool is_here(Slot slot) const { return slot < here_.size() && here_[slot]; }
  void grow_to_hold(Slot slot) {
    if (slot < here_.size()) return;
    const std::size_t count = std::max<std::size_t>(std::size_t{slot} + 1, 2 * here_.size());
    here_.resize(count, false);
    book_.grow(count);
    order_.grow(count);
  }

  Order order_;
  SlotBook book_;
  std::vector<bool> here_;  // by slot
};

}  // namespace kvantage::inline eviction
