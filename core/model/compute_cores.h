// Which cores the model's products run on. With a window beside them and three cores or more, one core stays free for
// it: the others get a thread each that stays there, so that neither side waits for the other. With fewer cores all
// compute and the system shares them out.
#pragma once

#include <vector>

namespace kvantage {

struct ComputeCores {
  int threads = 1;
  std::vector<int> cores;  // one a thread; empty: wherever the system puts them
  bool operator==(const ComputeCores&) const = default;
};

/// Pure. allowed: cores of this process, ascending, not empty; threads: asked for, 0 for as many as make sense.
/// leave_one: somebody else needs one.
ComputeCores choose_compute_cores(const std::vector<int>& allowed, int threads, bool leave_one);

/// Those that the system lets this process run on, ascending.
std::vector<int> allowed_cores();

/// Products of the calling thread take these threads from now on. Its workers stay on a core each; the thread itself
/// may use all of `cores`, as threads that it starts later inherit what it may. Where the environment places OpenMP's
/// threads (OMP_PROC_BIND, OMP_PLACES, GOMP_CPU_AFFINITY) that holds instead.
void use_compute_cores(const ComputeCores& chosen);

/// Of every thread that products of the calling thread take: the cores it may run on.
std::vector<std::vector<int>> cores_of_compute_threads();

}  // namespace kvantage
