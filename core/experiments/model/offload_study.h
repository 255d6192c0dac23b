// Prompts decoded from a slower tier in several ways, in one run on one machine: what the figures of the paper on
// partial recomputation (004) are made of.
#pragma once

#include <functional>
#include <vector>

#include "core/kvpr/offloaded_decode.h"

namespace kvantage {

/// What its steps took, in one mode.
struct OffloadedRun {
  SplitMode mode = SplitMode::load_only;
  std::vector<OffloadedStep> steps;   // without the first, which finds layers ready that were asked for long before it
  std::vector<std::int32_t> tokens;   // answered, greedy, [step][sequence], that of the first step included
  std::uint64_t offloaded_bytes = 0;  // on the tier at the end, padding included

  /// Sums over the steps.
  double seconds() const;
  double predicted_seconds() const;
  double waited_seconds() const;
  double recompute_seconds() const;
  double input_bytes() const;
  double kv_bytes() const;
  double weight_bytes() const;
};

struct OffloadStudyOptions {
  RecomputeProfile profile;
  std::vector<SplitMode> modes{SplitMode::load_only, SplitMode::solved};
  int chunk_tokens = 64;
  std::shared_ptr<const Codec> codec = nullptr;  // of keys and values on the tier; null: as held
  WeightLoading weights = WeightLoading::resident;
  BatchOrder order = BatchOrder::column;
  bool spans = false;               // steps tell when what was under way
  std::function<bool()> stop = {};  // asked before each step; true gives up
};

/// Decodes `generated` tokens behind each prompt, side by side, in each mode, one mode after the other. Under a codec
/// that loses, all decode the tokens of the first: theirs may differ, as what is computed anew loses nothing. Errors:
/// those of OffloadedDecode; `cancelled`; internal where two modes answer differently and nothing is lost.
Expected<std::vector<OffloadedRun>> compare_offloaded(Transformer& model, StorageTier& tier, BufferLender& lender,
                                                      const std::vector<std::vector<std::int32_t>>& prompts,
                                                      int generated, const OffloadStudyOptions& options);

}  // namespace kvantage
