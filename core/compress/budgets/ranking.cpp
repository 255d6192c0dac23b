#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "core/compress/budgets/budget.h"

namespace kvantage::inline budgets {
namespace {

/// A token of one head, among those of several heads.
struct HeadToken {
  std::size_t head = 0;
  std::size_t token = 0;
  float score = 0;
};
}  // namespace

void rank(LayerScores::Head& head) {
  std::vector<std::int32_t> order(head.scores.size());
  std::iota(order.begin(), order.end(), 0);
  const auto score = [&head](std::int32_t token) {
    const float value = head.scores[static_cast<std::size_t>(token)];
    return std::isnan(value) ? -HUGE_VALF : value;
  };
  std::ranges::stable_sort(order, [&score](std::int32_t a, std::int32_t b) { return score(a) > score(b); });
  head.ranks.resize(order.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    head.ranks[static_cast<std::size_t>(order[i])] = static_cast<std::int32_t>(i);
}

std::vector<std::int32_t> best_tokens(const LayerScores::Head& head, std::size_t count) {
  std::vector<std::int32_t> indices;
  indices.reserve(std::min(count, head.ranks.size()));
  for (std::size_t t = 0; t < head.ranks.size(); ++t)
    if (static_cast<std::size_t>(head.ranks[t]) < count) indices.push_back(static_cast<std::int32_t>(t));
  return indices;
}

KeptIndices best_of_each_head(const std::vector<LayerScores::Head>& heads, std::size_t count) {
  KeptIndices kept;
  for (const LayerScores::Head& head : heads) kept.push_back(best_tokens(head, count));
  return kept;
}

KeptIndices drop_lowest(const std::vector<std::span<const float>>& heads, std::size_t count) {
  std::vector<HeadToken> all;
  for (std::size_t h = 0; h < heads.size(); ++h)
    for (std::size_t t = 0; t < heads[h].size(); ++t)
      all.push_back({h, t, std::isnan(heads[h][t]) ? -HUGE_VALF : heads[h][t]});
  const auto goes_before = [](const HeadToken& a, const HeadToken& b) {
    if (a.score != b.score) return a.score < b.score;
    return a.head != b.head ? a.head > b.head : a.token > b.token;
  };
  count = std::min(count, all.size());
  const auto end = all.begin() + static_cast<std::ptrdiff_t>(count);
  if (end != all.end()) std::ranges::nth_element(all, end, goes_before);
  std::vector<std::vector<bool>> dropped;
  for (const auto& head : heads) dropped.emplace_back(head.size(), false);
  for (auto token = all.begin(); token != end; ++token) dropped[token->head][token->token] = true;
  KeptIndices kept(heads.size());
  for (std::size_t h = 0; h < heads.size(); ++h)
    for (std::size_t t = 0; t < heads[h].size(); ++t)
      if (!dropped[h][t]) kept[h].push_back(static_cast<std::int32_t>(t));
  return kept;
}

}  // namespace kvantage::inline budgets
