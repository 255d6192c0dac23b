#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include "core/compress/scorers/scorers.h"

namespace kvantage::inline scorers {
namespace {

/// What the model attends to when it repeats the context (Kim et al. 2025): for each repeated part [a, b)
///   A = softmax(Q [K_sinks; K_a..b; K_rows]^T / sqrt(d) + causal);  s[t] = max over group and rows of A[.., t]
/// The first `sinks` tokens stay. kvpress's KVzipPress is global(kvzip). KVzip+ multiplies A by ||W_o v_t||_2 of its
/// query head and divides it by the norm of the row's hidden state.
class KvZip final : public Scorer {
 public:
  KvZip(int sinks, bool plus) : sinks_(sinks), plus_(plus) {}
  ScorerNeeds needs() const override { return {.keys = true, .repeat_pass = true, .output_norms = plus_}; }
  Expected<at::Tensor> try_score(const LayerView& view) const override {
    for (const LayerView::Repeat& part : view.repeat)
      if (plus_ && !part.hidden_norms.defined())
        return fail(ErrorCode::rejected_input,
                    "method 'kvzip_plus': a GPU computes the model, and only the CPU reports hidden states; choose "
                    "another method");
    return score(view);
  }
  at::Tensor score(const LayerView& view) const override {
    at::Tensor scores = at::zeros({view.kv_heads, view.tokens});
    for (const LayerView::Repeat& part : view.repeat) {
      const std::int64_t rows = part.queries.size(2), sinks = std::min(sinks_, part.first),
                         length = part.last - part.first;
      for (std::int64_t h = 0; h < view.kv_heads; ++h) {
        const at::Tensor keys =
            at::cat({view.keys[h].slice(0, 0, sinks), view.keys[h].slice(0, part.first, part.last), part.keys[h]});
        at::Tensor highest = at::zeros({length});
        for (std::int64_t begin = 0; begin < rows; begin += block_rows) {
          const std::int64_t end = std::min(rows, begin + block_rows);
          // Rows after `end` are in the future of this block.
          const at::Tensor attention =
              window_attention(part.queries[h].slice(1, begin, end), keys.slice(0, 0, sinks + length + end));
          at::Tensor paid = attention.slice(2, sinks, sinks + length);  // [group, rows, length]
          if (plus_)
            paid = paid / part.hidden_norms.slice(0, begin, end).unsqueeze(1) *
                   view.euclidean_output_norms[h].slice(1, part.first, part.last).unsqueeze(1);
          highest = at::maximum(highest, paid.amax({0, 1}));
        }
        scores[h].slice(0, part.first, part.last).copy_(highest);
      }
    }
    // Above every attention weight, or every such product.
    scores.slice(1, 0, std::min(sinks_, view.tokens)).fill_(plus_ ? 1e9F : 2.0F);
    return scores;
  }
  std::size_t score_buffer_bytes(const LayerView& view) const override {
    std::int64_t most = 0;  // over the parts: its rows in blocks, over the sinks, the part and the rows themselves
    for (const LayerView::Repeat& part : view.repeat) {
      const std::int64_t rows = part.queries.size(2), columns = sinks_ + part.last - part.first + rows;
      most = std::max(most, part.queries.size(1) * std::min<std::int64_t>(block_rows, rows) * columns);
    }
    return static_cast<std::size_t>(most) * sizeof(float);
  }

 private:
  static constexpr std::int64_t block_rows = 256;
  int sinks_;
  bool plus_;
};

}  // namespace

Expected<std::unique_ptr<Scorer>> make_kvzip(const Parameters& parameters) {
  KV_ASSIGN(const auto sinks, parameters.integer("sinks", 0, 4096));
  return std::make_unique<KvZip>(sinks, false);
}

Expected<std::unique_ptr<Scorer>> make_kvzip_plus(const Parameters& parameters) {
  KV_ASSIGN(const auto sinks, parameters.integer("sinks", 0, 4096));
  return std::make_unique<KvZip>(sinks, true);
}

}  // namespace kvantage::inline scorers
