// Predictions for one context in one configuration: bytes, quality, time to first token, utility (EvicPress 4.2).
//     stored:      ttft = latency + bytes / bandwidth + decode * kept + question(kept); less where its front is
//     computed
//                  while its back loads (compute_or_load.h)
//     not stored:  ttft = prefill(tokens) + question(tokens), with the quality of the uncompressed cache
// A configuration without a measured point is estimated and marked as such: between two measured fractions of the same
// method by linear interpolation; else by the uncompressed quality of the context, or the mean of the profiled
// contexts.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/policy/formula/formula.h"
#include "core/policy/types.h"

namespace kvantage::inline policy {

struct Prediction {
  std::uint64_t bytes = 0;
  double quality = 0, ttft_seconds = 0, utility = 0;
  bool quality_assumed = false;
};

/// utility = (alpha * quality - ttft) * frequency.
inline double utility(double alpha, double quality, double ttft_seconds, double frequency) {
  return (alpha * quality - ttft_seconds) * frequency;
}

/// The fit of a broken or absent device may be infinite: clamped to [0, 1e12] so that sums stay finite.
double finite_seconds(double seconds);

/// Mean quality of ("none", 0) over the profiled contexts, 1 when none is profiled.
double mean_uncompressed_quality(const Snapshot& snapshot, QualityReading reading = QualityReading::pooled);

/// The measured point of exactly this method and fraction, or nullptr. ("m", 0) of a method that only drops tokens is
/// not looked up under "none": it is its own point.
const ProfilePoint* find_point(const ContextState& context, std::string_view method, double removed_fraction);

/// Whether two removed fractions are the same grid point.
bool same_fraction(double a, double b);
/// The same form on the same tier; all that are not stored are the same.
bool same_configuration(const Configuration& a, const Configuration& b);

/// Bytes of the context's entry under a method and fraction: as stored now, else as profiled, else estimated from the
/// method's encoded size, where the snapshot has it, or full_bytes; slightly too high (headers and page padding do not
/// shrink with the tokens), but never above full_bytes. By its encoded size, a text shorter than the model's windows
/// counts as if it filled them: far too high where they are long.
std::uint64_t configuration_bytes(const Snapshot& snapshot, const ContextState& context, std::string_view method,
                                  double removed_fraction);
/// As above for a configuration; 0 when not stored.
std::uint64_t configuration_bytes(const Snapshot& snapshot, const ContextState& context,
                                  const Configuration& configuration);

/// Tokens of the context's entry in a configuration: as profiled, else estimated.
double configuration_tokens(const ContextState& context, const Configuration& configuration);

/// `fallback_quality`: mean_uncompressed_quality of the snapshot, passed in because it is the same for all contexts.
Prediction predict(const Snapshot& snapshot, const ContextState& context, const Configuration& configuration,
                   double fallback_quality, QualityReading reading = QualityReading::pooled);

/// Decoding time that this form adds to a load from a tier, for so many kept tokens.
double codec_seconds(const Snapshot& snapshot, int tier, std::string_view method, double removed_fraction,
                     double kept_tokens);

/// The part of it that a load of `load_seconds` does not hide.
double exposed_codec_seconds(const Snapshot& snapshot, int tier, std::string_view method, double removed_fraction,
                             double kept_tokens, double load_seconds);

/// A context as it would be on a tier of a snapshot.
struct FormOnTier {
  int tier = 0;
  std::string_view method = {};
  double removed_fraction = 0;
  std::uint64_t bytes = 0;
  double kept_tokens = 0;
};

/// Its predicted TTFT: loaded, or by hybrid prefill where the snapshot has it and it is faster.
double stored_ttft_seconds(const Snapshot& snapshot, const ContextFacts& context, const FormOnTier& form);

/// What a formula reads of a context on a tier, or not stored, and its predictions there and not stored.
QuantityValues quantities_of(const Snapshot& snapshot, const ContextState& context, const FormOnTier& form,
                             const Prediction& here, const Prediction& unstored);
/// The same of a context in a configuration; one that names no tier of the snapshot counts as not stored.
QuantityValues quantities_of(const Snapshot& snapshot, const ContextState& context, const Configuration& configuration,
                             const Prediction& here, const Prediction& unstored);

/// The utility of a context in a configuration that it is predicted for: a formula's value, comparable_value().
double formula_utility(const Formula& formula, const Snapshot& snapshot, const ContextState& context,
                       const Configuration& configuration, const Prediction& here, const Prediction& unstored);

/// Whether the context's placement names a tier of the snapshot.
inline bool is_placed(const Snapshot& snapshot, const ContextState& context) {
  return context.placement.tier >= 0 && static_cast<std::size_t>(context.placement.tier) < snapshot.tiers.size();
}

}  // namespace kvantage::inline policy
