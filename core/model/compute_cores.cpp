#include "core/model/compute_cores.h"

#include <omp.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <tuple>
#include <utility>

#include "core/model/transformer_impl.h"

namespace kvantage::inline model {
namespace {

constexpr int fewest_cores = 3;  // of which one may be left free

/// Fast cores of each node.
std::map<int, int> fast_cores_of_nodes(const CoreTopology& topology) {
  std::map<int, CoreTopology> parts;
  for (const Processor& processor : topology.processors) parts[processor.node].processors.push_back(processor);
  std::map<int, int> counts;
  for (const auto& [node, part] : parts) counts[node] = part.fast_cores();
  return counts;
}

std::vector<Processor> in_order_of_use(const CoreTopology& topology) {
  const std::map<int, int> fast_cores = fast_cores_of_nodes(topology);
  using Key = std::tuple<int, bool, int, int, int>;
  std::vector<std::pair<Key, Processor>> ranked;
  std::map<int, int> threads_of_core;
  for (const Processor& at : topology.processors)
    ranked.push_back({Key{threads_of_core[at.core]++, !at.fast, -fast_cores.at(at.node), at.node, -at.id}, at});
  std::ranges::sort(ranked, {}, [](const auto& pair) { return pair.first; });
  std::vector<Processor> order;
  for (const auto& [key, processor] : ranked) order.push_back(processor);
  return order;
}

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

ComputeCores choose_compute_cores(const CoreTopology& topology, const CoreRequest& request) {
  const int cores = topology.cores(), processors = static_cast<int>(topology.processors.size());
  const bool by_processor = cores < fewest_cores;  // too few to leave their second hardware threads idle
  const int all = by_processor ? processors : cores;
  const int time =
      std::max(1, static_cast<int>(std::min(request.processor_time.value_or(all), static_cast<double>(all))));
  const bool room = request.leave_one && std::min(all, time) >= fewest_cores;
  const bool uneven = topology.fast_cores() < cores || topology.nodes() > 1;
  int threads = request.threads;
  if (threads <= 0) {
    threads = std::min(by_processor ? processors : topology.fast_cores(), time);
    if (room) threads = std::min(threads, std::min(all, time) - 1);
  }
  const bool pinned = room || (uneven && request.threads <= 0);
  const bool takes_all = (request.threads > 0 || by_processor) && threads >= processors;
  if (!pinned || takes_all) return {threads, {}, 1};
  std::vector<Processor> chosen = in_order_of_use(topology);
  chosen.resize(static_cast<std::size_t>(threads));
  ComputeCores result{threads, {}, CoreTopology{chosen}.nodes()};
  for (const Processor& processor : chosen) result.cores.push_back(processor.id);
  std::ranges::sort(result.cores);
  return result;
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

ComputeCores choose_compute_cores(int threads, bool leave_one) {
  const std::filesystem::path root = "/sys";
  return choose_compute_cores(read_core_topology(root, processors_of_control_group(root, allowed_cores())),
                              {threads, leave_one, processor_time_of_control_group(root)});
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

void on_compute_threads(std::size_t count, const std::function<void(std::size_t)>& task) {
  for_parts(static_cast<std::int64_t>(count), 1, [&](int first, int last) {
    for (int at = first; at < last; ++at) task(static_cast<std::size_t>(at));
  });
}

void touch_on_compute_threads(std::span<std::byte> memory) {
  constexpr std::size_t page = std::size_t{2} << 20;  // as large as the system gives
  const std::size_t pages = (memory.size() + page - 1) / page, threads = static_cast<std::size_t>(compute_threads());
  on_compute_threads(threads, [&](std::size_t thread) {  // as many tasks as threads: one for each
    const std::size_t begin = pages * thread / threads * page, end = pages * (thread + 1) / threads * page;
    if (begin < end) std::memset(memory.data() + begin, 0, std::min(end, memory.size()) - begin);
  });
}

}  // namespace kvantage::inline model
