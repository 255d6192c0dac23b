// JSON-lines files: errors name file and line.
#pragma once

#include <string>
#include <string_view>

#include "core/base/json.h"

namespace kvantage::inline workload {

/// Calls read_line(json, "name:line") for each non-blank line, until one fails.
template <class ReadLine>
Status for_each_json_line(std::string_view text, const std::string& name, ReadLine read_line) {
  std::size_t begin = 0;
  for (std::size_t number = 1; begin < text.size(); ++number) {
    std::size_t end = text.find('\n', begin);
    if (end == std::string_view::npos) end = text.size();
    const std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const std::string where = name + ":" + std::to_string(number);
    KV_ASSIGN(const auto json, parse_json(line, where));
    KV_TRY(read_line(json, where));
  }
  return {};
}

}  // namespace kvantage::inline workload
