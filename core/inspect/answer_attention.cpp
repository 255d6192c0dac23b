#include "core/inspect/answer_attention.h"

#include <algorithm>
#include <numeric>

#include "core/compress/scorers/row_math.h"

namespace kvantage::inline inspection {
namespace {

constexpr std::size_t longest_span = 24;
constexpr std::size_t shortest_text = 4;
constexpr double share_of_largest = 0.1;  // less beside the largest share is no part of what is attended to

/// Of one query's softmax over all rows, of which it sees the first `seen`.
void add_query(std::span<const float> weights, std::size_t seen, std::span<double> paid) {
  const double all = std::accumulate(weights.begin(), weights.begin() + static_cast<std::ptrdiff_t>(seen), 0.0);
  if (!(all > 0)) return;
  double squares = 0;
  for (std::size_t token = 1; token < paid.size(); ++token)
    squares += static_cast<double>(weights[token]) * static_cast<double>(weights[token]);
  for (std::size_t token = 0; token < paid.size(); ++token)
    paid[token] += squares / (all * all) * static_cast<double>(weights[token]) / all;
}

}  // namespace

void add_attention(const KvCache& read, const WindowQueries& queries, int layer, std::span<double> paid) {
  const KvShape& shape = read.shape();
  const std::span<const float> all = queries.layers[static_cast<std::size_t>(layer)];
  const std::size_t numbers = all.size() / static_cast<std::size_t>(queries.heads);  // of a query head
  const auto window = static_cast<std::size_t>(queries.window);
  std::vector<float> weights;
  for (int q = 0; q < queries.heads; ++q) {
    const HeadView keys = read.head(layer, q / (queries.heads / shape.kv_heads));
    const auto rows = static_cast<std::size_t>(keys.kept);
    weights.resize(window * rows);
    attention_weights(keys, all.subspan(static_cast<std::size_t>(q) * numbers, numbers), weights);
    for (std::size_t query = 0; query < window; ++query)
      add_query(std::span<const float>(weights).subspan(query * rows, rows), rows - window + query + 1, paid);
  }
}

std::vector<float> shares_of(std::span<const double> paid) {
  const double sum = std::accumulate(paid.begin(), paid.end(), 0.0);
  std::vector<float> shares;
  if (!(sum > 0)) return shares;
  shares.reserve(paid.size());
  for (const double number : paid) shares.push_back(static_cast<float>(number / sum));
  return shares;
}

std::optional<AskSpan> densest_span(std::span<const float> shares) {
  if (shares.size() < shortest_text) return std::nullopt;
  const double mean = std::accumulate(shares.begin() + 1, shares.end(), 0.0) / static_cast<double>(shares.size() - 1);
  const double base = std::max(mean, share_of_largest * double{*std::max_element(shares.begin() + 1, shares.end())});
  std::optional<AskSpan> best;
  double most = 1e-9;  // less is rounding
  for (std::size_t begin = 1; begin < shares.size(); ++begin) {
    double sum = 0;
    for (std::size_t end = begin + 1; end <= std::min(shares.size(), begin + longest_span); ++end) {
      sum += static_cast<double>(shares[end - 1]) - base;
      if (sum <= most) continue;
      most = sum;
      best = AskSpan{begin, end};
    }
  }
  return best;
}

}  // namespace kvantage::inline inspection
