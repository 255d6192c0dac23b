#include "core/model/rope.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/model/config.h"

namespace kvantage::inline model {

namespace {

/// Long wavelengths are stretched by factor, short ones kept, those between blended (Llama 3.1).
void stretch_like_llama3(const RopeConfig& rope, std::vector<float>& frequencies) {
  const double longest_kept = rope.original_max_positions / rope.high_frequency_factor;
  const double shortest_stretched = rope.original_max_positions / rope.low_frequency_factor;
  for (float& frequency : frequencies) {
    const double wavelength = 2 * std::numbers::pi / static_cast<double>(frequency);
    if (wavelength < longest_kept) continue;
    const float stretched = static_cast<float>(static_cast<double>(frequency) / rope.factor);
    if (wavelength > shortest_stretched) {
      frequency = stretched;
      continue;
    }
    const double smooth = (rope.original_max_positions / wavelength - rope.low_frequency_factor) /
                          (rope.high_frequency_factor - rope.low_frequency_factor);
    frequency =
        static_cast<float>((1 - smooth) * static_cast<double>(stretched) + smooth * static_cast<double>(frequency));
  }
}

/// YaRN (Peng et al. 2023): pairs that turn often within the original length are kept, those that turn seldom are
/// stretched by factor, with a linear ramp between them.
void stretch_like_yarn(const RopeConfig& rope, int rotated, std::vector<float>& frequencies) {
  const auto pair_of = [&](double turns) {  // which turns so often within the original length
    return rotated * std::log(rope.original_max_positions / (turns * 2 * std::numbers::pi)) /
           (2 * std::log(rope.theta));
  };
  double low = pair_of(rope.stretch.beta_fast), high = pair_of(rope.stretch.beta_slow);
  if (rope.stretch.truncate) {
    low = std::floor(low);
    high = std::ceil(high);
  }
  low = std::max(low, 0.0);
  high = std::min(high, static_cast<double>(rotated - 1));
  if (low == high) high += 0.001;
  for (std::size_t i = 0; i < frequencies.size(); ++i) {
    const float ramp =
        std::clamp((static_cast<float>(i) - static_cast<float>(low)) / static_cast<float>(high - low), 0.0F, 1.0F);
    const float power =
        std::pow(static_cast<float>(rope.theta), static_cast<float>(2 * i) / static_cast<float>(rotated));
    const float kept = 1.0F / power, stretched = 1.0F / (static_cast<float>(rope.factor) * power), share = 1 - ramp;
    frequencies[i] = stretched * (1 - share) + kept * share;
  }
}

/// Unscaled, of the pairs of `rotated` channels.
std::vector<float> plain_frequencies(double theta, int rotated) {
  std::vector<float> frequencies;
  for (int i = 0; i < rotated; i += 2) {
    const float exponent = static_cast<float>(i) / static_cast<float>(rotated);
    frequencies.push_back(1.0F / std::pow(static_cast<float>(theta), exponent));
  }
  return frequencies;
}

}  // namespace

// In single precision and in this order, as in transformers: a frequency that differs in its last bit rotates a pair by
// another angle a thousand positions later.
std::vector<float> rope_frequencies(const ModelConfig& config) {
  const RopeConfig& rope = config.rope;
  const auto pairs = static_cast<std::size_t>(config.head_dim / 2);
  // An angle of 0 rotates nothing, and changes no bit: x * 1 - y * 0.
  if (rope.kind == RopeKind::none) return std::vector<float>(pairs, 0.0F);
  const int rotated = config.rotated_channels();
  std::vector<float> frequencies = plain_frequencies(rope.theta, rotated);
  if (rope.kind == RopeKind::linear) {
    for (float& frequency : frequencies) frequency /= static_cast<float>(rope.factor);
  } else if (rope.kind == RopeKind::llama3) {
    stretch_like_llama3(rope, frequencies);
  } else if (rope.kind == RopeKind::yarn) {
    stretch_like_yarn(rope, rotated, frequencies);
  } else if (rope.kind == RopeKind::longrope) {
    for (std::size_t i = 0; i < frequencies.size(); ++i) {
      const float power =
          std::pow(static_cast<float>(rope.theta), static_cast<float>(2 * i) / static_cast<float>(rotated));
      frequencies[i] = 1.0F / (static_cast<float>(rope.stretch.divisors[i]) * power);
    }
  }
  frequencies.resize(pairs, 0.0F);
  return frequencies;
}

int stored_channel(int head_dim, int rotated, int channel) {
  const int half = head_dim / 2, pairs = rotated / 2;
  const int pair = channel % half, upper = channel / half;  // upper: the second of a pair
  return pair < pairs ? pair + upper * pairs : rotated + pair - pairs + upper * (half - pairs);
}

std::vector<float> local_rope_frequencies(const ModelConfig& config) {
  for (const LayerForm& layer : config.form.layers)
    if (layer.local_rope) return plain_frequencies(config.rope.local_theta, config.head_dim);
  return {};
}

void fill_rope_table(std::span<const float> frequencies, std::int32_t first, int tokens, RopeTable& table) {
  table.cosines.resize(frequencies.size() * static_cast<std::size_t>(tokens));
  table.sines.resize(table.cosines.size());
  std::size_t at = 0;
  for (int t = 0; t < tokens; ++t)
    for (const float frequency : frequencies) {
      const float angle = static_cast<float>(first + t) * frequency;
      table.cosines[at] = std::cos(angle);
      table.sines[at] = std::sin(angle);
      ++at;
    }
}

std::vector<std::vector<float>> frequencies_of_layers(const ModelConfig& config) {
  std::vector<std::vector<float>> all;
  if (config.rotates_alike()) return all;
  const Rotations rotations(config);
  const std::vector<float> none(rotations.frequencies.size(), 0.0F);
  all.reserve(config.form.layers.size());
  for (const LayerForm& layer : config.form.layers)
    all.push_back(!layer.rotates ? none : layer.local_rope ? rotations.local_frequencies : rotations.frequencies);
  return all;
}

Rotations::Rotations(const ModelConfig& config)
    : frequencies(rope_frequencies(config)),
      local_frequencies(local_rope_frequencies(config)),
      scale(static_cast<float>(config.rope.stretch.attention_factor)),
      scaled_pairs(config.rotated_channels() / 2) {}

void Rotations::fill(std::int32_t first, int tokens, RopeTables& tables) const {
  fill_rope_table(frequencies, first, tokens, tables.all);
  if (!local_frequencies.empty()) fill_rope_table(local_frequencies, first, tokens, tables.local);
  if (scale == 1.0F) return;
  const auto pairs = frequencies.size(), scaled = static_cast<std::size_t>(scaled_pairs);
  for (std::size_t at = 0; at < tables.all.cosines.size(); ++at) {
    if (at % pairs >= scaled) continue;
    tables.all.cosines[at] *= scale;
    tables.all.sines[at] *= scale;
  }
}

const RopeTable* table_of(const RopeTables& tables, const LayerForm& layer) {
  if (!layer.rotates) return nullptr;
  return layer.local_rope ? &tables.local : &tables.all;
}

}  // namespace kvantage::inline model
