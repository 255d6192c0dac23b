#include "core/simulator/key_index.h"

namespace kvantage {
namespace {

// Ids of traces are often consecutive: sixteen neighbours share a line of the processor's cache, and lines are
// scattered by SplitMix64's finaliser, so that no pattern gathers in one place.
std::size_t first_slot(std::uint64_t key, std::size_t mask) {
  std::uint64_t line = key >> 4;
  line = (line ^ (line >> 30)) * 0xbf58476d1ce4e5b9ULL;
  line = (line ^ (line >> 27)) * 0x94d049bb133111ebULL;
  line ^= line >> 31;
  return ((line << 4) | (key & 15)) & mask;
}

}  // namespace

std::uint32_t KeyIndex::find_or_add(std::uint64_t key) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = first_slot(key, mask);
  while (slots_[at] != 0) {
    if (keys_[slots_[at] - 1] == key) return slots_[at] - 1;
    at = (at + 1) & mask;
  }
  const auto number = static_cast<std::uint32_t>(keys_.size());
  keys_.push_back(key);
  slots_[at] = number + 1;
  if (keys_.size() * 2 > slots_.size()) grow();
  return number;
}

void KeyIndex::grow() {
  std::vector<std::uint32_t> wider(slots_.size() * 2, 0);
  const std::size_t mask = wider.size() - 1;
  for (std::uint32_t number = 0; number < keys_.size(); ++number) {
    std::size_t at = first_slot(keys_[number], mask);
    while (wider[at] != 0) at = (at + 1) & mask;
    wider[at] = number + 1;
  }
  slots_.swap(wider);
}

}  // namespace kvantage
