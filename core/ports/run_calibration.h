// How long a fixed load took before and after a recorded run: what else used the machine, or that it was another one.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/ports/stores.h"

namespace kvantage::inline ports {

/// A run's result (RunStore::save_result): seconds, a list.
inline constexpr const char* calibration_result = "calibration";
/// The load takes so much longer around one run than around another, as a share: beyond that, their times are not
/// compared.
inline constexpr double calibration_bound = 0.25;

/// Times the load around the runs of a session. On the engine's thread, while no request is served.
class RunCalibration {
 public:
  virtual ~RunCalibration() = default;
  virtual void before_run() = 0;
  /// Seconds, before and after the run: its result.
  virtual std::vector<double> after_run() = 0;
};

/// What is timed around each run of a session.
struct RunTiming {
  bool model_each_run = false;  // the model again at the start of each run, and earlier runs teach nothing
  std::shared_ptr<RunCalibration> calibration = {};  // the machine before and after it; null: not
};

/// Of a run in the database, seconds; empty where the run was not timed so, or the result holds something else.
Expected<std::vector<double>> read_calibration(RunStore& runs, const std::string& run_id);

/// Of all that are given, the longest / the shortest - 1; 0 where one of the two is empty.
double calibration_moved(const std::vector<double>& one, const std::vector<double>& other);

}  // namespace kvantage::inline ports
