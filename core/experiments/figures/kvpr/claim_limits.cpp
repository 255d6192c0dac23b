#include "core/experiments/figures/kvpr/claim_limits.h"

#include <algorithm>

namespace kvantage::inline kvpr_figures {

std::string transfer_withheld(const LinkBandwidth& bandwidth) {
  if (!bandwidth.relative) return {};
  return bandwidth.is_break_even() ? "link / recompute is 1 at break-even by construction"
                                   : "link / recompute is set by the multiple of break-even";
}

std::string split_withheld(std::span<const SplitEnds> blocks, int prompt_tokens) {
  const auto stays_at = [blocks](int tokens) {
    return std::ranges::any_of(
        blocks, [tokens](const SplitEnds& block) { return block.first == tokens && block.last == tokens; });
  };
  if (stays_at(prompt_tokens)) return "our split ends at the prompt";
  return stays_at(0) ? "our split recomputes no token" : "";
}

}  // namespace kvantage::inline kvpr_figures
