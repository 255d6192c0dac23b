#include "tiers/url_text.h"

#include <charconv>

#include "core/base/json.h"

namespace kvantage::inline tiers {

std::optional<std::string> percent_decoded(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      plain += text[i];
      continue;
    }
    unsigned value = 0;
    if (i + 2 >= text.size()) return std::nullopt;
    const auto [end, code] = std::from_chars(text.data() + i + 1, text.data() + i + 3, value, 16);
    if (code != std::errc{} || end != text.data() + i + 3) return std::nullopt;
    plain += static_cast<char>(value);
    i += 2;
  }
  return plain;
}

std::optional<int> number_within(std::string_view text, int least, int most) {
  int value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{} || end != text.data() + text.size() || value < least || value > most) return std::nullopt;
  return value;
}

std::string quoted_part(std::string_view text) {
  constexpr std::size_t max_bytes = 60;  // of a one-line message
  const bool cut = text.size() > max_bytes;
  return "'" + printable(text.substr(0, max_bytes)) + (cut ? "...'" : "'");
}

}  // namespace kvantage::inline tiers
