// Trees of /sys as machines have them, written from a few words: which hardware threads a core has, and which cores a
// node.
#pragma once

#include <QTemporaryDir>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

namespace kvantage::test {

class RecordedMachine {
 public:
  /// cores[c]: the hardware threads of core c, as the kernel numbers them.
  explicit RecordedMachine(const std::vector<std::vector<int>>& cores) {
    for (const std::vector<int>& threads : cores) {
      std::string list;
      for (const int thread : threads) list += (list.empty() ? "" : ",") + std::to_string(thread);
      for (const int thread : threads) {
        write(processor(thread) + "/topology/core_cpus_list", list);
        allowed_.push_back(thread);
      }
    }
    std::sort(allowed_.begin(), allowed_.end());
  }

  /// `cores` cores; the second hardware threads follow all first ones, as on most machines.
  static std::vector<std::vector<int>> with_threads(int cores, int threads) {
    std::vector<std::vector<int>> all(static_cast<std::size_t>(cores));
    for (int id = 0; id < cores * threads; ++id) all[static_cast<std::size_t>(id % cores)].push_back(id);
    return all;
  }

  void nodes(const std::vector<std::string>& lists) {
    write("devices/system/node/online", lists.size() == 1 ? "0" : "0-" + std::to_string(lists.size() - 1));
    for (std::size_t node = 0; node < lists.size(); ++node)
      write("devices/system/node/node" + std::to_string(node) + "/cpulist", lists[node]);
  }
  void clock_rate(int id, int kilohertz) {
    write(processor(id) + "/cpufreq/cpuinfo_max_freq", std::to_string(kilohertz));
  }
  void capacity(int id, int share_of_1024) { write(processor(id) + "/cpu_capacity", std::to_string(share_of_1024)); }
  void efficiency_cores(const std::string& list) { write("devices/cpu_atom/cpus", list); }
  void write(const std::string& file, const std::string& text) {
    const std::filesystem::path path = root() / file;
    std::error_code ignored;
    std::filesystem::create_directories(path.parent_path(), ignored);
    std::ofstream(path) << text << "\n";
  }

  std::filesystem::path root() const { return folder_.path().toStdString(); }
  const std::vector<int>& allowed() const { return allowed_; }

 private:
  static std::string processor(int id) { return "devices/system/cpu/cpu" + std::to_string(id); }

  QTemporaryDir folder_;
  std::vector<int> allowed_;
};

}  // namespace kvantage::test
