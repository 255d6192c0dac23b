// Byte-level BPE maps every byte to a printable character, so that a vocabulary is readable text (GPT-2).
#pragma once

#include <string>
#include <string_view>

namespace kvantage::inline text {

/// Each byte of the text as its letter, in UTF-8: "a b" -> "aĠb".
std::string bytes_to_letters(std::string_view text);
/// Appends the bytes that the letters encode; false (and nothing appended) for an invalid letter.
bool append_bytes_of_letters(std::string_view letters, std::string& bytes);

}  // namespace kvantage::inline text
