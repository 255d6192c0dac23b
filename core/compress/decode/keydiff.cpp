#include "core/compress/decode/rescoring.h"
#include "core/compress/scorers/scorers.h"

namespace kvantage::inline decode_eviction {

/// Evicts keys similar to the mean key of the kept rows (Park et al. 2025).
Expected<std::unique_ptr<DecodeEviction>> make_keydiff_eviction(const Parameters& parameters,
                                                                const EvictionSetting& setting) {
  KV_ASSIGN(auto scorer, make_keydiff(parameters));
  return std::make_unique<RescoringEviction>(setting, std::move(scorer), /*window=*/0, /*recent=*/1);
}

}  // namespace kvantage::inline decode_eviction
