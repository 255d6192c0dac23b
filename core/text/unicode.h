// Characters of UTF-8 text for the stages of a tokenizer: malformed bytes are repaired once, on entry, so that later
// stages can rely on valid input. Properties and normal forms come from ICU.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kvantage::inline text {

/// Text with every malformed stretch replaced by U+FFFD (one for each maximal subpart, Unicode 3.9, as browsers do).
std::string mended_utf8(std::string_view text);

/// The character at text[position] of valid UTF-8; advances position past it.
char32_t next_character(std::string_view text, std::size_t& position);
/// The character that ends before text[position]; moves position to its start.
char32_t previous_character(std::string_view text, std::size_t& position);
void append_character(std::string& text, char32_t character);
std::string utf8_of(char32_t character);
std::size_t character_count(std::string_view text);
/// Where each extended grapheme cluster of valid UTF-8 text ends, ascending.
std::vector<std::size_t> grapheme_ends(std::string_view text);

bool is_white_space(char32_t character);       // Unicode White_Space
bool is_word(char32_t character);              // \w of UTS 18: Alphabetic, marks, decimal digits, connectors, joiners
bool is_numeric(char32_t character);           // general category N
bool is_letter_or_number(char32_t character);  // general category L or N
bool is_punctuation(char32_t character);       // general category P, or an ASCII symbol
bool is_mark(char32_t character);              // general category M
bool is_nonspacing_mark(char32_t character);   // general category Mn, as BERT's tokenizer strips accents (by Unicode 8)
bool is_control_or_private(char32_t character);  // general categories Cc, Cf, Co, as BERT's tokenizer cleans text

enum class NormalForm { nfc, nfd, nfkc, nfkd };
std::string normalized(std::string_view text, NormalForm form);
/// Per character, without context: a final sigma is treated like any other (as tokenizers were trained).
std::string lower_case_by_character(std::string_view text);
/// With Unicode's context rules, as Python's str.lower.
std::string lower_case(std::string_view text);

}  // namespace kvantage::inline text
