#include "core/request/important_tokens.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/compress/budgets/budget.h"
#include "core/compress/budgets/probe_agreement.h"
#include "core/compress/scorers/row_math.h"

namespace kvantage::inline requests {

double removed_fraction_of(const ImportantTokensRule& rule) { return std::round((1 - rule.kept) * 1e9) / 1e9; }

std::vector<float> question_attention(const HeadView& keys, std::span<const float> queries) {
  constexpr std::size_t together = 32;  // queries whose weights are in memory at once
  const auto kept = static_cast<std::size_t>(keys.kept), dim = static_cast<std::size_t>(keys.pool->shape().head_dim);
  std::vector<float> paid(kept), weights;
  for (std::size_t at = 0; at < queries.size() && kept > 0; at += together * dim) {
    const auto some = queries.subspan(at, std::min(together * dim, queries.size() - at));
    weights.resize(some.size() / dim * kept);
    attention_weights(keys, some, weights);
    for (std::size_t query = 0; query < some.size() / dim; ++query)
      for (std::size_t token = 0; token < kept; ++token) paid[token] += weights[query * kept + token];
  }
  return paid;
}

Expected<std::vector<std::int32_t>> important_tokens(BlockPool& pool,
                                                     std::span<const std::vector<std::byte>> probe_keys,
                                                     std::span<const float> queries, int query_heads,
                                                     const ImportantTokensRule& rule) {
  const KvShape& shape = pool.shape();
  const std::size_t tokens = probe_keys.empty() ? 0 : probe_keys.front().size() / shape.bytes_per_row();
  if (tokens == 0) return std::vector<std::int32_t>();
  std::vector<std::int32_t> all(tokens);
  std::iota(all.begin(), all.end(), 0);
  const auto count = std::max<std::size_t>(1, static_cast<std::size_t>(static_cast<double>(tokens) * rule.kept));
  const std::size_t of_kv_head =
      queries.size() / static_cast<std::size_t>(query_heads) * static_cast<std::size_t>(query_heads / shape.kv_heads);
  std::vector<std::vector<std::int32_t>> best;
  best.reserve(probe_keys.size());
  KvCache probes(pool);  // only its keys are read
  for (std::size_t head = 0; head < probe_keys.size(); ++head) {
    const auto kv_head = static_cast<int>(head);
    KV_TRY(probes.append_head(0, kv_head, probe_keys[head], probe_keys[head], all));
    LayerScores::Head scored;
    scored.scores = question_attention(probes.head(0, kv_head), queries.subspan(head * of_kv_head, of_kv_head));
    rank(scored);
    best.push_back(best_tokens(scored, count));
    probes.truncate_head(0, kv_head, 0);
  }
  return agreed_tokens(best, count, tokens).value_or(std::move(all));
}

}  // namespace kvantage::inline requests
