// Which tokens of a layer a question finds important, as IMPRESS decides it (Chen et al., FAST 2025): the attention
// that the question pays in a few probe heads. Where these agree, the union of their best tokens counts for every head
// of the layer; where they do not, every token does.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/kv/kv_cache.h"
#include "core/request/request_state.h"

namespace kvantage::inline requests {

/// The share of tokens that the rule leaves out, as records and methods have it: 0.3 where 0.7 is kept.
double removed_fraction_of(const ImportantTokensRule& rule);

/// Attention of `queries` on the keys of one KV head, softmax over the context alone, summed over queries.
/// queries: [n, head_dim] after RoPE, not scaled -> [kept].
std::vector<float> question_attention(const HeadView& keys, std::span<const float> queries);

/// Of a layer; ascending. probe_keys: of KV heads 0, 1, ..., each [tokens, head_dim] in the type of `pool`.
/// queries: [heads, question tokens, head_dim], heads: query heads of each KV head in turn. no_space: the pool has no
/// blocks for the keys.
Expected<std::vector<std::int32_t>> important_tokens(BlockPool& pool,
                                                     std::span<const std::vector<std::byte>> probe_keys,
                                                     std::span<const float> queries, int query_heads,
                                                     const ImportantTokensRule& rule);

}  // namespace kvantage::inline requests
