#include "core/compress/decode/rescoring.h"
#include "core/compress/scorers/scorers.h"

namespace kvantage {

/// the rows that the calibrated geometry of queries and keys ranks lowest go (Mao et al. 2026); the prompt is not
/// pinned.
Expected<std::unique_ptr<DecodeEvictor>> make_triattention_evictor(const Parameters& parameters,
                                                                   const EvictorSetting& setting) {
  auto scorer = make_triattention(parameters);
  if (!scorer) return tl::unexpected(std::move(scorer).error());
  return std::make_unique<RescoringEvictor>(setting, std::move(*scorer), /*window=*/0, /*recent=*/1);
}

}  // namespace kvantage
