// The load that a figure's calibration times.
#pragma once

namespace kvantage::inline model {

/// Products from the processor's caches on the model's threads: 5 ms on two cores of an AMD EPYC.
void run_fixed_load();

}  // namespace kvantage::inline model
