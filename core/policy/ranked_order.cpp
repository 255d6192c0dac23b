#include "core/policy/ranked_order.h"

namespace kvantage {

void RankedOrder::touch(Slot slot, const EntryFacts& facts) {
  if (slot >= here_.size()) here_.resize(slot + 1, 0);
  here_[slot] = ++versions_;
  heap_.push_back({rank(facts), facts.last_access, versions_, slot});
  std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
  if (heap_.size() > 64 && heap_.size() > 4 * here_.size()) forget_outdated();
}

std::optional<Slot> RankedOrder::evict(const std::vector<bool>& pinned) {
  std::vector<Entry> stay;
  std::optional<Slot> victim;
  while (!heap_.empty() && !victim) {
    std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
    const Entry entry = heap_.back();
    heap_.pop_back();
    if (!valid(entry)) continue;
    if (entry.slot < pinned.size() && pinned[entry.slot]) {
      stay.push_back(entry);
      continue;
    }
    victim = entry.slot;
    here_[entry.slot] = 0;
    evicted(entry.rank);
  }
  for (const Entry& entry : stay) {
    heap_.push_back(entry);
    std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
  }
  return victim;
}

void RankedOrder::forget_outdated() {
  std::erase_if(heap_, [this](const Entry& entry) { return !valid(entry); });
  std::make_heap(heap_.begin(), heap_.end(), std::greater<>());
}

}  // namespace kvantage
