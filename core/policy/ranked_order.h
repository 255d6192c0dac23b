// Orders that give each entry a number when it comes and when it is asked for: the lowest leaves first, among equal
// ones the one that was used longest ago. A heap whose outdated entries are skipped when they come up.
#pragma once

#include <algorithm>

#include "core/policy/eviction_order.h"

namespace kvantage {

class RankedOrder : public EvictionOrder {
 public:
  void enter(Slot slot, const EntryFacts& facts) override { touch(slot, facts); }
  void touch(Slot slot, const EntryFacts& facts) override;
  void leave(Slot slot) override {
    if (slot < here_.size()) here_[slot] = 0;
  }
  std::optional<Slot> evict(const std::vector<bool>& pinned) override;

 protected:
  virtual double rank(const EntryFacts& facts) const = 0;
  virtual void evicted(double /*rank*/) {}

 private:
  struct Entry {
    double rank = 0;
    std::uint64_t last_access = 0, version = 0;
    Slot slot = 0;
    bool operator>(const Entry& other) const {
      if (rank != other.rank) return rank > other.rank;
      return last_access != other.last_access ? last_access > other.last_access : slot > other.slot;
    }
  };
  bool valid(const Entry& entry) const { return here_[entry.slot] == entry.version; }
  void forget_outdated();

  std::vector<Entry> heap_;
  std::vector<std::uint64_t> here_;  // [slots], version of the entry that counts; 0: not on this tier
  std::uint64_t versions_ = 0;
};

}  // namespace kvantage
