// Searches for texts of others in texts of others, in time linear in both: std::string::find compares the whole text at
// each place where it may begin.
#pragma once

#include <cstring>
#include <string_view>

namespace kvantage {

/// As text.find(part, from), for a part that is not empty.
inline std::size_t find_text(std::string_view text, std::string_view part, std::size_t from = 0) {
  if (from >= text.size()) return std::string_view::npos;
  const void* found = ::memmem(text.data() + from, text.size() - from, part.data(), part.size());
  if (found == nullptr) return std::string_view::npos;
  return static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

}  // namespace kvantage
