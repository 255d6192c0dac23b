// Seeded random numbers, identical on every machine and compiler (std distributions are not).
#pragma once

#include <cstdint>
#include <span>
#include <utility>

namespace kvantage {

__extension__ using UnsignedWide = unsigned __int128;

/// What SplitMix64 adds to its state for each number.
inline constexpr std::uint64_t splitmix_step = 0x9e3779b97f4a7c15ULL;

/// SplitMix64's finalizer, a bijection: numbers that are near each other come out far apart. 0 stays 0.
constexpr std::uint64_t mixed_bits(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

/// SplitMix64 (Steele, Lea and Flood 2014): small, fast, passes BigCrush; one object per purpose and seed.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() { return mixed_bits(state_ += splitmix_step); }
  /// Uniform in [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  /// Uniform in [0, bound), bound > 0; modulo bias is negligible (bound < 2^32).
  std::uint64_t below(std::uint64_t bound) {
    return static_cast<std::uint64_t>((static_cast<UnsignedWide>(next()) * bound) >> 64);
  }
  /// Standard normal (Box-Muller).
  double normal();
  /// Exponential with the given mean, e.g. gaps of a Poisson process.
  double exponential(double mean);

  template <class T>
  void shuffle(std::span<T> items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

  /// State for checkpoints: Random(r.state()) continues the sequence of r.
  std::uint64_t state() const { return state_; }

 private:
  std::uint64_t state_;
};

/// A seed for one purpose, so that adding a consumer does not shift the numbers of another.
inline std::uint64_t derive_seed(std::uint64_t seed, std::uint64_t purpose) {
  return Random(seed ^ (purpose * 0xd1342543de82ef95ULL)).next();
}

}  // namespace kvantage
