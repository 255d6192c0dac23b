#include "core/compress/decode/rescoring.h"
#include "core/compress/scorers/scorers.h"

namespace kvantage::inline decode_eviction {

/// Inverse key L2: evicts keys of high norm, as PagedEviction runs it while decoding (section 5.2).
Expected<std::unique_ptr<DecodeEviction>> make_knorm_eviction(const Parameters& parameters,
                                                              const EvictionSetting& setting) {
  KV_ASSIGN(auto scorer, make_knorm(parameters));
  return std::make_unique<RescoringEviction>(setting, std::move(scorer), /*window=*/0, /*recent=*/1);
}

}  // namespace kvantage::inline decode_eviction
