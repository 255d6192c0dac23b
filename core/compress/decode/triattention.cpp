#include "core/compress/decode/rescoring.h"
#include "core/compress/scorers/scorers.h"

namespace kvantage::inline decode_eviction {

/// Evicts the rows that the calibrated geometry of queries and keys ranks lowest (Mao et al. 2026); the prompt is not
/// pinned.
Expected<std::unique_ptr<DecodeEvictor>> make_triattention_evictor(const Parameters& parameters,
                                                                   const EvictorSetting& setting) {
  KV_ASSIGN(auto scorer, make_triattention(parameters));
  return std::make_unique<RescoringEvictor>(setting, std::move(scorer), /*window=*/0, /*recent=*/1);
}

}  // namespace kvantage::inline decode_eviction
