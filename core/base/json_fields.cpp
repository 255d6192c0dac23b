#include "core/base/json_fields.h"

namespace kvantage {

namespace {
// Length of the well-formed UTF-8 sequence at `at`, 0 if there is none (Unicode 15, table 3-7).
std::size_t sequence_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : static_cast<unsigned char>(0);
  };
  const auto in = [](unsigned char b, unsigned char low, unsigned char high) { return b >= low && b <= high; };
  const auto tail = [&](std::size_t i) { return in(byte(i), 0x80, 0xbf); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  if (in(first, 0xc2, 0xdf)) return tail(1) ? 2 : 0;
  if (in(first, 0xe0, 0xef)) {
    const unsigned char low = first == 0xe0 ? 0xa0 : 0x80;
    const unsigned char high = first == 0xed ? 0x9f : 0xbf;
    return in(byte(1), low, high) && tail(2) ? 3 : 0;
  }
  if (in(first, 0xf0, 0xf4)) {
    const unsigned char low = first == 0xf0 ? 0x90 : 0x80;
    const unsigned char high = first == 0xf4 ? 0x8f : 0xbf;
    return in(byte(1), low, high) && tail(2) && tail(3) ? 4 : 0;
  }
  return 0;
}
}  // namespace

std::string valid_utf8(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = sequence_length(text, at);
    if (length == 0) {
      valid += "\xef\xbf\xbd";
      ++at;
    } else {
      valid.append(text.substr(at, length));
      at += length;
    }
  }
  return valid;
}

}  // namespace kvantage
