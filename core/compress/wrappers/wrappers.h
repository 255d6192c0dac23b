// Wrappers of scorers: a scorer of another one's scores. One wrapper = one file here and its row in wrappers.inl.
#pragma once

#include <memory>
#include <vector>

#include "core/base/text_form.h"
#include "core/compress/scorers/scorer.h"

namespace kvantage::inline scorer_wrappers {

/// inner: its scores are the same for every fraction. usage: parameters, or an inner scorer that it cannot take.
using WrapperFactory = Expected<std::unique_ptr<Scorer>> (*)(const Parameters&, std::unique_ptr<const Scorer> inner);

#define KVANTAGE_WRAPPER(name, ...) \
  Expected<std::unique_ptr<Scorer>> make_##name(const Parameters& parameters, std::unique_ptr<const Scorer> inner);
#include "core/compress/wrappers/wrappers.inl"
#undef KVANTAGE_WRAPPER

/// Some rows of a layer, each head its own, as if the cache held no others. Heads of the pool are views of the same
/// blocks. Queries are those of these rows, hidden states those of the first head's; a repeat pass is left out.
struct RowsView {
  LayerView view;
  std::vector<std::vector<std::int32_t>> slots;  // [kv_heads], what view.heads refers to
};

/// rows: per KV head, ascending, the same number in each. If queries are needed, `all` has those of every token.
RowsView rows_of(const LayerView& all, const KeptIndices& rows);

/// An inner scorer's refusal: "method 'block': takes ...".
tl::unexpected<Error> wrong_inner(const char* wrapper, const char* takes);

}  // namespace kvantage::inline scorer_wrappers
