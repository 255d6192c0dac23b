#include "core/simulator/fitted_preset.h"

#include <algorithm>
#include <map>

#include "core/policy/utility.h"

namespace kvantage::inline simulator {
namespace {

struct Mean {
  double quality = 0, kept_bytes = 0, kept_tokens = 0;
  std::size_t contexts = 0;
};

double codec_seconds(const Snapshot& snapshot, const std::string& method) {
  for (const CodecCost& cost : snapshot.codec_costs)
    if (cost.method == method) return cost.seconds_per_token;
  return 0;
}

}  // namespace

Expected<SimulatorPreset> preset_of(const Snapshot& snapshot, const std::string& name) {
  double bytes = 0, tokens = 0;
  std::map<std::pair<std::string, double>, Mean> means;
  std::size_t profiled = 0;
  for (const ContextState& context : snapshot.contexts) {
    bytes += static_cast<double>(context.full_bytes);
    tokens += context.tokens;
    if (!context.profile || context.profile->empty() || context.full_bytes == 0 || context.tokens == 0) continue;
    ++profiled;
    for (const ProfilePoint& point : context.profile->points) {
      Mean& mean = means[{point.method, point.removed_fraction}];
      mean.quality += point.quality;
      mean.kept_bytes += std::min(1.0, static_cast<double>(point.bytes) / static_cast<double>(context.full_bytes));
      mean.kept_tokens += static_cast<double>(point.kept_tokens) / context.tokens;
      ++mean.contexts;
    }
  }
  if (!(bytes > 0 && tokens > 0))
    return fail(ErrorCode::rejected_input, name + ": the run knows no context's size; give a run that served requests");
  SimulatorPreset preset;
  preset.name = name;
  const auto [shortest, longest] = std::ranges::minmax_element(snapshot.contexts, {}, &ContextState::tokens);
  preset.fitted = FittedTokens{static_cast<double>(shortest->tokens), static_cast<double>(longest->tokens)};
  preset.source = "fits and mean quality curves of this run, measured here";
  preset.bytes_per_token = bytes / tokens;
  preset.prefill = snapshot.prefill;
  preset.question = snapshot.question;
  for (const TierState& tier : snapshot.tiers)
    preset.tiers.push_back({tier.name, {}, load_line(tier.model, preset.bytes_per_token)});
  PresetQuality quality{"run", "the run's own measure", 1, {}};
  for (const auto& [key, mean] : means) {
    const auto n = static_cast<double>(mean.contexts);
    if (mean.contexts < profiled) continue;
    if (key.first == "none" && same_fraction(key.second, 0)) {
      quality.uncompressed = mean.quality / n;
      continue;
    }
    PresetCandidate candidate{key.first, key.second, mean.kept_bytes / n, {}};
    const double kept = mean.kept_tokens / n, codec = codec_seconds(snapshot, key.first);
    for (const TierState& tier : snapshot.tiers) {
      const double restore = (tier.model.decode_seconds_per_token + codec) * kept;
      candidate.tiers.push_back(
          {tier.name,
           {},
           {tier.model.latency_seconds,
            candidate.kept_bytes * preset.bytes_per_token / tier.model.bytes_per_second + restore, restore}});
    }
    preset.candidates.push_back(std::move(candidate));
    quality.candidates.push_back(mean.quality / n);
  }
  if (profiled > 0) preset.quality.push_back(std::move(quality));
  return preset;
}

}  // namespace kvantage::inline simulator
