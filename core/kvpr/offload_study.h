// One prompt decoded from a slower tier in several ways, in one run on one machine: what the figures of the paper on partial recomputation (004)
// are made of.
#pragma once

#include <functional>
#include <vector>

#include "core/kvpr/offloaded_decode.h"

namespace kvantage {

/// What its steps took, in one mode.
struct OffloadedRun {
  SplitMode mode = SplitMode::load_only;
  std::vector<OffloadedStep> steps;   // without the first, which finds layers ready that were asked for long before it
  std::vector<std::int32_t> tokens;   // answered, greedy, that of the first step included

  /// Sums over the steps.
  double seconds() const;
  double predicted_seconds() const;
  double waited_seconds() const;
  double recompute_seconds() const;
  double input_bytes() const;
  double kv_bytes() const;
};

/// Decodes `generated` tokens behind `prompt` in each mode, one after the other. stop(): asked before each step; true gives up with
/// `cancelled`. Errors: those of OffloadedDecode; internal where two modes answer differently.
Expected<std::vector<OffloadedRun>> compare_offloaded(Transformer& model, StorageTier& tier, BufferLender& lender, const std::vector<std::int32_t>& prompt, int generated,
                                                      const std::vector<SplitMode>& modes, const RecomputeProfile& profile, int chunk_tokens,
                                                      const std::function<bool()>& stop = {});

}  // namespace kvantage
