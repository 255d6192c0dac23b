#include "tiers/ssd/segment_entry.h"

#include <charconv>
#include <cstdio>
#include <string_view>

namespace kvantage::inline ssd {
namespace {

constexpr std::string_view prefix = "segment-";
constexpr std::string_view suffix = ".kvsegment";
constexpr std::size_t shortest_digits = 8;

}  // namespace

std::string segment_file_name(std::uint32_t number) {
  char digits[16];
  std::snprintf(digits, sizeof digits, "%08u", number);
  return std::string(prefix) + digits + std::string(suffix);
}

std::optional<std::uint32_t> parse_segment_file_name(const std::string& name) {
  std::string_view text = name;
  if (!text.starts_with(prefix) || !text.ends_with(suffix)) return std::nullopt;
  text.remove_prefix(prefix.size());
  text.remove_suffix(suffix.size());
  std::uint32_t number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc{} || end != text.data() + text.size() || text.size() < shortest_digits || number == 0 ||
      segment_file_name(number) != name)
    return std::nullopt;
  return number;
}

}  // namespace kvantage::inline ssd
