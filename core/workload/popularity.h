// How often which context is asked: a power law over ranks, with a flat tail under it if there is to be one.
#pragma once

#include <cstddef>
#include <vector>

namespace kvantage {

/// Chances of ranks 0, 1, ...: (1 - tail_share) of the requests choose by 1 / (rank + 1)^zipf_exponent, tail_share of
/// them choose among all alike.
class Popularity {
 public:
  Popularity(std::size_t ranks, double zipf_exponent, double tail_share);

  /// The rank that `uniform` in [0, 1) falls on.
  std::size_t rank_at(double uniform) const;
  /// Chance of a rank; all together 1.
  double chance(std::size_t rank) const;

 private:
  std::vector<double> cumulative_;  // [ranks], not normalised
};

}  // namespace kvantage
