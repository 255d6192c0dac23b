#include <ATen/ATen.h>

#include <algorithm>

#include "core/compress/scorers/column_sums.h"
#include "core/compress/scorers/scorers.h"

namespace kvantage::inline scorers {
namespace {

/// Persistence of importance (Liu et al. 2023): how often, over the last `history` queries, a token got at least an
/// equal share of attention, 1/t for a query that sees t tokens; mean over the group. The `recent` newest stay.
class Scissorhands final : public Scorer {
 public:
  Scissorhands(int history, int recent) : history_(history), recent_(recent) {}
  ScorerNeeds needs() const override { return {.keys = true, .window_queries = history_}; }
  at::Tensor score(const LayerView& view) const override {
    const std::int64_t window = std::min<std::int64_t>(history_, view.queries.size(2));
    at::Tensor scores = at::zeros({view.kv_heads, view.tokens});
    for (std::int64_t h = 0; h < view.kv_heads; ++h)
      for_attention_blocks(view.queries[h].slice(1, view.queries.size(2) - window), view.keys[h],
                           [&](std::int64_t first, const at::Tensor& attention) {
                             const at::Tensor visible =
                                 at::arange(first + 1, first + 1 + attention.size(1), at::kFloat);
                             const at::Tensor important = attention >= (1 / visible).unsqueeze(-1);
                             scores[h].slice(0, 0, attention.size(2)) += important.to(at::kFloat).sum(1).mean(0);
                           });
    scores /= static_cast<double>(window);
    const std::int64_t protect = std::min<std::int64_t>(recent_, view.tokens);
    scores.slice(1, view.tokens - protect).fill_(2);  // above every share
    return scores;
  }
  std::size_t score_buffer_bytes(const LayerView& view) const override {
    return attention_block_bytes(view.tokens, view.queries.size(1));
  }

 private:
  int history_, recent_;
};

}  // namespace

Expected<std::unique_ptr<Scorer>> make_scissorhands(const Parameters& parameters) {
  KV_ASSIGN(const auto history, parameters.integer("history", 1, 65536));
  KV_ASSIGN(const auto recent, parameters.integer("recent", 0, 65536));
  return std::make_unique<Scissorhands>(history, recent);
}

}  // namespace kvantage::inline scorers
