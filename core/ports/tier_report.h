// Activity of one tier and the accuracy of its cost model, for display. Plain values.
#pragma once

#include <cstddef>
#include <vector>

#include "core/policy/types.h"
#include "core/ports/storage_tier.h"

namespace kvantage::inline ports {

/// One load used by a fit, with the fit's prediction. Seconds on the device, throttling included.
struct FittedLoad {
  double bytes = 0;
  double seconds = 0;
  double fitted_seconds = 0;     // by the current fit
  double predicted_seconds = 0;  // by the fit before it included this load; 0: no fit yet
  bool timing = false;           // from the startup timing, not a request
};

/// Prediction error of a model: |seconds - predicted| / seconds over live loads.
struct FitResiduals {
  std::size_t loads = 0;
  double median_fraction = 0, p95_fraction = 0;
};

struct TierFitReport {
  TierModel model;
  std::size_t samples = 0;        // added to the fit since its creation, kept or not
  std::vector<FittedLoad> loads;  // kept: timings first, then live loads, oldest first
  FitResiduals fitted;            // of the current fit
  FitResiduals predicted;         // of the predictions made before each load
};

struct TierReport {
  TierDescription description;
  bool reachable = true;
  TierFitReport fit;
  TierStatistics statistics;  // without samples
};

}  // namespace kvantage::inline ports
