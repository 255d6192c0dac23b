// Byte-level BPE spells every byte as a printable character, so that a vocabulary is readable text (GPT-2).
#pragma once

#include <string>
#include <string_view>

namespace kvantage::text {

/// Each byte of the text as its letter, in UTF-8: "a b" -> "aĠb".
std::string bytes_to_letters(std::string_view text);
/// The bytes that the letters stand for, appended; false (and nothing appended) if one stands for none.
bool append_bytes_of_letters(std::string_view letters, std::string& bytes);

}  // namespace kvantage::text
