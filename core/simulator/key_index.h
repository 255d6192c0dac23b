// Keys of 64 bits numbered from 0 on in order of first sight: open addressing over slots of four bytes, so that a
// catalogue of a few hundred thousand keys stays near the processor. Whoever meets keys in the order in which they came
// before says which number is due, and nothing is hashed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kvantage {

class KeyIndex {
 public:
  static constexpr std::uint32_t none = 0xffffffffU;

  /// The number of `key`; `due` is looked at first.
  std::uint32_t number(std::uint64_t key, std::uint32_t due = none) {
    if (due < keys_.size() && keys_[due] == key) return due;
    return find_or_add(key);
  }
  std::size_t size() const { return keys_.size(); }
  std::uint64_t key(std::uint32_t number) const { return keys_[number]; }

 private:
  std::uint32_t find_or_add(std::uint64_t key);
  void grow();

  std::vector<std::uint64_t> keys_;
  std::vector<std::uint32_t> slots_ =
      std::vector<std::uint32_t>(1024, 0);  // number + 1, 0: free; at most half are taken
};

}  // namespace kvantage
