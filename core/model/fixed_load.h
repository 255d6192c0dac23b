// The load that a figure's calibration times.
#pragma once

namespace kvantage::inline model {

/// Products from the processor's caches on as many threads as the model uses: 3 ms on two cores of an AMD EPYC. Threads
/// of its own, not OpenMP's: libgomp keeps the workers of every thread that ever used them, and where these are more
/// than the cores, workers of the model sleep between products, so that the calibration would slow what it watches.
void run_fixed_load();

}  // namespace kvantage::inline model
