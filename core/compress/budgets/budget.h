// How many tokens each layer and head may keep. One budget = one file here and one row in the table of registry.cpp.
#pragma once

#include <memory>
#include <span>

#include "core/base/error.h"
#include "core/base/text_form.h"
#include "core/compress/budgets/layer_scores.h"
#include "core/kv/kv_cache.h"

namespace kvantage::inline budgets {

class Budget {
 public:
  virtual ~Budget() = default;
  /// Kept indices per layer and KV head, ascending. A fraction of 0 keeps everything.
  virtual std::vector<KeptIndices> keep(const LayerScores& scores, double removed_fraction) const = 0;
  /// Whether every head keeps the same number of tokens in every layer, as re-rotation requires.
  virtual bool equal_heads() const { return true; }
};

using BudgetFactory = Expected<std::unique_ptr<Budget>> (*)(const Parameters&);

Expected<std::unique_ptr<Budget>> make_uniform(const Parameters& parameters);
Expected<std::unique_ptr<Budget>> make_pyramid(const Parameters& parameters);
Expected<std::unique_ptr<Budget>> make_adakv(const Parameters& parameters);
Expected<std::unique_ptr<Budget>> make_global(const Parameters& parameters);
Expected<std::unique_ptr<Budget>> make_chunkkv(const Parameters& parameters);
Expected<std::unique_ptr<Budget>> make_absolute(const Parameters& parameters);
Expected<std::unique_ptr<Budget>> make_impress(const Parameters& parameters);
Expected<std::unique_ptr<Budget>> make_entropy_chunkkv(const Parameters& parameters);
Expected<std::unique_ptr<Budget>> make_per_layer(const Parameters& parameters);
Expected<std::unique_ptr<Budget>> make_dms(const Parameters& parameters);
/// Of scorers that choose by themselves: tokens with a score above 0 stay at any fraction above 0.
std::unique_ptr<Budget> make_chosen(bool equal_heads);

/// Fills ranks from scores: larger scores first, ties by index, NaN last.
void rank(LayerScores::Head& head);

/// The `count` best tokens of one head, ascending.
std::vector<std::int32_t> best_tokens(const LayerScores::Head& head, std::size_t count);
/// The same number of best tokens for every head of a layer.
KeptIndices best_of_each_head(const std::vector<LayerScores::Head>& heads, std::size_t count);

/// Drops the `count` lowest scores over all heads; ties drop the later head and token first. heads[i] = scores of the
/// i-th head; an infinite score is never dropped before a finite one.
KeptIndices drop_lowest(const std::vector<std::span<const float>>& heads, std::size_t count);

}  // namespace kvantage::inline budgets
