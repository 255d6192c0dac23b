#include "core/model/rope.h"

#include <cmath>
#include <numbers>

#include "core/model/config.h"

namespace kvantage::inline model {

// In single precision and in this order, as in transformers: a frequency that differs in its last bit rotates a pair by
// another angle a thousand positions later.
std::vector<float> rope_frequencies(const ModelConfig& config) {
  const RopeConfig& rope = config.rope;
  std::vector<float> frequencies;
  // An angle of 0 rotates nothing, and changes no bit: x * 1 - y * 0.
  if (rope.kind == RopeKind::none) return std::vector<float>(static_cast<std::size_t>(config.head_dim / 2), 0.0F);
  for (int i = 0; i < config.head_dim; i += 2) {
    const float exponent = static_cast<float>(i) / static_cast<float>(config.head_dim);
    frequencies.push_back(1.0F / std::pow(static_cast<float>(rope.theta), exponent));
  }
  if (rope.kind == RopeKind::linear) {
    for (float& frequency : frequencies) frequency /= static_cast<float>(rope.factor);
  } else if (rope.kind == RopeKind::llama3) {
    // Long wavelengths are stretched by factor, short ones kept, those between blended (Llama 3.1).
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
  return frequencies;
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

}  // namespace kvantage::inline model
