#include "core/kvpr/offloaded_sequence.h"

namespace kvantage::inline kvpr {

// Where runs end that may be recomputed: chunks of the prompt, and pages if all of the prompt may be.
std::vector<int> OffloadedSequence::recomputable(const ResidentRows* front) const {
  const int max_tokens = front != nullptr ? front->tokens() : prompt->tokens();
  std::vector<int> ends;
  for (const OffloadedBlock& block : prompt->layer(0).blocks)
    if (block.first + block.tokens <= max_tokens) ends.push_back(block.first + block.tokens);
  if (max_tokens == prompt->tokens()) pages.add_recomputable(newest.pages, ends);
  return ends;
}

// What others read comes between the transfers of this sequence, and what they compute between its layers: both add to
// what no l changes.
void OffloadedSequence::solve(const RecomputeCosts& costs, const LayerSeconds& others,
                              const RecomputeEstimate& estimate, SplitMode mode, const ResidentRows* front) {
  newest.pages = pages.written_pages();
  newest.streamed = pages.tokens_before(newest.pages);
  newest.recomputed = 0;
  const bool copies = front != nullptr && !front->are_inputs();
  const std::vector<int> ends = copies ? std::vector<int>() : recomputable(front);
  if (!ends.empty() && mode == SplitMode::recompute_only) newest.recomputed = ends.back();
  if (!ends.empty() && mode == SplitMode::solved) {
    RecomputeCosts beside = costs;
    beside.weights_beside_seconds += others.link;
    beside.rest_seconds += others.compute;
    newest.recomputed = estimate.recomputed_tokens(beside, newest.streamed, ends);
  }
  newest.resident = copies ? front->tokens() : front != nullptr ? newest.recomputed : 0;
  const int read_or_recomputed = newest.streamed - (copies ? front->tokens() : 0);
  newest.own = {.link = costs.link_seconds(newest.recomputed, read_or_recomputed),
                .compute = costs.compute_seconds(newest.recomputed) + costs.rest_seconds};
}

}  // namespace kvantage::inline kvpr
