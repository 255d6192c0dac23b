// What one tier has done and how well its cost model fits it, as a window shows it. Plain values.
#pragma once

#include <cstddef>
#include <vector>

#include "core/policy/types.h"
#include "core/ports/storage_tier.h"

namespace kvantage {

/// One load that a fit rests on, beside what the fit says of it. Seconds on the device, shaping included.
struct FittedLoad {
  double bytes = 0;
  double seconds = 0;
  double fitted_seconds = 0;     // by the present fit
  double predicted_seconds = 0;  // by the fit before it knew this load; 0: there was none
  bool timing = false;           // of the timing at the start, not of a request
};

/// How far loads lie from a model: |seconds - said| / seconds over live loads.
struct FitResiduals {
  std::size_t loads = 0;
  double median_fraction = 0, p95_fraction = 0;
};

struct TierFitReport {
  TierModel model;
  std::size_t samples = 0;        // that entered the fit since it began, kept or not
  std::vector<FittedLoad> loads;  // kept: timings first, then live loads, oldest first
  FitResiduals fitted;            // of the present fit
  FitResiduals predicted;         // of what was predicted before each load
};

struct TierReport {
  TierDescription description;
  bool reachable = true;
  TierFitReport fit;
  TierStatistics statistics;  // without samples
};

}  // namespace kvantage
