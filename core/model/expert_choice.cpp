#include "core/model/expert_choice.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kvantage::inline model {

std::vector<ChosenExpert> choose_experts(const ExpertForm& form, std::span<const float> logits) {
  std::vector<int> order(logits.size());
  std::iota(order.begin(), order.end(), 0);
  const auto count = std::min(order.size(), static_cast<std::size_t>(form.chosen));
  const auto larger = [&](int a, int b) {
    const float first = logits[static_cast<std::size_t>(a)], second = logits[static_cast<std::size_t>(b)];
    return first > second || (first == second && a < b);
  };
  std::ranges::partial_sort(order, order.begin() + static_cast<std::ptrdiff_t>(count), larger);
  const float highest = logits[static_cast<std::size_t>(order.front())];
  const auto exponential = [&](int expert) { return std::exp(logits[static_cast<std::size_t>(expert)] - highest); };
  float sum = 0;
  for (std::size_t i = 0; i < (form.normalized ? count : order.size()); ++i) sum += exponential(order[i]);
  std::vector<ChosenExpert> chosen;
  chosen.reserve(count);
  for (std::size_t i = 0; i < count; ++i) chosen.push_back({order[i], exponential(order[i]) / sum});
  std::ranges::sort(chosen, {}, &ChosenExpert::expert);
  return chosen;
}

}  // namespace kvantage::inline model
