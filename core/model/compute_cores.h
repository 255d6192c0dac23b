// Cores for the model's matrix products. With a window and three or more cores, one core stays free for it and each
// other core gets a pinned thread, so that neither side waits for the other. With fewer cores all compute and the
// system schedules them.
#pragma once

#include <vector>

namespace kvantage::inline model {

struct ComputeCores {
  int threads = 1;
  std::vector<int> cores;  // one per thread; empty: scheduled by the system
  bool operator==(const ComputeCores&) const = default;
};

/// Pure. allowed: cores of this process, ascending, not empty; threads: requested, 0 for automatic. leave_one: keep a
/// core free.
ComputeCores choose_compute_cores(const std::vector<int>& allowed, int threads, bool leave_one);

/// The cores that this process may run on, ascending.
std::vector<int> allowed_cores();

/// Uses these threads for products of the calling thread from now on. Its workers are pinned to a core each. The thread
/// itself may use all of `cores`, as threads that it starts later inherit its affinity. OpenMP affinity in the
/// environment (OMP_PROC_BIND, OMP_PLACES, GOMP_CPU_AFFINITY) takes precedence.
void use_compute_cores(const ComputeCores& chosen);

/// The calling thread runs on these from now on. On errors the system keeps placing it itself.
void stay_on(const std::vector<int>& cores);

/// Allowed cores of each compute thread of the calling thread.
std::vector<std::vector<int>> cores_of_compute_threads();

}  // namespace kvantage::inline model
