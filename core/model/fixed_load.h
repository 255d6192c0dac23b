// The load that a figure's calibration times.
#pragma once

namespace kvantage::inline model {

/// Products from the processor's caches and copies of memory, on the model's threads: some 20 ms.
void run_fixed_load();

}  // namespace kvantage::inline model
