// Whether a stored context is to be served by compute-or-load (core/load/load_or_compute.h), by the fits of what things
// cost: its front computed while its back is read, or all of it computed.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "core/load/load_or_compute.h"
#include "core/request/cache_hit.h"

namespace kvantage::inline requests {

/// That it is, and what it is to come to. Seconds: from there to the first token, the question included.
struct ComputeOrLoadChoice {
  StoredContext stored;
  ComputeOrLoadOptions options;
  double predicted_seconds = 0;
  double load_alone_seconds = 0;  // the question's layers following the load's
  bool reads_nothing = false;     // all of it is computed
};

/// What the choice rests on.
struct ComputeOrLoadFits {
  TierModel tier;
  PrefillModel prefill;
  QuestionModel question;
  double intake_seconds_per_byte = 0;  // as ComputeOrLoadOptions
};

/// A choice only where it is predicted to take at least this share less than loading alone.
inline constexpr double min_gain = 0.05;

/// Null: the hit is loaded. That is so where no such gain is predicted, and where computing would not give the rows
/// that loading gives, or the entry cannot be read in parts: a prefix of the context, one of a codec (KIVI, CacheGen,
/// fp8 and the like) or whose keys move after reading, one being written, one whose header, or of whose removed tokens
/// the map, is not known (again) yet. Where computing all of it is predicted to be soonest, that is chosen, and nothing
/// is read unless computing falls behind; the entry stays, as whether it deserves its place is the policy's to say.
std::shared_ptr<const ComputeOrLoadChoice> choose_compute_or_load(const CacheHit& hit,
                                                                  std::span<const std::int32_t> context_tokens,
                                                                  const ComputeOrLoadFits& fits);

/// A tier that is predicted to be too slow is not read, and so would never be found to have become fast. Now and then
/// one of its entries is loaded all the same: never before `min_between` answers, and at a cost, by the fits, of at
/// most `max_lost` of what those took. Where that was no slower than computing was to be, the next ones are, too,
/// until the fits have learnt it.
class UnreadTier {
 public:
  static constexpr int min_between = 8;
  static constexpr double max_lost = 0.05;
  /// Whether to load what `choice` would compute; it counts as computed if not.
  bool is_due(const ComputeOrLoadChoice& choice);
  /// A load of the tier has told what it costs, and came to its first token within this.
  void was_read(double seconds_to_first_token);

 private:
  int computed_ = 0;
  double seconds_ = 0;  // of those
  double to_beat_ = 0;  // of the load in flight, by computing
  bool was_fast_ = false;
};

}  // namespace kvantage::inline requests
