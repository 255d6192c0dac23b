// Attention that an answer pays to the text it was read from.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/kv/kv_cache.h"
#include "core/kv/serial.h"
#include "core/ports/asker.h"

namespace kvantage::inline inspection {

/// Adds to `paid` [tokens of the text] what the last rows of `read` pay to its first ones, the text, in one layer,
/// summed over the rows and query heads: softmax(q k / sqrt(head_dim)) over all rows up to a query's own, as the model
/// computes it. What a query pays to question and answer is not counted. Most heads spread their attention, so each
/// query counts by how concentrated it is on the text: by the sum of its squares there, the first token left out.
/// read: uncompressed, text, question and answer; queries: of its last rows, after RoPE. A query head reads the KV head
/// of its group. sliding_window: the newest rows that a query of the layer sees, its own included; 0: all.
void add_attention(const KvCache& read, const WindowQueries& queries, int layer, std::span<double> paid,
                   int sliding_window = 0);

/// Divided by their sum; empty if that is 0.
std::vector<float> shares_of(std::span<const double> paid);

/// The run of at most 24 tokens whose shares exceed the mean, and a tenth of the largest one, most in sum. The first
/// token is left out: it takes attention whatever it says (an attention sink). Nothing with fewer than 4 tokens or
/// where no share exceeds the mean.
std::optional<AskSpan> densest_span(std::span<const float> shares);

}  // namespace kvantage::inline inspection
