#include "core/report/formats/pdf_text.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/base/json_fields.h"

namespace kvantage::inline formats {
namespace {

// Windows-1252 from 0x80 on, where it differs from Latin-1.
constexpr std::array<std::uint32_t, 32> windows_letters{0x20ac, 0,      0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021,
                                                        0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0,      0x017d, 0,
                                                        0,      0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
                                                        0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0,      0x017e, 0x0178};

// Replaces letters that the font lacks: the currency sign, which reports never use. '?' marks predictions.
constexpr char absent_letter = '\xa4';

char windows_letter(std::uint32_t code) {
  if (code < 0x20 || code == 0x7f) return ' ';
  if (code < 0x80 || (code >= 0xa0 && code <= 0xff)) return static_cast<char>(code);
  const auto found = std::ranges::find(windows_letters, code);
  return found == windows_letters.end() ? absent_letter : static_cast<char>(0x80 + (found - windows_letters.begin()));
}

}  // namespace

std::string pdf_letters(std::string_view text) {
  const std::string valid = valid_utf8(text);
  std::string letters;
  for (std::size_t i = 0; i < valid.size();) {
    const auto first = static_cast<unsigned char>(valid[i]);
    const std::size_t bytes = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    std::uint32_t code = first < 0x80 ? first : first & (0xffU >> (bytes + 1));
    for (std::size_t k = 1; k < bytes && i + k < valid.size(); ++k)
      code = code << 6 | (static_cast<unsigned char>(valid[i + k]) & 0x3fU);
    letters += windows_letter(code);
    i += bytes;
  }
  return letters;
}

std::string pdf_string(std::string_view letters) {
  std::string text = "(";
  for (const char letter : letters) {
    if (letter == '(' || letter == ')' || letter == '\\') text += '\\';
    text += letter;
  }
  return text + ")";
}

}  // namespace kvantage::inline formats
