// Prompts decoded from a slower tier in several modes, in one run on one machine: the data of the figures of the paper
// on partial recomputation (KVPR).
#pragma once

#include <functional>
#include <vector>

#include "core/kvpr/offloaded_decode.h"

namespace kvantage::inline model_experiments {

/// Step times in one mode.
struct OffloadedRun {
  SplitMode mode = SplitMode::load_only;
  std::vector<OffloadedStep> steps;   // without the first, whose layers were requested long before it
  std::vector<std::int32_t> tokens;   // answers, greedy, [step][sequence], including the first step's
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
  std::shared_ptr<const Codec> codec = nullptr;  // of keys and values on the tier; null: not encoded
  WeightLoading weights = WeightLoading::resident;
  BatchOrder order = BatchOrder::column;
  bool spans = false;               // record timelines of the steps
  std::function<bool()> stop = {};  // polled before each step; true aborts
};

/// Decodes `generated` tokens after each prompt, in a batch, one mode after the other. Under a lossy codec, all modes
/// decode the tokens of the first one: recomputed rows are lossless, so answers may differ. Errors: those of
/// OffloadedDecode; `cancelled`; internal where two modes answer differently without a lossy codec.
Expected<std::vector<OffloadedRun>> compare_offloaded(Transformer& model, StorageTier& tier, BufferLender& lender,
                                                      const std::vector<std::vector<std::int32_t>>& prompts,
                                                      int generated, const OffloadStudyOptions& options);

}  // namespace kvantage::inline model_experiments
