// The fixed load of a session's runs: what `run` and `sweep` time around their runs, for sessions that begin and end
// runs themselves, as the window's does.
#pragma once

#include <functional>

#include "core/experiments/calibration.h"

namespace kvantage::inline wiring {

class SessionCalibration final : public RunCalibration {
 public:
  /// A user waits for a run to begin, so a slow machine is given little time to come to rest.
  static constexpr int rounds = 3;

  /// clock: must outlive this. load: as Calibration's, run_fixed_load() but for tests.
  explicit SessionCalibration(const Clock& clock, std::function<void()> load);
  void before_run() override;
  std::vector<double> after_run() override;

 private:
  Calibration machine_;
};

}  // namespace kvantage::inline wiring
