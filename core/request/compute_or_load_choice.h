// Decides by the cost fits whether a stored context is served by compute-or-load (core/load/load_or_compute.h): its
// front computed while its back loads, or all of it computed.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "core/load/load_or_compute.h"
#include "core/request/cache_hit.h"

namespace kvantage::inline requests {

/// The decision for it, and its predictions. Seconds: from its start to the first token, the question included.
struct ComputeOrLoadChoice {
  StoredContext stored;
  ComputeOrLoadOptions options;
  double predicted_seconds = 0;
  double load_alone_seconds = 0;  // with the question's layers following the load's
  bool reads_nothing = false;     // everything is computed
};

/// Inputs of the choice.
struct ComputeOrLoadFits {
  TierModel tier;
  PrefillModel prefill;
  QuestionModel question;
  double intake_seconds_per_byte = 0;  // as in ComputeOrLoadOptions
  double codec_seconds = 0;            // to decode the entry, beyond unpacking plain rows
  ServingWays ways{};
};

/// An entry that holds layer inputs is loaded (and recomputed from them) or prefilled as a whole.
/// Null: load the hit. So where the predicted gain is too small, where computing would not give the rows that loading
/// gives, and where the entry cannot be read in parts: a prefix of the context, an entry with another codec (KIVI,
/// CacheGen, fp8, ...), re-rotated keys, a write in flight, an unknown header, or a compressed entry without its map of
/// kept tokens. Where recomputing everything is predicted to be fastest, that is chosen, and nothing is read unless
/// computing falls behind; the entry stays, as only the policy evicts.
std::shared_ptr<const ComputeOrLoadChoice> choose_compute_or_load(const CacheHit& hit,
                                                                  std::span<const std::int32_t> context_tokens,
                                                                  const ComputeOrLoadFits& fits);

/// A tier that is predicted to be too slow is never read, so its fit would never show that it has become faster.
/// Therefore one of its entries is loaded occasionally: at least `min_between` answers apart, at a predicted cost of at
/// most `max_lost` of the time of those answers. If that load was no slower than computing, the next ones load too,
/// until the fits have adapted.
class UnreadTier {
 public:
  static constexpr int min_between = 8;
  static constexpr double max_lost = 0.05;
  /// Whether to load what `choice` would compute; otherwise it counts as computed.
  bool is_due(const ComputeOrLoadChoice& choice);
  /// A load from the tier was measured; its request had this time to first token.
  void was_read(double seconds_to_first_token);

 private:
  int computed_ = 0;
  double seconds_ = 0;  // total of these
  double to_beat_ = 0;  // predicted compute time of the load in flight
  bool was_fast_ = false;
};

}  // namespace kvantage::inline requests
