// Cores for the model's work. Threads get a core each, no two of them the hardware threads of one: they share its
// arithmetic units and its way to memory. With a window and three or more cores, one core stays free for it and each
// other thread is pinned, so that neither side waits for the other. With fewer cores all compute and the system
// schedules them.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/model/cores/core_topology.h"

namespace kvantage::inline model {

struct ComputeCores {
  int threads = 1;
  std::vector<int> cores;  // processors, one per thread; empty: scheduled by the system
  int nodes = 1;           // NUMA nodes of these processors
  bool operator==(const ComputeCores&) const = default;
};

struct CoreRequest {
  int threads = 0;                                      // 0: as many as there are fast cores
  bool leave_one = false;                               // keep a core free, where there are at least three
  std::optional<double> processor_time = std::nullopt;  // processors' worth of time that the process gets at most
};

/// Pure. The first of: cores before second hardware threads, fast cores before slow ones, cores of the node with the
/// most fast cores before those of others, high numbers before low ones (the first cores also serve interrupts).
/// Automatic: all fast cores; all processors where there are fewer than three cores. Nothing is pinned without need:
/// only beside a window, and for automatic threads on a machine with slow cores or several nodes. So several processes
/// with a few threads each never meet on the same cores.
ComputeCores choose_compute_cores(const CoreTopology& topology, const CoreRequest& request);

/// The cores that this process may run on, ascending.
std::vector<int> allowed_cores();
/// Of this machine and this process: choose_compute_cores() with what /sys says.
ComputeCores choose_compute_cores(int threads, bool leave_one);

/// Uses these threads for products of the calling thread from now on. Its workers are pinned to a core each. The thread
/// itself may use all of `cores`, as threads that it starts later inherit its affinity. OpenMP affinity in the
/// environment (OMP_PROC_BIND, OMP_PLACES, GOMP_CPU_AFFINITY) takes precedence.
void use_compute_cores(const ComputeCores& chosen);

/// The calling thread runs on these from now on. On errors the system keeps placing it itself.
void stay_on(const std::vector<int>& cores);

/// Allowed cores of each compute thread of the calling thread.
std::vector<std::vector<int>> cores_of_compute_threads();

/// Calls task(0) ... task(count - 1), each once, on the compute threads of the calling thread; returns when all have
/// returned.
void on_compute_threads(std::size_t count, const std::function<void(std::size_t)>& task);

/// Zeroes fresh memory, its pages spread evenly over the compute threads of the calling thread: the system places a
/// page on the node of the thread that first touches it.
void touch_on_compute_threads(std::span<std::byte> memory);

}  // namespace kvantage::inline model
