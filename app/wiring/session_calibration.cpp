#include "app/wiring/session_calibration.h"

#include <utility>

namespace kvantage::inline wiring {

SessionCalibration::SessionCalibration(const Clock& clock, std::function<void()> load)
    : machine_(clock, std::move(load)) {}

// The first time may meet threads that opening the session has left turning: the fastest is what this machine can do.
void SessionCalibration::before_run() {
  if (machine_.n() == 0) machine_.time(1);
  machine_.time(rounds);
}

std::vector<double> SessionCalibration::after_run() {
  machine_.time(rounds);
  return machine_.around_cell();
}

}  // namespace kvantage::inline wiring
