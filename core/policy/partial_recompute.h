// KVPR (paper 004): keys and values of a layer's first l tokens are recomputed from the layer's inputs while those of
// the others are loaded. Solves for l in closed form, for MHA and GQA, for row and column schedules.
//
// Per layer and token of all sequences: a seconds to ship the layer's input, k to load key and value, c to compute key
// and value. The paper's equation 10, here with GQA (a: hidden, k: 2 * kv_heads * head_dim numbers), fixed costs and
// weight transfers:
//     t(l) = before + a l + max(c l, k (s - l) + after) + rest              transfers and compute of a layer overlap
// Where the transfers of the next layer run while this one computes (two sets of buffers), the longer of the two
// counts:
//     t(l) = max(before + a l + k (s - l) + after, c l + rest)              layers overlap
// Both fall while the link is the bottleneck and rise afterwards, if a < k; if a >= k, shipping inputs gains nothing.
// Everything is predicted from measured rates; no clock is read here.
#pragma once

#include <span>
#include <string>

#include "core/base/error.h"
#include "core/policy/types.h"

namespace kvantage::inline policy {

/// row: one batch through all layers; layer inputs are already on the computing device, and nothing is shipped for
/// them. column: several batches per layer; inputs are stored with the keys and values and shipped each step.
enum class RecomputeSchedule { row, column };
/// How l is chosen: for the least time, or none, or as many tokens as have layer inputs.
enum class SplitMode { solved, load_only, recompute_only };
const char* to_string(SplitMode mode);
/// within_layer: as in the paper's equations. across_layers: double-buffered, as the runtime here.
enum class TransferOverlap { within_layer, across_layers };
/// Layer weights that share the link each step (paper section 3.3): none; all before recomputation starts; or W_K and
/// W_V first, with recomputation in parallel to the others.
enum class WeightLoading { resident, whole, keys_values_first };

/// Sizes of a layer, in numbers; bytes per number as shipped (4-bit quantized: 0.5 plus their scales).
struct RecomputeShape {
  int hidden = 0;
  int kv_heads = 0;
  int head_dim = 0;
  double input_bytes = 2;  // of one number of a layer input
  double kv_bytes = 2;     // of one number of a key or value
  double input_bytes_per_token() const { return hidden * input_bytes; }
  double kv_bytes_per_token() const { return 2.0 * kv_heads * head_dim * kv_bytes; }
};

/// Computing keys and values of a layer from its inputs: seconds = fixed + seconds_per_token * tokens.
struct RecomputeRate {
  double fixed_seconds = 0;
  double seconds_per_token = 0;
};

/// Seconds of one layer in one step.
struct RecomputeCosts {
  double input_seconds = 0;            // a
  double kv_seconds = 0;               // k
  double recompute_seconds = 0;        // c
  double input_fixed_seconds = 0;      // where any layer input is shipped
  double kv_fixed_seconds = 0;         // where any key and value is loaded
  double recompute_fixed_seconds = 0;  // where anything is recomputed
  double weights_before_seconds = 0;   // weights that block recomputation
  double weights_beside_seconds = 0;   // weights that follow keys and values
  double rest_seconds = 0;             // the layer's other compute
  TransferOverlap overlap = TransferOverlap::within_layer;

  /// Time of the link, of compute, and of both for l of `tokens` recomputed.
  double link_seconds(double l, double tokens) const;
  double compute_seconds(double l) const;
  double seconds(double l, double tokens) const;
};

struct StreamedWeights {
  WeightLoading loading = WeightLoading::resident;
  double key_value_bytes = 0;  // W_K and W_V of a layer
  double other_bytes = 0;      // the layer's other bytes per step
};

/// Costs of a layer for `batch` sequences of equal length. In the row schedule, shipping inputs is free. Link latency
/// is paid by each kind of transfer within a layer, and hidden by earlier transfers across layers.
RecomputeCosts recompute_costs(RecomputeSchedule schedule, TransferOverlap overlap, const RecomputeShape& shape,
                               const TierModel& link, const RecomputeRate& rate, int batch = 1,
                               const StreamedWeights& weights = {}, double rest_seconds = 0);

struct RecomputeSplit {
  int recomputed_tokens = 0;  // l
  double seconds = 0;         // of the layer
  double load_only_seconds = 0;
  double recompute_only_seconds = 0;  // recomputing the allowed maximum
};

/// The l with the least time, 0 <= l <= most <= tokens, l a multiple of `unit` or `most`; on ties the smallest.
RecomputeSplit solve_split(const RecomputeCosts& costs, int tokens, int most, int unit = 1);
/// The same for l among `ends`, where runs end that are recomputed as a whole: ascending, at most `tokens`. Tries all.
RecomputeSplit solve_split(const RecomputeCosts& costs, int tokens, std::span<const int> ends);

/// usage error with both sizes where shipping layer inputs cannot pay off: column schedule and inputs no smaller than
/// keys and values, as 2 * kv_heads * head_dim <= hidden.
Status check_recompute_pays(RecomputeSchedule schedule, const RecomputeShape& shape);

}  // namespace kvantage::inline policy
