#include <ATen/ATen.h>

#include <numeric>

#include "core/compress/scorers/column_sums.h"
#include "core/compress/scorers/scorers.h"

namespace kvantage::inline scorers {
namespace {

/// Heavy hitters (Zhang et al. 2023): of n kept tokens the most recent half, and of the others those with the largest
/// attention sums, not normalized, mean over the group. One order serves every n: it alternates between the next recent
/// token and the heaviest one left. If that recent token is already taken, the turn goes to a heavy one. So its first n
/// tokens are the paper's choice for n.
class H2o final : public Scorer {
 public:
  ScorerNeeds needs() const override { return {.keys = true, .window_queries = every_query}; }
  at::Tensor score(const LayerView& view) const override {
    at::Tensor scores = at::empty({view.kv_heads, view.tokens});
    for (std::int64_t h = 0; h < view.kv_heads; ++h) {
      at::Tensor sums = at::zeros({view.tokens});
      for_attention_blocks(view.queries[h], view.keys[h], [&](std::int64_t, const at::Tensor& attention) {
        sums.slice(0, 0, attention.size(2)) += attention.sum(1).mean(0);
      });
      take_turns(sums.const_data_ptr<float>(), view.tokens, scores[h].mutable_data_ptr<float>());
    }
    return scores;
  }
  std::size_t score_buffer_bytes(const LayerView& view) const override {
    return attention_block_bytes(view.tokens, view.queries.size(1));
  }

 private:
  static void take_turns(const float* sums, int tokens, float* scores) {
    std::vector<int> heavy(static_cast<std::size_t>(tokens));
    std::iota(heavy.begin(), heavy.end(), 0);
    std::ranges::stable_sort(heavy, [sums](int a, int b) { return sums[a] > sums[b]; });
    std::vector<bool> taken(heavy.size(), false);
    std::size_t next_heavy = 0;
    int next_recent = tokens - 1;
    for (int turn = 0; turn < tokens; ++turn) {
      int token = -1;
      if (turn % 2 == 0 && !taken[static_cast<std::size_t>(next_recent)]) token = next_recent;
      if (turn % 2 == 0) --next_recent;
      if (token < 0) {
        while (taken[static_cast<std::size_t>(heavy[next_heavy])]) ++next_heavy;
        token = heavy[next_heavy];
      }
      taken[static_cast<std::size_t>(token)] = true;
      scores[token] = static_cast<float>(tokens - turn);
    }
  }
};

}  // namespace

Expected<std::unique_ptr<Scorer>> make_h2o(const Parameters&) { return std::make_unique<H2o>(); }

}  // namespace kvantage::inline scorers
