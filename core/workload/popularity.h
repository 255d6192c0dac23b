// Request frequency of contexts: a power law over ranks, optionally with a uniform tail.
#pragma once

#include <cstddef>
#include <vector>

namespace kvantage::inline workload {

/// Probabilities of ranks 0, 1, ...: (1 - tail_share) of the requests choose by 1 / (rank + 1)^zipf_exponent,
/// tail_share of them choose uniformly.
class Popularity {
 public:
  Popularity(std::size_t ranks, double zipf_exponent, double tail_share);

  /// The rank for `uniform` in [0, 1).
  std::size_t rank_at(double uniform) const;
  /// Probability of a rank; they sum to 1.
  double chance(std::size_t rank) const;

 private:
  std::vector<double> cumulative_;  // [ranks], not normalized
};

}  // namespace kvantage::inline workload
