#include "core/text/byte_letters.h"

#include <array>

#include "core/text/unicode.h"

namespace kvantage::inline text {
namespace {

struct Letters {
  std::array<char32_t, 256> letter_of_byte{};
  std::array<int, 0x144> byte_of_letter{};

  Letters() {
    byte_of_letter.fill(-1);
    char32_t next = 0x100;  // unprintable bytes map to the letters from U+0100 on, in order
    for (unsigned byte = 0; byte < 256; ++byte) {
      const bool prints = (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
      const char32_t letter = prints ? static_cast<char32_t>(byte) : next++;
      letter_of_byte[byte] = letter;
      byte_of_letter[letter] = static_cast<int>(byte);
    }
  }
};

const Letters& letters() {
  static const Letters table;
  return table;
}

}  // namespace

std::string bytes_to_letters(std::string_view text) {
  std::string result;
  result.reserve(text.size() + text.size() / 4);
  for (const char c : text) append_character(result, letters().letter_of_byte[static_cast<unsigned char>(c)]);
  return result;
}

bool append_bytes_of_letters(std::string_view text, std::string& bytes) {
  const std::size_t before = bytes.size();
  for (std::size_t i = 0; i < text.size();) {
    const char32_t letter = next_character(text, i);
    const int byte = letter < letters().byte_of_letter.size() ? letters().byte_of_letter[letter] : -1;
    if (byte < 0) {
      bytes.resize(before);
      return false;
    }
    bytes.push_back(static_cast<char>(byte));
  }
  return true;
}

}  // namespace kvantage::inline text
