// Why a claim of KVPR gets no verdict at some settings: where its number follows from the settings alone.
#pragma once

#include <span>
#include <string>

#include "core/experiments/figures/kvpr/bandwidths.h"

namespace kvantage::inline kvpr_figures {

/// Of the time of the link over that of recomputing, as MeasuredClaim::withheld; empty: it is compared. A multiple of
/// the break-even bandwidth sets this quotient, which is 1 at break-even.
std::string transfer_withheld(const LinkBandwidth& bandwidth);

/// Recomputed tokens of one block at the first and at the last generated token.
struct SplitEnds {
  int first = 0, last = 0;
};
/// Of the change of the split over the generation, likewise. Only tokens of the prompt can be recomputed, so that a
/// split of all or none of them at both ends, in any block, cannot change as the paper's does.
std::string split_withheld(std::span<const SplitEnds> blocks, int prompt_tokens);

}  // namespace kvantage::inline kvpr_figures
