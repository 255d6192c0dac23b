#include "core/workload/popularity.h"

#include <algorithm>
#include <cmath>

namespace kvantage::inline workload {

Popularity::Popularity(std::size_t ranks, double zipf_exponent, double tail_share) {
  double sum = 0;
  for (std::size_t rank = 0; rank < ranks; ++rank)
    cumulative_.push_back(sum += std::pow(static_cast<double>(rank + 1), -zipf_exponent));
  if (tail_share <= 0) return;  // no arithmetic beyond the sum: keeps sequences from before tails existed unchanged
  const double each = sum / static_cast<double>(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank)
    cumulative_[rank] = (1 - tail_share) * cumulative_[rank] + tail_share * each * static_cast<double>(rank + 1);
}

std::size_t Popularity::rank_at(double uniform) const {
  const auto found = std::ranges::upper_bound(cumulative_, uniform * cumulative_.back());
  return std::min(static_cast<std::size_t>(found - cumulative_.begin()), cumulative_.size() - 1);
}

double Popularity::chance(std::size_t rank) const {
  return (cumulative_[rank] - (rank == 0 ? 0.0 : cumulative_[rank - 1])) / cumulative_.back();
}

}  // namespace kvantage::inline workload
