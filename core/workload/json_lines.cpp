#include "core/workload/json_lines.h"

#include "core/base/file_lines.h"

namespace kvantage::inline workload {

Status for_each_json_line(const std::filesystem::path& file, std::uint64_t max_bytes, const ReadJsonLine& read_line) {
  KV_ASSIGN(auto lines, FileLines::open(file, max_bytes));
  for (;;) {
    KV_ASSIGN(const auto line, lines.next());
    if (!line) return {};
    if (line->find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const std::string where = lines.where();
    KV_ASSIGN(const auto json, parse_json(*line, where));
    KV_TRY(read_line(json, where));
  }
}

}  // namespace kvantage::inline workload
