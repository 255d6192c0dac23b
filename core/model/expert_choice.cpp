#include "core/model/expert_choice.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace kvantage::inline model {
namespace {

/// Brings the indices of the `count` largest numbers to the front, largest first, of equal ones the first. Returns how
/// many there are.
std::size_t bring_largest(std::span<const float> numbers, std::vector<int>& among, int count) {
  const std::size_t present = std::min(among.size(), static_cast<std::size_t>(count));
  const auto larger = [&](int a, int b) {
    const float first = numbers[static_cast<std::size_t>(a)], second = numbers[static_cast<std::size_t>(b)];
    return first > second || (first == second && a < b);
  };
  std::ranges::partial_sort(among, among.begin() + static_cast<std::ptrdiff_t>(present), larger);
  return present;
}

std::vector<int> numbers_below(std::size_t count) {
  std::vector<int> all(count);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

/// The experts of the best groups, or all.
std::vector<int> candidates(const ExpertForm& form, std::span<const float> ranks) {
  if (form.groups <= 1 || form.groups_chosen >= form.groups) return numbers_below(ranks.size());
  const std::size_t size = ranks.size() / static_cast<std::size_t>(form.groups);
  const std::size_t best = std::min<std::size_t>(size, form.scores == ExpertScores::sigmoid ? 2 : 1);
  std::vector<float> of_groups;
  for (std::size_t first = 0; first + size <= ranks.size(); first += size) {
    std::vector<float> group(ranks.begin() + static_cast<std::ptrdiff_t>(first),
                             ranks.begin() + static_cast<std::ptrdiff_t>(first + size));
    std::ranges::partial_sort(group, group.begin() + static_cast<std::ptrdiff_t>(best), std::greater{});
    of_groups.push_back(std::accumulate(group.begin(), group.begin() + static_cast<std::ptrdiff_t>(best), 0.0F));
  }
  std::vector<int> groups = numbers_below(of_groups.size()), experts;
  groups.resize(bring_largest(of_groups, groups, form.groups_chosen));
  for (const int group : groups)
    for (std::size_t i = 0; i < size; ++i) experts.push_back(group * static_cast<int>(size) + static_cast<int>(i));
  return experts;
}

/// Weights are softmax.
std::vector<ChosenExpert> choose_by_softmax(const ExpertForm& form, std::span<const float> logits) {
  std::vector<int> order = candidates(form, logits);
  const std::size_t count = bring_largest(logits, order, form.chosen);
  const float highest = *std::ranges::max_element(logits);
  const auto exponential = [&](int expert) { return std::exp(logits[static_cast<std::size_t>(expert)] - highest); };
  std::vector<int> summed = order;  // the order decides the last bits
  if (form.normalized)
    summed.resize(count);
  else if (order.size() < logits.size())
    summed = numbers_below(logits.size());
  float sum = 0;
  for (const int expert : summed) sum += exponential(expert);
  std::vector<ChosenExpert> chosen;
  chosen.reserve(count);
  for (std::size_t i = 0; i < count; ++i) chosen.push_back({order[i], exponential(order[i]) / sum});
  return chosen;
}

std::vector<ChosenExpert> choose_by_sigmoid(const ExpertForm& form, std::span<const float> logits,
                                            std::span<const float> correction) {
  std::vector<float> scores(logits.size()), ranks;
  std::ranges::transform(logits, scores.begin(), [](float logit) { return 1 / (1 + std::exp(-logit)); });
  ranks = scores;
  for (std::size_t e = 0; e < correction.size() && e < ranks.size(); ++e) ranks[e] += correction[e];
  std::vector<int> order = candidates(form, ranks);
  order.resize(bring_largest(ranks, order, form.chosen));
  std::vector<ChosenExpert> chosen;
  float sum = 1e-20F;
  for (const int expert : order) {
    chosen.push_back({expert, scores[static_cast<std::size_t>(expert)]});
    sum += chosen.back().weight;
  }
  for (ChosenExpert& one : chosen)
    if (form.normalized) one.weight /= sum;
  return chosen;
}

}  // namespace

std::vector<ChosenExpert> choose_experts(const ExpertForm& form, std::span<const float> logits,
                                         std::span<const float> correction) {
  std::vector<ChosenExpert> chosen = form.scores == ExpertScores::sigmoid ? choose_by_sigmoid(form, logits, correction)
                                                                          : choose_by_softmax(form, logits);
  if (const auto scale = static_cast<float>(form.scale); scale != 1.0F)
    for (ChosenExpert& one : chosen) one.weight *= scale;
  std::ranges::sort(chosen, {}, &ChosenExpert::expert);
  return chosen;
}

}  // namespace kvantage::inline model
