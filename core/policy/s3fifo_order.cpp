#include <algorithm>
#include <deque>

#include "core/policy/eviction_order.h"

namespace kvantage {

namespace {

/// S3-FIFO (Yang et al., SOSP 2023): newcomers wait in a small queue of a tenth of the bytes; who was asked for twice
/// there moves to the main queue, the others go and are remembered for nine tenths of the bytes. Who comes back while
/// remembered enters the main queue, which gives a turn for each of up to three requests. As the authors' simulator
/// does, newcomers fill the main queue, too, until the first eviction. Entries larger than the small queue are not
/// refused.
class S3FifoOrder final : public EvictionOrder {
 public:
  std::unique_ptr<EvictionOrder> clone() const override { return std::make_unique<S3FifoOrder>(*this); }
  void set_capacity(std::uint64_t bytes) override {
    small_capacity_ = static_cast<std::uint64_t>(static_cast<double>(bytes) * 0.1);
    main_capacity_ = bytes - small_capacity_;
    ghost_capacity_ = static_cast<std::uint64_t>(static_cast<double>(bytes) * 0.9);
  }

  void announce(Slot slot) override {
    Item& item = at(slot);
    item.returns = item.ghost_version != 0;
    if (!item.returns) return;
    ghost_bytes_ -= item.ghost_bytes;
    item.ghost_version = 0;
  }

  void enter(Slot slot, const EntryFacts& facts) override {
    leave(slot);
    Item& item = at(slot);
    item.bytes = facts.bytes;
    item.requests = 0;
    const bool filling = !has_evicted_ && small_.bytes >= small_capacity_;
    push(item.returns || filling ? Where::main : Where::small, slot);
    item.returns = false;
  }

  void touch(Slot slot, const EntryFacts&) override {
    Item& item = at(slot);
    item.requests = std::min(item.requests + 1, 3);
  }

  void leave(Slot slot) override {
    Item& item = at(slot);
    if (item.where == Where::nowhere) return;
    queue(item.where).bytes -= item.bytes;
    item.where = Where::nowhere;
    item.version = 0;
  }

  std::optional<Slot> evict(const std::vector<bool>& pinned) override {
    has_evicted_ = true;
    const bool from_main = main_.bytes > main_capacity_ || small_.bytes == 0;
    const auto victim = from_main ? evict_main(pinned) : evict_small(pinned);
    if (victim) return victim;
    // All of that queue is pinned, or the small queue's entries have all moved to the main queue.
    return from_main ? evict_small(pinned) : evict_main(pinned);
  }

 private:
  enum class Where : std::uint8_t { nowhere, small, main };
  struct Item {
    std::uint64_t bytes = 0, version = 0;  // of its place in a queue; 0: in none
    std::uint64_t ghost_bytes = 0, ghost_version = 0;
    int requests = 0;
    Where where = Where::nowhere;
    bool returns = false;
  };
  struct Place {
    Slot slot = 0;
    std::uint64_t version = 0;
  };
  struct Queue {
    std::deque<Place> places;  // oldest in front; outdated places are skipped
    std::uint64_t bytes = 0;
  };

  Item& at(Slot slot) {
    if (slot >= items_.size()) items_.resize(slot + 1);
    return items_[slot];
  }
  Queue& queue(Where where) { return where == Where::main ? main_ : small_; }
  void push(Where where, Slot slot) {
    Item& item = items_[slot];
    item.where = where;
    item.version = ++versions_;
    queue(where).bytes += item.bytes;
    queue(where).places.push_back({slot, item.version});
  }
  std::optional<Slot> pop(Queue& from) {
    while (!from.places.empty()) {
      const Place place = from.places.front();
      from.places.pop_front();
      if (items_[place.slot].version != place.version) continue;
      leave(place.slot);
      return place.slot;
    }
    return std::nullopt;
  }

  std::optional<Slot> evict_small(const std::vector<bool>& pinned) {
    for (std::size_t left = small_.places.size(); left > 0; --left) {
      const auto slot = pop(small_);
      if (!slot) break;
      if (is_pinned(pinned, *slot)) {
        push(Where::small, *slot);
      } else if (items_[*slot].requests >= 2) {
        items_[*slot].requests = 0;
        push(Where::main, *slot);
      } else {
        remember(*slot);
        return slot;
      }
    }
    return std::nullopt;
  }

  std::optional<Slot> evict_main(const std::vector<bool>& pinned) {
    for (std::size_t left = 5 * main_.places.size(); left > 0; --left) {  // every entry may have three turns to give
      const auto slot = pop(main_);
      if (!slot) break;
      int& requests = items_[*slot].requests;
      if (requests == 0 && !is_pinned(pinned, *slot)) return slot;
      requests = std::max(requests - 1, 0);
      push(Where::main, *slot);
    }
    return std::nullopt;
  }

  static bool is_pinned(const std::vector<bool>& pinned, Slot slot) { return slot < pinned.size() && pinned[slot]; }

  void remember(Slot slot) {
    Item& item = items_[slot];
    if (item.bytes > ghost_capacity_) return;
    while (ghost_bytes_ + item.bytes > ghost_capacity_ && !ghosts_.empty()) {
      Item& oldest = items_[ghosts_.front().slot];
      if (oldest.ghost_version == ghosts_.front().version) {
        ghost_bytes_ -= oldest.ghost_bytes;
        oldest.ghost_version = 0;
      }
      ghosts_.pop_front();
    }
    item.ghost_bytes = item.bytes;
    item.ghost_version = ++versions_;
    ghost_bytes_ += item.bytes;
    ghosts_.push_back({slot, item.ghost_version});
  }

  std::vector<Item> items_;  // by slot
  Queue small_, main_;
  std::deque<Place> ghosts_;
  std::uint64_t small_capacity_ = 0, main_capacity_ = 0, ghost_capacity_ = 0, ghost_bytes_ = 0, versions_ = 0;
  bool has_evicted_ = false;
};

}  // namespace

std::unique_ptr<EvictionOrder> make_s3fifo_order() { return std::make_unique<S3FifoOrder>(); }

}  // namespace kvantage
