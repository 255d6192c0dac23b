// A number and its noun, as people read them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kvantage {

/// 1, "request" -> "1 request"; 0 or 2 -> "2 requests". A noun in -ry becomes one in -ries: "2 entries".
inline std::string counted(std::uint64_t n, std::string_view noun) {
  std::string text = std::to_string(n) + " ";
  if (n == 1) return text.append(noun);
  if (noun.ends_with("ry")) return text.append(noun.substr(0, noun.size() - 1)).append("ies");
  return text.append(noun).append("s");
}

}  // namespace kvantage
