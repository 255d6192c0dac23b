#include "core/compress/decode/rescoring.h"
#include "core/compress/scorers/scorers.h"

namespace kvantage {

/// Rows that are said again and little attended to by the last `window` steps go, those steps' own rows stay (Cai et
/// al. 2025, who do so every 128 tokens).
Expected<std::unique_ptr<DecodeEvictor>> make_r_kv_evictor(const Parameters& parameters,
                                                           const EvictorSetting& setting) {
  KV_ASSIGN(auto scorer, make_r_kv(parameters));
  const int window = parameters.integer("window", 1, 4096).value();  // checked by the scorer
  return std::make_unique<RescoringEvictor>(setting, std::move(scorer), window, window);
}

}  // namespace kvantage
