// What lru, fixed and full_prefill would have done with the very requests that the live engine served: simulated, on
// fitted costs. Fed with each live request; lives in the planner's thread.
#pragma once

#include <QString>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/policy/simulate.h"
#include "ui/live/frontier/model/frontier_types.h"

namespace kvantage {

class WhatIfBaselines {
 public:
  void reset();
  /// Serves `requests` in order under each policy, with the live costs, budgets and profiles of `live`. `stop` is asked
  /// with each: then nothing of this is worth anything any more.
  void feed(const Snapshot& live, const std::vector<std::string>& policies, const std::vector<Digest128>& requests,
            const std::function<bool()>& stop = {});
  /// Means over the fed requests of one family, or all (empty).
  std::vector<SimulatedPoint> points(const QString& family) const;

 private:
  struct Sums {
    double quality = 0, ttft_seconds = 0;
    std::uint64_t n = 0;
  };
  struct Baseline {
    WhatIfSimulation simulation;
    std::map<std::string, Sums> by_family;  // "" = all
  };
  std::map<std::string, Baseline> baselines_;
};

}  // namespace kvantage
