#include "core/policy/decode_option.h"

#include <cmath>

#include "core/policy/utility.h"

namespace kvantage::inline policy {

const DecodeOption* best_decode_option(std::span<const DecodeOption> options, double alpha) {
  const DecodeOption* best = nullptr;
  double most = 0;
  for (const DecodeOption& option : options) {
    if (option.n <= 0 || !std::isfinite(option.estimate())) continue;
    const double gained = utility(alpha, option.estimate(), finite_seconds(option.decode_seconds()), 1);
    if (best != nullptr && !(gained > most)) continue;
    best = &option;
    most = gained;
  }
  return best;
}

}  // namespace kvantage::inline policy
