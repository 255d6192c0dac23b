// A number and its noun, as people read them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kvantage {

/// 1, "request" -> "1 request"; 0 or 2 -> "2 requests". A noun in -ry becomes one in -ries: "2 entries".
inline std::string counted(std::uint64_t n, std::string_view noun) {
  std::string text = std::to_string(n) + " ";
  text += noun;
  if (n == 1) return text;
  if (!noun.ends_with("ry")) return text + "s";
  text.back() = 'i';
  return text + "es";
}

}  // namespace kvantage
