// One sequence of a decode from a slower tier: its prompt and its later tokens on the tier, and what its layers in
// flight were requested with.
#pragma once

#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "core/kvpr/decoded_pages.h"
#include "core/kvpr/offloaded_column.h"
#include "core/kvpr/offloaded_peers.h"
#include "core/kvpr/prefilled_prompt.h"
#include "core/kvpr/recompute_estimate.h"
#include "core/kvpr/resident_rows.h"

namespace kvantage::inline kvpr {

/// A requested layer, for the step that it belongs to.
struct LayerRequest {
  int recomputed = 0, streamed = 0;
  int resident = 0;  // tokens for which nothing is read
  std::size_t pages = 0;
  LayerSeconds own = {};                           // predicted, as if it were alone
  std::shared_ptr<MatrixRead> matrices = nullptr;  // of its column
};

struct OffloadedSequence {
  OffloadedSequence(const Transformer& model, const RowCodec& codec, PrefilledPrompt prefilled, PageOptions options)
      : prompt(std::move(prefilled.prompt)),
        pages(model, codec, prompt->tier(), prompt->tokens(), std::move(options)),
        position(prompt->tokens()),
        logits(std::move(prefilled.logits)) {}

  /// Sets `newest` for a step over what is on the tier now. costs: of this sequence alone. others: who share the link
  /// and the processor. front: resident rows, or null.
  void solve(const RecomputeCosts& costs, const LayerSeconds& others, const RecomputeEstimate& estimate, SplitMode mode,
             const ResidentRows* front);

  std::unique_ptr<OffloadedPrompt> prompt;
  DecodedPages pages;
  std::int32_t position;
  std::vector<float> logits;
  std::deque<LayerRequest> requests = {};  // parallel to its layers in the stream
  LayerRequest newest = {};

 private:
  std::vector<int> recomputable(const ResidentRows* front) const;
};

}  // namespace kvantage::inline kvpr
