// Numbers 64-bit keys from 0 in order of first appearance: open addressing over 4-byte slots, so that a catalog of a
// few hundred thousand keys stays in the CPU cache. A caller that replays keys in their previous order passes the
// expected number, which skips hashing. Keys come from files: the places of their slots are seeded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/random.h"
#include "core/base/seeded_hash.h"

namespace kvantage::inline eviction {

class KeyIndex {
 public:
  static constexpr std::uint32_t none = 0xffffffffU;

  /// The number of `key`; `due` is checked first.
  std::uint32_t number(std::uint64_t key, std::uint32_t due = none) {
    if (due < keys_.size() && keys_[due] == key) return due;
    return find_or_add(key);
  }
  std::size_t size() const { return keys_.size(); }
  /// Starts loading the slot of a key that is asked for soon.
  void prefetch(std::uint64_t key) const { __builtin_prefetch(&slots_[first_slot(key, slots_.size() - 1)]); }
  std::uint64_t key(std::uint32_t number) const { return keys_[number]; }

 private:
  // Trace ids are often consecutive: sixteen neighbors share a cache line, and SplitMix64's finalizer scatters the
  // lines to avoid clustering. A line is then full or empty, so the search continues in the next one; as the step is
  // odd, it comes to every slot.
  static constexpr std::size_t search_step = 17;
  std::size_t first_slot(std::uint64_t key, std::size_t mask) const {
    return ((mixed_bits((key >> 4) ^ seed_) << 4) | (key & 15)) & mask;
  }
  std::uint32_t find_or_add(std::uint64_t key) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = first_slot(key, mask);
    while (slots_[at] != 0) {
      if (keys_[slots_[at] - 1] == key) return slots_[at] - 1;
      at = (at + search_step) & mask;
    }
    const auto number = static_cast<std::uint32_t>(keys_.size());
    keys_.push_back(key);
    slots_[at] = number + 1;
    if (keys_.size() * 2 > slots_.size()) grow();
    return number;
  }
  // While it is small, by four: placing all keys again is what growing costs.
  void grow() {
    constexpr std::size_t small = std::size_t{1} << 20;
    std::vector<std::uint32_t> wider(slots_.size() * (slots_.size() < small ? 4 : 2), 0);
    keys_.reserve(wider.size() / 2 + 1);
    const std::size_t mask = wider.size() - 1;
    for (std::uint32_t number = 0; number < keys_.size(); ++number) {
      std::size_t at = first_slot(keys_[number], mask);
      while (wider[at] != 0) at = (at + search_step) & mask;
      wider[at] = number + 1;
    }
    slots_.swap(wider);
  }

  std::uint64_t seed_ = hash_seed();
  std::vector<std::uint64_t> keys_;
  std::vector<std::uint32_t> slots_ =
      std::vector<std::uint32_t>(std::size_t{1} << 15, 0);  // number + 1, 0: free; at most half are taken
};

}  // namespace kvantage::inline eviction
