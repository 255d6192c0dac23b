#include "core/compress/budgets/probe_agreement.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

namespace kvantage::inline budgets {

double mean_jaccard(std::span<const std::vector<std::int32_t>> sets) {
  double sum = 0;
  int pairs = 0;
  for (std::size_t a = 0; a < sets.size(); ++a)
    for (std::size_t b = a + 1; b < sets.size(); ++b, ++pairs) {
      std::vector<std::int32_t> both;
      std::ranges::set_intersection(sets[a], sets[b], std::back_inserter(both));
      sum += static_cast<double>(both.size()) / static_cast<double>(sets[a].size() + sets[b].size() - both.size());
    }
  return pairs == 0 ? 1 : sum / pairs;
}

double agreement_threshold(double share) { return std::pow(share / (2 - share), 0.6); }

std::optional<std::vector<std::int32_t>> agreed_tokens(std::span<const std::vector<std::int32_t>> important,
                                                       std::size_t count, std::size_t tokens) {
  if (mean_jaccard(important) < agreement_threshold(static_cast<double>(count) / static_cast<double>(tokens)))
    return std::nullopt;
  std::set<std::int32_t> all;
  for (const auto& one : important) all.insert(one.begin(), one.end());
  return std::vector<std::int32_t>(all.begin(), all.end());
}

}  // namespace kvantage::inline budgets
