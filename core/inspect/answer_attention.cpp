#include "core/inspect/answer_attention.h"

#include <algorithm>
#include <numeric>

#include "core/compress/scorers/row_math.h"

namespace kvantage::inline inspection {
namespace {

constexpr std::size_t longest_span = 24;
constexpr std::size_t shortest_text = 4;
constexpr double share_of_largest = 0.1;  // less beside the largest share is no part of what is attended to

/// Rows [first, last) that a query sees; row 0 is token `before`.
struct SeenRows {
  std::size_t first = 0, last = 0, before = 0;
};

/// Of one query's softmax over all rows.
void add_query(std::span<const float> weights, const SeenRows& seen, std::span<double> paid) {
  const auto rows = weights.subspan(seen.first, seen.last - seen.first);
  const double all = std::accumulate(rows.begin(), rows.end(), 0.0);
  if (!(all > 0)) return;
  const std::size_t begin = seen.before + seen.first, end = std::min(paid.size(), seen.before + seen.last);
  double squares = 0;
  for (std::size_t token = std::max<std::size_t>(begin, 1); token < end; ++token) {
    const auto weight = static_cast<double>(weights[token - seen.before]);
    squares += weight * weight;
  }
  for (std::size_t token = begin; token < end; ++token)
    paid[token] += squares / (all * all) * static_cast<double>(weights[token - seen.before]) / all;
}

/// Position of the first row. The others follow it without a gap: nothing but rows past a window was evicted.
std::size_t first_position(const HeadView& head) {
  const std::int32_t slot = head.slot(0), size = head.pool->block_tokens();
  return static_cast<std::size_t>(
      head.pool->positions(head.blocks[static_cast<std::size_t>(slot / size)])[slot % size]);
}

}  // namespace

void add_attention(const KvCache& read, const WindowQueries& queries, int layer, std::span<double> paid,
                   int sliding_window) {
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
    for (std::size_t query = 0; query < window; ++query) {
      SeenRows seen{.first = 0, .last = rows - window + query + 1, .before = first_position(keys)};
      if (sliding_window > 0) seen.first = seen.last - std::min(seen.last, static_cast<std::size_t>(sliding_window));
      add_query(std::span<const float>(weights).subspan(query * rows, rows), seen, paid);
    }
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
