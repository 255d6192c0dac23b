// Characters added to Unicode after the tables of PCRE2 10.42 and ICU 72 (versions 14 and 15), but known to the
// `tokenizers` library. Without them, words of CJK Extension H, for example, would be split differently than in
// training.
#pragma once

#include <string>
#include <string_view>

namespace kvantage::inline text {

/// Is it one of them, with this general category ("Lu") or group of categories ("L")?
bool is_addition(char32_t character, std::string_view category);
/// Those of a category as members of a PCRE2 character set, e.g. "\x{1C8A}\x{A7CD}"; empty if there are none.
std::string additions_as_set(std::string_view category);

}  // namespace kvantage::inline text
