// ETags, here without quotation marks: servers differ in where they write them.
#pragma once

#include <string>
#include <string_view>

namespace kvantage::inline s3 {

inline std::string bare_etag(std::string_view text) {
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') text = text.substr(1, text.size() - 2);
  return std::string(text);
}

/// The header of a request for this version alone.
inline std::string if_match(const std::string& etag) { return "If-Match: \"" + etag + "\""; }

/// The header of a write that replaces nothing.
inline constexpr const char* if_none_match = "If-None-Match: *";

}  // namespace kvantage::inline s3
