#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "core/compress/wrappers/wrappers.h"

namespace kvantage::inline scorer_wrappers {
namespace {

constexpr float pinned_score = std::numeric_limits<float>::max();

/// Inner scores and, as weights, what a value adds to the layer's output: mean over the group of ||W_o v_t||_1.
class CriticalScorer : public Scorer {
 public:
  CriticalScorer(std::unique_ptr<const Scorer> inner, double epsilon, double first)
      : inner_(std::move(inner)), epsilon_(static_cast<float>(epsilon)), first_(first) {}
  ScorerNeeds needs() const override {
    ScorerNeeds needs = inner_->needs();
    needs.output_norms = true;
    return needs;
  }
  at::Tensor score(const LayerView& view) const override { return inner_->score(view); }
  Expected<at::Tensor> try_score(const LayerView& view) const override { return inner_->try_score(view); }
  std::size_t score_buffer_bytes(const LayerView& view) const override { return inner_->score_buffer_bytes(view); }
  bool depends_on_fraction() const override { return true; }
  at::Tensor weights(const LayerView& view) const override { return view.absolute_output_norms.mean(1); }

 protected:
  double first() const { return first_; }
  /// The `pinned` best tokens get the highest score, all others (score + epsilon) * weight.
  void weigh(LayerScores::Head& head, std::size_t pinned) const {
    for (std::size_t t = 0; t < head.scores.size(); ++t)
      head.scores[t] = static_cast<std::size_t>(head.ranks[t]) < pinned
                           ? pinned_score
                           : (head.scores[t] + epsilon_) * (t < head.weights.size() ? head.weights[t] : 1.0F);
  }

 private:
  std::unique_ptr<const Scorer> inner_;
  float epsilon_;
  double first_;
};

/// Two stages (Feng et al. 2025, as in kvpress): a share `first` of the budget goes to the best tokens, the rest to
/// those with the highest (score + epsilon) * weight.
class CriticalKv final : public CriticalScorer {
 public:
  using CriticalScorer::CriticalScorer;
  void score_at(double removed_fraction, LayerScores& scores) const override {
    auto pinned = static_cast<std::size_t>((1 - removed_fraction) * static_cast<double>(scores.tokens()) * first());
    if (first() > 0) pinned = std::max<std::size_t>(pinned, 1);
    for (auto& heads : scores.layers)
      for (LayerScores::Head& head : heads) weigh(head, pinned);
  }
};

/// The same within the budgets of adakv: each head gets as many tokens as it has among the best of the layer, the best
/// `safeguard` percent of an equal share included, and chooses them in two stages.
class CriticalAdaKv final : public CriticalScorer {
 public:
  CriticalAdaKv(std::unique_ptr<const Scorer> inner, double epsilon, double first, int safeguard_percent)
      : CriticalScorer(std::move(inner), epsilon, first), safeguard_(safeguard_percent / 100.0) {}
  bool chooses() const override { return true; }
  void score_at(double removed_fraction, LayerScores& scores) const override {
    const std::size_t tokens = scores.tokens(), share = kept_tokens(tokens, removed_fraction);
    auto safe = static_cast<std::size_t>(static_cast<double>(share) * safeguard_);
    if (safeguard_ > 0) safe = std::max<std::size_t>(safe, 1);
    for (auto& heads : scores.layers) {
      const std::vector<std::size_t> budgets = budgets_of(heads, share * heads.size(), safe);
      for (std::size_t h = 0; h < heads.size(); ++h) {
        const auto first_stage = static_cast<std::size_t>(static_cast<double>(budgets[h]) * first());
        choose(heads[h], std::max(safe, first_stage), budgets[h]);
      }
    }
  }

 private:
  /// Tokens of each head among the `count` best of the layer; the `safe` best of each head come first.
  static std::vector<std::size_t> budgets_of(const std::vector<LayerScores::Head>& heads, std::size_t count,
                                             std::size_t safe) {
    struct Token {
      float score;
      std::size_t head;
    };
    std::vector<Token> all;
    all.reserve(heads.size() * (heads.empty() ? 0 : heads.front().scores.size()));
    for (std::size_t h = 0; h < heads.size(); ++h)
      for (std::size_t t = 0; t < heads[h].scores.size(); ++t)
        all.push_back(
            {static_cast<std::size_t>(heads[h].ranks[t]) < safe ? pinned_score : ordered(heads[h].scores[t]), h});
    std::ranges::stable_sort(all, std::ranges::greater{}, &Token::score);
    std::vector<std::size_t> budgets(heads.size(), 0);
    for (std::size_t i = 0; i < std::min(count, all.size()); ++i) ++budgets[all[i].head];
    return budgets;
  }
  static float ordered(float score) { return std::isnan(score) ? -pinned_score : score; }

  /// Scores become 1 for the `budget` tokens that stay and 0 for the others.
  void choose(LayerScores::Head& head, std::size_t pinned, std::size_t budget) const {
    std::vector<std::size_t> order(head.scores.size());
    for (std::size_t t = 0; t < order.size(); ++t) order[static_cast<std::size_t>(head.ranks[t])] = t;
    weigh(head, pinned);
    // Those that are pinned lead; the others follow by their weighted scores.
    const auto rest = order.begin() + static_cast<std::ptrdiff_t>(std::min(pinned, order.size()));
    std::sort(rest, order.end());
    std::stable_sort(rest, order.end(),
                     [&](std::size_t a, std::size_t b) { return ordered(head.scores[a]) > ordered(head.scores[b]); });
    for (std::size_t i = 0; i < order.size(); ++i) head.scores[order[i]] = i < budget ? 1.0F : 0.0F;
  }

  double safeguard_;
};

}  // namespace

Expected<std::unique_ptr<Scorer>> make_criticalkv(const Parameters& parameters, std::unique_ptr<const Scorer> inner) {
  KV_ASSIGN(const auto epsilon, parameters.real("epsilon", 0, 1e6));
  KV_ASSIGN(const auto first, parameters.integer("first", 0, 100));
  return std::make_unique<CriticalKv>(std::move(inner), epsilon, first / 100.0);
}

Expected<std::unique_ptr<Scorer>> make_criticaladakv(const Parameters& parameters,
                                                     std::unique_ptr<const Scorer> inner) {
  KV_ASSIGN(const auto epsilon, parameters.real("epsilon", 0, 1e6));
  KV_ASSIGN(const auto first, parameters.integer("first", 0, 100));
  KV_ASSIGN(const auto safeguard, parameters.integer("safeguard", 0, 100));
  return std::make_unique<CriticalAdaKv>(std::move(inner), epsilon, first / 100.0, safeguard);
}

}  // namespace kvantage::inline scorer_wrappers
