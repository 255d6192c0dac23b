#include "core/compress/decode/rescoring.h"
#include "core/compress/scorers/scorers.h"

namespace kvantage::inline decode_eviction {

/// Evicts the rows that the calibrated geometry of queries and keys ranks lowest (Mao et al. 2026); the prompt is not
/// pinned.
Expected<std::unique_ptr<DecodeEviction>> make_triattention_eviction(const Parameters& parameters,
                                                                     const EvictionSetting& setting) {
  KV_ASSIGN(auto scorer, make_triattention(parameters));
  return std::make_unique<RescoringEviction>(setting, std::move(scorer), /*window=*/0, /*recent=*/1);
}

}  // namespace kvantage::inline decode_eviction
