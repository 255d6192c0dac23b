#include "core/base/seeded_hash.h"

#include <xxhash.h>

#include <random>

namespace kvantage {

std::uint64_t hash_seed() {
  static const std::uint64_t seed = [] {
    std::random_device random;
    return (std::uint64_t{random()} << 32) | random();
  }();
  return seed;
}

std::size_t SeededHash::operator()(std::string_view text) const noexcept {
  return static_cast<std::size_t>(XXH3_64bits_withSeed(text.data(), text.size(), seed_));
}

}  // namespace kvantage
