// What is known of the quality of every cell of a grid on future questions, from the answers to it and to its
// relatives: the same form and, weighted by a Gaussian of their distance, the neighboring fractions of its method, on
// similar contexts and, with less weight, on all others. Relatives give a prior mean, moved by how much the rest of the
// context's own curve is above or below theirs, and, from how much they differ by more than the noise of their answers,
// its variance; own answers are weighed against it (Fay and Herriot 1979, small-area estimates; Morris 1983, empirical
// Bayes). A cell without own answers is its relatives' alone: pooled. Without any relatives they are the context's own
// curve.
//
// Intervals are Wilson's (1927), of as many answers as would give the estimate's variance, so that they keep within 0
// and 1 and are not empty for 0 or n of n. Where nothing was asked, quality does not rise as more is removed, so that
// the intervals of smaller and larger fractions bound it, with a slack of 0.05.
#pragma once

#include <cstddef>
#include <vector>

#include "core/quality/schedule/measured_grid.h"

namespace kvantage::inline schedule {

struct CellBelief {
  double mean = 0.5;
  double low = 0, high = 1;  // 95 %
  int n = 0;                 // own answers; 0: pooled
  double relatives = 0;      // answers of relatives, weighted
  bool is_known() const { return n > 0 || relatives > 0; }
};

inline constexpr double z95 = 1.959963984540054;  // of a standard normal, both sides of 95 %

/// Wilson's 95 % interval of a mean of scores from 0 to 1, of `n` answers, which need not be whole.
struct ScoreInterval {
  double low = 0, high = 1;
};
ScoreInterval score_interval(double mean, double n);

class GridBeliefs {
 public:
  explicit GridBeliefs(const MeasuredGrid& grid);
  const CellBelief& of(std::size_t context, std::size_t form) const { return beliefs_[context * forms_ + form]; }

 private:
  void bound_by_neighbors(const MeasuredGrid& grid, std::size_t context);

  std::size_t forms_;
  std::vector<CellBelief> beliefs_;
};

}  // namespace kvantage::inline schedule
