#include "core/compress/decode/rescoring.h"
#include "core/compress/scorers/scorers.h"

namespace kvantage::inline decode_eviction {

/// Evicts rows that are redundant and got little attention from the last `window` steps; the rows of those steps stay
/// (Cai et al. 2025, who evict every 128 tokens).
Expected<std::unique_ptr<DecodeEviction>> make_r_kv_eviction(const Parameters& parameters,
                                                             const EvictionSetting& setting) {
  KV_ASSIGN(auto scorer, make_r_kv(parameters));
  const int window = parameters.integer("window", 1, 4096).value();  // validated by the scorer
  return std::make_unique<RescoringEviction>(setting, std::move(scorer), window, window);
}

}  // namespace kvantage::inline decode_eviction
