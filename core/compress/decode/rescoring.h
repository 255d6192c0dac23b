// Eviction methods that re-score all rows of a layer, with the scorer of the same name, at each eviction.
#pragma once

#include "core/compress/decode/eviction_methods.h"
#include "core/compress/scorers/scorer.h"

namespace kvantage::inline decode_eviction {

class RescoringEviction final : public DecodeEviction {
 public:
  /// window: number of last steps whose queries the scorer gets; 0: none. The last `recent` rows stay.
  RescoringEviction(const EvictionSetting& setting, std::unique_ptr<Scorer> scorer, int window, int recent);
  EvictionNeeds needs() const override;
  Status begin(const KvCache& cache, const Observation& observed) override;
  Expected<KeptIndices> victims(const StepView& step, int excess) override;

 private:
  EvictionSetting setting_;
  std::unique_ptr<Scorer> scorer_;
  int window_, recent_;
  Observation observed_;  // calibration and frequencies
};

}  // namespace kvantage::inline decode_eviction
