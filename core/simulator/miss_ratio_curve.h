// Miss ratios of LRU caches of every size from one pass over a trace, in bounded memory: SHARDS (Waldspurger et al.,
// FAST 2015). Keys are sampled by their hash, so all touches of a sampled key are seen; its reuse distances are those
// of the whole trace times the sampling rate.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "core/base/seeded_hash.h"

namespace kvantage::inline simulator {

struct MissRatio {
  std::uint64_t capacity = 0;  // in the unit of the weights
  double miss_ratio = 1;       // of touches
};

class MissRatioCurve {
 public:
  /// At most `samples` keys at a time (SHARDS fixed-size): with more, the rate is lowered. 0: every key, exact.
  explicit MissRatioCurve(std::size_t samples = 8192);

  /// A key of this weight, the same each time, from 1 on.
  void touch(std::uint64_t key, std::uint64_t weight = 1);
  /// At `points` capacities that grow geometrically up to one that holds everything. With the correction of SHARDS-adj:
  /// the difference between sampled and expected touches counts as hits of the smallest distance.
  std::vector<MissRatio> curve(std::size_t points = 32) const;
  /// Of one capacity.
  double miss_ratio_at(std::uint64_t capacity) const;
  /// The capacities at which the ratio falls, ascending, each with the ratio from there on; below the first it is 1.
  /// Steps of less than `least` are left out until they sum up to it; the last one is always there.
  std::vector<MissRatio> steps(double least = 0) const;
  /// The weight of all different keys.
  std::uint64_t footprint() const;
  double rate() const;
  std::uint64_t touches() const { return touches_; }

 private:
  struct Tracked {
    std::uint64_t hash = 0, weight = 1;
    std::size_t slot = 0;  // of its last touch
  };
  static std::uint64_t hash_of(std::uint64_t key);
  std::uint64_t weight_after(std::size_t slot) const;
  void add(std::size_t slot, std::int64_t weight);
  void compact();
  void lower_rate();
  double correction() const;

  std::size_t samples_;
  std::uint64_t threshold_ = ~std::uint64_t{0}, touches_ = 0;
  double sampled_ = 0;                                       // touches, rescaled when the rate changes
  SeededMap<std::uint64_t, Tracked> tracked_;                // by key
  std::set<std::pair<std::uint64_t, std::uint64_t>> order_;  // hash and key, where the number of keys is limited
  std::vector<std::int64_t> tree_;                           // Fenwick: weights by slot
  std::size_t next_slot_ = 0;
  std::uint64_t total_weight_ = 0;
  std::map<std::uint64_t, double> distances_;  // scaled, rounded to 1/128; touches
};

}  // namespace kvantage::inline simulator
