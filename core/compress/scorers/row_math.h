// Scorer math over the rows of one KV head, read in place in the pool: no gather, no fp32 copy. Runs on the calling
// thread with the best kernels of this CPU (core/model/kernels/row_kernels.h). Results are in logical order, [kept].
#pragma once

#include <span>

#include "core/kv/kv_cache.h"

namespace kvantage::inline scorers {

/// Euclidean norms of a head's keys or values: fills norms [kept].
void key_norms(const HeadView& head, std::span<float> norms);
void value_norms(const HeadView& head, std::span<float> norms);
/// Norms of the keys, and the sum of the keys divided by their norms [head_dim].
void key_norms(const HeadView& head, std::span<float> norms, std::span<float> unit_sum);
/// vectors [n, head_dim] . keys: fills products [n, kept].
void key_products(const HeadView& head, std::span<const float> vectors, std::span<float> products);
/// Right after key_norms(): replaces the norms [kept] by vector [head_dim] . keys / max(norm, 1e-8), newest first,
/// which are still in the cache.
void key_cosines(const HeadView& head, std::span<const float> vector, std::span<float> norms);
/// softmax(q K^T / sqrt(head_dim)) of queries that see every row: queries [n, head_dim] -> weights [n, kept].
void attention_weights(const HeadView& head, std::span<const float> queries, std::span<float> weights);
/// Attention that the last rows' queries pay to each row under the causal mask, summed over queries and query heads.
/// queries [group, window, head_dim], of the last `window` rows -> paid [kept].
void attention_paid(const HeadView& head, std::span<const float> queries, int group, std::span<float> paid);
/// Peak bytes of attention weights.
std::size_t attention_paid_bytes(std::size_t kept, std::size_t queries);

}  // namespace kvantage::inline scorers
