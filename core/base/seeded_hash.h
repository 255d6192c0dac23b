// Hashes of keys that come from files. The seed differs at each start: nobody can write keys that all meet in one place
// of a table, where each search would pass over all of them. Hashes are never written or sent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/base/random.h"

namespace kvantage {

/// Drawn at the first call; the same until the program ends.
std::uint64_t hash_seed();

/// Of texts and of whole numbers.
class SeededHash {
 public:
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const noexcept;
  std::size_t operator()(std::uint64_t number) const noexcept {
    return static_cast<std::size_t>(mixed_bits(number ^ seed_));
  }

 private:
  std::uint64_t seed_ = hash_seed();
};

/// A table by such a key; texts are found by a string view, too.
template <class Key, class Value>
using SeededMap = std::unordered_map<Key, Value, SeededHash, std::equal_to<>>;

}  // namespace kvantage
