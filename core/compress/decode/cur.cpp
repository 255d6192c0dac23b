#include "core/compress/decode/rescoring.h"
#include "core/compress/leverage/leverage.h"

namespace kvantage::inline decode_eviction {

/// Evicts rows whose keys and values weigh least among the `window` rows around them (Sengupta et al. 2025).
Expected<std::unique_ptr<DecodeEviction>> make_cur_eviction(const Parameters& parameters,
                                                            const EvictionSetting& setting) {
  KV_ASSIGN(auto scorer, make_cur(parameters));
  return std::make_unique<RescoringEviction>(setting, std::move(scorer), /*window=*/0, /*recent=*/1);
}

}  // namespace kvantage::inline decode_eviction
