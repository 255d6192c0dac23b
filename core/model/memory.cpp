#include "core/model/memory.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

namespace kvantage::inline model {
namespace {

std::optional<std::uint64_t> number_in(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  if (file >> number) return number;
  return std::nullopt;  // "max", or no such file
}

}  // namespace

std::uint64_t available_memory_bytes() {
  std::uint64_t available = std::numeric_limits<std::uint64_t>::max();
  std::ifstream file("/proc/meminfo");
  for (std::string word; file >> word;) {
    std::uint64_t kib = 0;
    if (word == "MemAvailable:" && file >> kib) {
      available = kib * 1024;
      break;
    }
  }
  return std::min(available, control_group_allowance("/sys/fs/cgroup").value_or(available));
}

std::optional<std::uint64_t> control_group_allowance(const std::filesystem::path& folder) {
  const auto limit = number_in(folder / "memory.max");
  const auto used = number_in(folder / "memory.current");
  if (!limit || !used) return std::nullopt;
  std::uint64_t cache = 0, bytes = 0;
  std::ifstream statistics(folder / "memory.stat");
  for (std::string name; statistics >> name >> bytes;)
    if (name == "active_file" || name == "inactive_file") cache += bytes;
  const std::uint64_t held = *used - std::min(*used, cache);
  return *limit - std::min(*limit, held);
}

}  // namespace kvantage::inline model
