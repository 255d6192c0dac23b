#include "core/policy/utility.h"

#include <algorithm>
#include <cmath>

#include "core/policy/compute_or_load.h"

namespace kvantage::inline policy {

namespace {

double finite_quality(double quality) { return std::isfinite(quality) ? quality : 0.0; }

struct QualityGuess {
  double quality = 0;
  bool assumed = false;
};

QualityGuess guess_quality(const ContextState& context, const Configuration& configuration, double fallback,
                           QualityReading reading) {
  if (const ProfilePoint* point = find_point(context, configuration.method, configuration.removed_fraction))
    return {finite_quality(point->estimate(reading)), false};
  const ProfilePoint* uncompressed = find_point(context, "none", 0);
  const double whole = uncompressed != nullptr ? finite_quality(uncompressed->quality) : fallback;
  if (configuration.method == "none" && same_fraction(configuration.removed_fraction, 0))
    return {whole, uncompressed == nullptr};
  if (!context.profile) return {whole, true};
  // Neighbors on the method's own curve, which starts at the uncompressed quality.
  double below_fraction = 0, below_quality = whole, above_fraction = 2, above_quality = whole;
  for (const ProfilePoint& point : context.profile->points) {
    if (point.method != configuration.method) continue;
    if (point.removed_fraction <= configuration.removed_fraction && point.removed_fraction >= below_fraction) {
      below_fraction = point.removed_fraction;
      below_quality = finite_quality(point.estimate(reading));
    }
    if (point.removed_fraction > configuration.removed_fraction && point.removed_fraction < above_fraction) {
      above_fraction = point.removed_fraction;
      above_quality = finite_quality(point.estimate(reading));
    }
  }
  if (above_fraction > 1) return {below_quality, true};
  const double share = (configuration.removed_fraction - below_fraction) / (above_fraction - below_fraction);
  return {below_quality + share * (above_quality - below_quality), true};
}

/// Null: its codec's size is not known beforehand, or it has none.
const EncodedSize* encoded_size_of(const Snapshot& snapshot, std::string_view method) {
  for (const CodecCost& cost : snapshot.codec_costs)
    if (cost.encoded && cost.method == method) return &*cost.encoded;
  return nullptr;
}

}  // namespace

double configuration_tokens(const ContextState& context, const Configuration& configuration) {
  if (const ProfilePoint* point = find_point(context, configuration.method, configuration.removed_fraction))
    return point->kept_tokens;
  return std::round(context.tokens * (1 - configuration.removed_fraction));
}

double finite_seconds(double seconds) {
  constexpr double longest_seconds = 1e12;
  return std::isfinite(seconds) ? std::clamp(seconds, 0.0, longest_seconds) : longest_seconds;
}

bool same_fraction(double a, double b) { return std::fabs(a - b) < 1e-9; }

bool same_configuration(const Configuration& a, const Configuration& b) {
  if (!a.stored() || !b.stored()) return a.stored() == b.stored();
  return a.tier == b.tier && a.method == b.method && same_fraction(a.removed_fraction, b.removed_fraction);
}

const ProfilePoint* find_point(const ContextState& context, std::string_view method, double removed_fraction) {
  if (!context.profile) return nullptr;
  for (const ProfilePoint& point : context.profile->points)
    if (same_fraction(point.removed_fraction, removed_fraction) && point.method == method) return &point;
  return nullptr;
}

double mean_uncompressed_quality(const Snapshot& snapshot, QualityReading reading) {
  reading = snapshot.read_by(reading);
  double sum = 0;
  std::size_t count = 0;
  for (const ContextState& context : snapshot.contexts)
    if (const ProfilePoint* point = find_point(context, "none", 0)) {
      sum += finite_quality(point->estimate(reading));
      ++count;
    }
  return count > 0 ? sum / static_cast<double>(count) : 1.0;
}

std::uint64_t configuration_bytes(const Snapshot& snapshot, const ContextState& context, std::string_view method,
                                  double removed_fraction) {
  if (context.placement.stored() && context.placement.method == method &&
      same_fraction(context.placement.removed_fraction, removed_fraction))
    return context.stored_bytes;
  if (const ProfilePoint* point = find_point(context, method, removed_fraction)) return point->bytes;
  const bool is_whole = same_fraction(removed_fraction, 0);
  const EncodedSize* const encoded = encoded_size_of(snapshot, method);
  if (is_whole && encoded == nullptr) return context.full_bytes;
  const auto full = static_cast<double>(context.full_bytes), windowed = static_cast<double>(context.windowed_bytes);
  const double removed_tokens = context.tokens * removed_fraction;
  // Layers whose window the text has passed keep their rows whatever is removed. An encoded size has them already.
  const double kept = encoded != nullptr ? encoded->bytes(context.tokens - removed_tokens)
                                         : windowed + (full - windowed) * (1 - removed_fraction);
  const double shrinking = encoded != nullptr ? encoded->bytes_per_token * removed_tokens : full;
  const double bytes = kept + (is_whole ? 0 : shrinking / 32 + 4096);
  return bytes < full ? static_cast<std::uint64_t>(std::ceil(bytes)) : context.full_bytes;
}

std::uint64_t configuration_bytes(const Snapshot& snapshot, const ContextState& context,
                                  const Configuration& configuration) {
  if (!configuration.stored()) return 0;
  return configuration_bytes(snapshot, context, configuration.method, configuration.removed_fraction);
}

double codec_seconds(const Snapshot& snapshot, int tier, std::string_view method, double removed_fraction,
                     double kept_tokens) {
  return exposed_codec_seconds(snapshot, tier, method, removed_fraction, kept_tokens, 0);
}

double exposed_codec_seconds(const Snapshot& snapshot, int tier, std::string_view method, double removed_fraction,
                             double kept_tokens, double load_seconds) {
  double exposed = 0;
  for (const CodecCost& cost : snapshot.codec_costs) {
    if (cost.tier >= 0 && cost.tier != tier) continue;
    if (cost.removed_fraction >= 0 && !same_fraction(cost.removed_fraction, removed_fraction)) continue;
    if (cost.method != method) continue;
    double seconds = cost.base_seconds + cost.seconds_per_token * kept_tokens;
    if (cost.overlapped_layers && *cost.overlapped_layers > 0)
      seconds -= std::min(seconds, load_seconds) * (1 - 1.0 / *cost.overlapped_layers);
    exposed += seconds;
  }
  return exposed;
}

double stored_ttft_seconds(const Snapshot& snapshot, const ContextFacts& context, const FormOnTier& form) {
  const TierModel& tier = snapshot.tiers[static_cast<std::size_t>(form.tier)].model;
  const auto bytes = static_cast<double>(form.bytes);
  const double question = snapshot.question.seconds(form.kept_tokens);
  if (snapshot.hybrid && std::ranges::find(snapshot.hybrid->methods, form.method) != snapshot.hybrid->methods.end())
    if (const auto seconds = hybrid_prefill_seconds(tier, snapshot.prefill, *snapshot.hybrid, context.tokens, bytes,
                                                    form.kept_tokens, question))
      return finite_seconds(*seconds);
  if (snapshot.question.following_layers) {
    const double computing = tier.decode_seconds_per_token * form.kept_tokens + question +
                             codec_seconds(snapshot, form.tier, form.method, form.removed_fraction, form.kept_tokens);
    return finite_seconds(tier.latency_seconds +
                          snapshot.question.seconds_with_load(bytes / tier.bytes_per_second, computing));
  }
  const double load = tier.seconds(bytes, form.kept_tokens);
  return finite_seconds(
      load + question +
      exposed_codec_seconds(snapshot, form.tier, form.method, form.removed_fraction, form.kept_tokens, load));
}

Prediction predict(const Snapshot& snapshot, const ContextState& context, const Configuration& configuration,
                   double fallback_quality, QualityReading reading) {
  Prediction prediction;
  const bool stored = configuration.tier >= 0 && static_cast<std::size_t>(configuration.tier) < snapshot.tiers.size();
  const Configuration effective = stored ? configuration : Configuration{};
  const QualityGuess guess = guess_quality(context, effective, fallback_quality, snapshot.read_by(reading));
  prediction.quality = guess.quality;
  prediction.quality_assumed = guess.assumed;
  if (stored) {
    prediction.bytes = configuration_bytes(snapshot, context, configuration);
    prediction.ttft_seconds = stored_ttft_seconds(snapshot, context,
                                                  {.tier = configuration.tier,
                                                   .method = configuration.method,
                                                   .removed_fraction = configuration.removed_fraction,
                                                   .bytes = prediction.bytes,
                                                   .kept_tokens = configuration_tokens(context, configuration)});
  } else {
    prediction.ttft_seconds =
        finite_seconds(snapshot.prefill.seconds(context.tokens) + snapshot.question.seconds(context.tokens));
  }
  prediction.utility = utility(snapshot.alpha, prediction.quality, prediction.ttft_seconds, context.frequency);
  return prediction;
}

QuantityValues quantities_of(const Snapshot& snapshot, const ContextState& context, const FormOnTier& form,
                             const Prediction& here, const Prediction& unstored) {
  const bool stored = form.tier != not_stored;
  const auto full_bytes = static_cast<double>(context.full_bytes);
  QuantityValues values;
  values[Quantity::alpha] = snapshot.alpha;
  values[Quantity::quality] = here.quality;
  values[Quantity::ttft] = here.ttft_seconds;
  values[Quantity::frequency] = context.frequency;
  values[Quantity::bytes] = stored ? static_cast<double>(form.bytes) : full_bytes;
  values[Quantity::tokens] = context.tokens;
  values[Quantity::kept] = stored ? form.kept_tokens : context.tokens;
  values[Quantity::recompute] = unstored.ttft_seconds;
  values[Quantity::read] = stored ? finite_seconds(snapshot.tiers[static_cast<std::size_t>(form.tier)].model.seconds(
                                        static_cast<double>(form.bytes), form.kept_tokens))
                                  : 0;
  values[Quantity::full_bytes] = full_bytes;
  values[Quantity::full_quality] = unstored.quality;
  values[Quantity::stored] = stored ? 1 : 0;
  return values;
}

QuantityValues quantities_of(const Snapshot& snapshot, const ContextState& context, const Configuration& configuration,
                             const Prediction& here, const Prediction& unstored) {
  const bool stored = configuration.tier >= 0 && static_cast<std::size_t>(configuration.tier) < snapshot.tiers.size();
  FormOnTier form{.tier = not_stored};
  if (stored)
    form = {configuration.tier, configuration.method, configuration.removed_fraction, here.bytes,
            configuration_tokens(context, configuration)};
  return quantities_of(snapshot, context, form, here, unstored);
}

double formula_utility(const Formula& formula, const Snapshot& snapshot, const ContextState& context,
                       const Configuration& configuration, const Prediction& here, const Prediction& unstored) {
  Formula::Evaluator evaluate(formula);
  return comparable_value(evaluate(quantities_of(snapshot, context, configuration, here, unstored)));
}

}  // namespace kvantage::inline policy
