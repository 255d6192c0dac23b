#include "core/model/compute_cores.h"

#include <omp.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "core/model/transformer.h"

namespace kvantage::inline model {
namespace {

bool placed_by_environment() {
  constexpr std::array names{"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY"};
  return std::ranges::any_of(names, [](const char* name) { return std::getenv(name) != nullptr; });
}

}  // namespace

void stay_on(const std::vector<int>& cores) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int core : cores)
    if (core < CPU_SETSIZE) CPU_SET(static_cast<std::size_t>(core), &set);
  (void)::sched_setaffinity(0, sizeof(set), &set);
}

ComputeCores choose_compute_cores(const std::vector<int>& allowed, int threads, bool leave_one) {
  const int all = static_cast<int>(allowed.size());
  const bool room = leave_one && all >= 3;
  if (threads <= 0) threads = room ? all - 1 : std::max(1, all);
  if (!room || threads >= all) return {threads, {}};
  return {threads, {allowed.end() - threads, allowed.end()}};  // the first cores also serve interrupts
}

std::vector<int> allowed_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cores;
  if (::sched_getaffinity(0, sizeof(set), &set) == 0)
    for (int core = 0; core < CPU_SETSIZE; ++core)
      if (CPU_ISSET(static_cast<std::size_t>(core), &set)) cores.push_back(core);
  if (cores.empty()) cores.push_back(0);
  return cores;
}

void use_compute_cores(const ComputeCores& chosen) {
  set_compute_threads(chosen.threads);
  if (chosen.cores.empty() || placed_by_environment()) return;
#pragma omp parallel num_threads(chosen.threads)
  {
    const auto thread = static_cast<std::size_t>(omp_get_thread_num());
    if (thread == 0 || thread >= chosen.cores.size())
      stay_on(chosen.cores);
    else
      stay_on({chosen.cores[thread]});
  }
}

std::vector<std::vector<int>> cores_of_compute_threads() {
  std::vector<std::vector<int>> cores(static_cast<std::size_t>(compute_threads()));
#pragma omp parallel num_threads(static_cast <int>(cores.size()))
  cores[static_cast<std::size_t>(omp_get_thread_num())] = allowed_cores();
  return cores;
}

}  // namespace kvantage::inline model
