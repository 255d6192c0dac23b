// links: core_simulator
// Presets of the simulator: costs are finite, and each data set has a quality for each candidate.
#include <cmath>

#include "core/simulator/presets.h"
#include "tests/fuzz/fuzzing.h"

namespace {

using namespace kvantage;

void check_tiers(const std::vector<PresetTier>& tiers) {
  for (const PresetTier& tier : tiers) {
    test::must_hold(!tier.name.empty() && tier.name.size() <= 100, "a tier has a name");
    test::must_hold(std::isfinite(tier.line.base_seconds) && tier.line.seconds_per_token >= 0, "loading takes time");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const test::MemoryFile file;
  file.write(test::text_of(data, size));
  const auto preset = read_preset(file.path());
  if (!preset) {
    test::check_file_refusal(preset.error());
    return 0;
  }
  test::must_hold(!preset->name.empty() && preset->bytes_per_token >= 1, "a preset has a name and a size");
  check_tiers(preset->tiers);
  for (const PresetCandidate& candidate : preset->candidates) {
    test::must_hold(candidate.removed_fraction >= 0 && candidate.removed_fraction <= 1 && candidate.kept_bytes >= 0 &&
                        candidate.kept_bytes <= 1,
                    "a candidate keeps a part");
    check_tiers(candidate.tiers);
  }
  for (const PresetQuality& quality : preset->quality) {
    test::must_hold(quality.candidates.size() == preset->candidates.size(), "each candidate has a quality, or none");
    for (const auto& value : quality.candidates)
      test::must_hold(!value || (*value >= 0 && *value <= 1), "a quality is within 0 and 1");
  }
  return 0;
}
