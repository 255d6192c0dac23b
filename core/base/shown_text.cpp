#include "core/base/shown_text.h"

#include <charconv>

#include "core/base/json_fields.h"

namespace kvantage {
namespace {

constexpr std::string_view replacement = "\xef\xbf\xbd";

// "-1.5" and "+1.5 %" are no formulas.
bool reads_as_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  for (const char unit : {'%', ' '})
    if (text.ends_with(unit)) text.remove_suffix(1);
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  return code == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::size_t hidden_sign_bytes(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : static_cast<unsigned char>(0);
  };
  const unsigned char first = byte(0), second = byte(1), third = byte(2);
  if (first < 0x20) return first == '\t' || first == '\n' ? 0 : 1;
  if (first == 0x7f) return 1;
  if (first == 0xc2) return second >= 0x80 && second <= 0x9f ? 2 : 0;  // C1: U+009B begins a command like ESC [
  if (first == 0xd8) return second == 0x9c ? 2 : 0;                    // U+061C
  if (first != 0xe2) return 0;
  // U+200E, U+200F; U+2028 - U+202E; U+2066 - U+2069
  const bool marks = second == 0x80 && (third == 0x8e || third == 0x8f || (third >= 0xa8 && third <= 0xae));
  return marks || (second == 0x81 && third >= 0xa6 && third <= 0xa9) ? 3 : 0;
}

std::string shown_line(std::string_view text) {
  const std::string valid = valid_utf8(text);
  std::string line;
  line.reserve(valid.size());
  for (std::size_t at = 0; at < valid.size();) {
    const std::size_t hidden = hidden_sign_bytes(valid, at);
    if (hidden > 1)
      line += replacement;
    else
      line += hidden == 1 || valid[at] == '\t' || valid[at] == '\n' ? ' ' : valid[at];
    at += hidden > 1 ? hidden : 1;
  }
  return line;
}

std::string shortened(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return std::string(text);
  std::size_t end = max_bytes;
  for (int i = 0; i < 3 && end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80; ++i) --end;
  return std::string(text.substr(0, end)) + "...";
}

std::string csv_cell(std::string_view text) {
  std::string value = valid_utf8(text);
  if (value.size() > 1 && std::string_view("=+-@\t\r").find(value.front()) != std::string_view::npos &&
      !reads_as_number(value))
    value.insert(0, 1, '\'');
  if (value.find_first_of(",\"\r\n") == std::string::npos) return value;
  std::string quoted = "\"";
  for (const char letter : value) quoted += letter == '"' ? std::string("\"\"") : std::string(1, letter);
  return quoted + "\"";
}

}  // namespace kvantage
