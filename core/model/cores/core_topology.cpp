#include "core/model/cores/core_topology.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace kvantage::inline model_cores {
namespace {

constexpr int max_processor = 65535;  // a list that names more is damaged
constexpr double slow_share = 0.8;

std::string first_line(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::vector<int> list_in(const std::filesystem::path& path) { return parse_processor_list(first_line(path)); }

std::optional<double> number_in(const std::filesystem::path& path) {
  std::ifstream file(path);
  double number = 0;
  if (file >> number) return number;
  return std::nullopt;
}

/// Capacity or highest clock rate; comparable within a machine.
std::optional<double> speed_of(const std::filesystem::path& processor) {
  if (const auto capacity = number_in(processor / "cpu_capacity")) return capacity;
  return number_in(processor / "cpufreq/cpuinfo_max_freq");
}

/// Of each processor that some node names.
std::map<int, int> nodes_in(const std::filesystem::path& nodes) {
  std::map<int, int> node_of;
  for (const int node : list_in(nodes / "online"))
    for (const int processor : list_in(nodes / ("node" + std::to_string(node)) / "cpulist")) node_of[processor] = node;
  return node_of;
}

template <class Part>
int distinct(const std::vector<Processor>& processors, const Part& part) {
  std::set<int> parts;
  for (const Processor& processor : processors)
    if (const std::optional<int> one = part(processor)) parts.insert(*one);
  return static_cast<int>(parts.size());
}

}  // namespace

int CoreTopology::cores() const {
  return distinct(processors, [](const Processor& at) { return std::optional(at.core); });
}
int CoreTopology::fast_cores() const {
  return distinct(processors, [](const Processor& at) { return at.fast ? std::optional(at.core) : std::nullopt; });
}
int CoreTopology::nodes() const {
  return distinct(processors, [](const Processor& at) { return std::optional(at.node); });
}

std::vector<int> parse_processor_list(std::string_view text) {
  const auto number = [&text]() -> std::optional<int> {
    int value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc{} || value < 0 || value > max_processor) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return value;
  };
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  std::set<int> ids;
  while (!text.empty()) {
    const auto first = number();
    auto last = first;
    if (first && text.starts_with('-')) {
      text.remove_prefix(1);
      last = number();
    }
    if (!first || !last || *last < *first) return {};
    for (int id = *first; id <= *last; ++id) ids.insert(id);
    if (text.empty()) break;
    if (!text.starts_with(',') || text.size() == 1) return {};
    text.remove_prefix(1);
  }
  return {ids.begin(), ids.end()};
}

CoreTopology read_core_topology(const std::filesystem::path& root, const std::vector<int>& allowed) {
  const std::filesystem::path processors = root / "devices/system/cpu";
  const std::map<int, int> node_of = nodes_in(root / "devices/system/node");
  const std::vector<int> efficient = list_in(root / "devices/cpu_atom/cpus");
  std::map<int, double> speeds;
  double fastest = 0;
  CoreTopology topology;
  for (const int id : allowed) {
    const std::filesystem::path folder = processors / ("cpu" + std::to_string(id));
    std::vector<int> threads = list_in(folder / "topology/core_cpus_list");
    if (threads.empty()) threads = list_in(folder / "topology/thread_siblings_list");
    const bool among = std::ranges::find(threads, id) != threads.end();
    const auto node = node_of.find(id);
    topology.processors.push_back({.id = id,
                                   .core = among ? threads.front() : id,
                                   .node = node == node_of.end() ? 0 : node->second,
                                   .fast = !std::ranges::binary_search(efficient, id)});
    if (const auto speed = speed_of(folder)) {
      speeds[id] = *speed;
      fastest = std::max(fastest, *speed);
    }
  }
  for (Processor& processor : topology.processors)
    if (const auto speed = speeds.find(processor.id); speed != speeds.end())
      processor.fast = processor.fast && speed->second >= slow_share * fastest;
  if (topology.fast_cores() == 0)  // there is nothing faster beside them
    for (Processor& processor : topology.processors) processor.fast = true;
  return topology;
}

std::vector<int> processors_of_control_group(const std::filesystem::path& root, std::vector<int> allowed) {
  const std::vector<int> group = list_in(root / "fs/cgroup/cpuset.cpus.effective");
  std::vector<int> both;
  std::ranges::set_intersection(allowed, group, std::back_inserter(both));
  return both.empty() ? std::move(allowed) : std::move(both);
}

std::optional<double> processor_time_of_control_group(const std::filesystem::path& root) {
  std::ifstream file(root / "fs/cgroup/cpu.max");
  double microseconds = 0, period = 0;
  if (file >> microseconds >> period && period > 0) return microseconds / period;
  return std::nullopt;  // "max 100000", or no such file
}

}  // namespace kvantage::inline model_cores
