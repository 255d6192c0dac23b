// The end of an axis over what grows with a run: it doubles when the data reaches it and holds still in between.
#pragma once

#include <cmath>

namespace kvantage {

/// `least` (above 0) times a power of two, at least `needed`; `least` where `needed` is no number.
inline double held_end(double needed, double least) {
  if (!(needed > least) || !std::isfinite(needed)) return least;
  double end = least * std::exp2(std::ceil(std::log2(needed / least)));
  if (end < needed) end *= 2;                           // a logarithm is rounded
  if (end / 2 >= needed && end / 2 >= least) end /= 2;  // in both directions
  return end;
}

}  // namespace kvantage
