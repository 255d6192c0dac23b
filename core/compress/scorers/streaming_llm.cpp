#include "core/compress/scorers/scorers.h"

namespace kvantage::inline scorers {
namespace {

/// The first `sinks` tokens, then the most recent ones (Xiao et al. 2023), at their original positions as in kvpress:
/// s[t] = t for recency; sinks are above all of these, the first the highest.
class StreamingLlm final : public Scorer {
 public:
  explicit StreamingLlm(int sinks) : sinks_(sinks) {}
  ScorerNeeds needs() const override { return {}; }
  at::Tensor score(const LayerView& view) const override {
    std::vector<float> scores(static_cast<std::size_t>(view.tokens));
    for (int t = 0; t < view.tokens; ++t)
      scores[static_cast<std::size_t>(t)] = static_cast<float>(t < sinks_ ? view.tokens + sinks_ - t : t);
    return same_for_all_heads(view, std::move(scores));
  }

 private:
  int sinks_;
};

}  // namespace

Expected<std::unique_ptr<Scorer>> make_streaming_llm(const Parameters& parameters) {
  KV_ASSIGN(const auto sinks, parameters.integer("sinks", 0, 4096));
  return std::make_unique<StreamingLlm>(sinks);
}

}  // namespace kvantage::inline scorers
