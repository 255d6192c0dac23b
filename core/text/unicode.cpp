#include "core/text/unicode.h"

#include <unicode/brkiter.h>
#include <unicode/locid.h>
#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/uniset.h>
#include <unicode/unistr.h>
#include <unicode/utext.h>

#include <memory>

#include "core/text/unicode_additions.h"

namespace kvantage::inline text {
namespace {

constexpr char32_t replacement = 0xFFFD;

/// Length of the well-formed sequence at text[position], or 0; `bad` is then the length of the maximal subpart.
std::size_t well_formed_length(std::string_view text, std::size_t position, std::size_t& bad) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(position);
  bad = 1;
  if (lead < 0x80) return 1;
  std::size_t length = 0;
  unsigned char low = 0x80;
  unsigned char high = 0xBF;  // bounds of the second byte: no overlong forms, no surrogates, nothing past U+10FFFF
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    length = 3;
    if (lead == 0xE0) low = 0xA0;
    if (lead == 0xED) high = 0x9F;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4;
    if (lead == 0xF0) low = 0x90;
    if (lead == 0xF4) high = 0x8F;
  } else {
    return 0;
  }
  for (std::size_t i = 1; i < length; ++i) {
    if (position + i >= text.size() || byte(position + i) < low || byte(position + i) > high) {
      bad = i;
      return 0;
    }
    low = 0x80;
    high = 0xBF;
  }
  return length;
}

icu::UnicodeString to_utf16(std::string_view text) {
  return icu::UnicodeString::fromUTF8(icu::StringPiece(text.data(), static_cast<int>(text.size())));
}

bool is_ascii(std::string_view text) {
  for (const char c : text)
    if (static_cast<unsigned char>(c) >= 0x80) return false;
  return true;
}

/// Did the character exist in Unicode `version`? Some tables in `tokenizers` are that old.
bool is_of_age(char32_t character, int version) {
  UVersionInfo age;
  u_charAge(static_cast<UChar32>(character), age);
  return age[0] > 0 && age[0] <= version;
}

}  // namespace

std::string mended_utf8(std::string_view text) {
  std::string mended;
  mended.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    std::size_t bad = 0;
    if (const std::size_t length = well_formed_length(text, i, bad); length > 0) {
      mended.append(text.substr(i, length));
      i += length;
    } else {
      append_character(mended, replacement);
      i += bad;
    }
  }
  return mended;
}

char32_t next_character(std::string_view text, std::size_t& position) {
  const auto byte = [&](std::size_t i) { return static_cast<char32_t>(static_cast<unsigned char>(text[i])); };
  const char32_t lead = byte(position++);
  if (lead < 0x80) return lead;
  const int more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
  char32_t character = lead & (0x3Fu >> more);
  for (int i = 0; i < more && position < text.size(); ++i) character = (character << 6) | (byte(position++) & 0x3F);
  return character;
}

char32_t previous_character(std::string_view text, std::size_t& position) {
  do --position;
  while (position > 0 && (static_cast<unsigned char>(text[position]) & 0xC0) == 0x80);
  std::size_t forward = position;
  return next_character(text, forward);
}

void append_character(std::string& text, char32_t character) {
  const auto put = [&](char32_t bits) { text.push_back(static_cast<char>(static_cast<unsigned char>(bits))); };
  if (character < 0x80) {
    put(character);
  } else if (character < 0x800) {
    put(0xC0 | (character >> 6));
    put(0x80 | (character & 0x3F));
  } else if (character < 0x10000) {
    put(0xE0 | (character >> 12));
    put(0x80 | ((character >> 6) & 0x3F));
    put(0x80 | (character & 0x3F));
  } else {
    put(0xF0 | (character >> 18));
    put(0x80 | ((character >> 12) & 0x3F));
    put(0x80 | ((character >> 6) & 0x3F));
    put(0x80 | (character & 0x3F));
  }
}

std::string utf8_of(char32_t character) {
  std::string text;
  append_character(text, character);
  return text;
}

std::size_t character_count(std::string_view text) {
  std::size_t count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) & 0xC0) != 0x80 ? 1 : 0;
  return count;
}

std::vector<std::size_t> grapheme_ends(std::string_view text) {
  std::vector<std::size_t> ends;
  ends.reserve(text.size());
  // Only "\r\n" is more than a character there. Others are slower to find.
  if (is_ascii(text)) {
    for (std::size_t at = 0; at < text.size(); ++at)
      if (!(text[at] == '\r' && at + 1 < text.size() && text[at + 1] == '\n')) ends.push_back(at + 1);
    return ends;
  }
  UErrorCode status = U_ZERO_ERROR;
  UText* const given = utext_openUTF8(nullptr, text.data(), static_cast<std::int64_t>(text.size()), &status);
  const std::unique_ptr<icu::BreakIterator> breaks(
      icu::BreakIterator::createCharacterInstance(icu::Locale::getRoot(), status));
  if (U_SUCCESS(status)) {
    breaks->setText(given, status);
    for (std::int32_t at = breaks->next(); U_SUCCESS(status) && at != icu::BreakIterator::DONE; at = breaks->next())
      ends.push_back(static_cast<std::size_t>(at));
  }
  utext_close(given);
  if (U_FAILURE(status)) {  // without ICU's data: characters
    ends.clear();
    for (std::size_t at = 0; at < text.size(); ends.push_back(at)) next_character(text, at);
  }
  return ends;
}

bool is_white_space(char32_t character) {
  return u_hasBinaryProperty(static_cast<UChar32>(character), UCHAR_WHITE_SPACE) != 0;
}

bool is_word(char32_t character) {
  const auto c = static_cast<UChar32>(character);
  return u_hasBinaryProperty(c, UCHAR_ALPHABETIC) != 0 || u_hasBinaryProperty(c, UCHAR_JOIN_CONTROL) != 0 ||
         (U_GET_GC_MASK(c) & (U_GC_M_MASK | U_GC_ND_MASK | U_GC_PC_MASK)) != 0 || is_addition(character, "L") ||
         is_addition(character, "M") || is_addition(character, "Nd");
}

bool is_numeric(char32_t character) {
  return (U_GET_GC_MASK(static_cast<UChar32>(character)) & U_GC_N_MASK) != 0 || is_addition(character, "N");
}

bool is_letter_or_number(char32_t character) {
  return (U_GET_GC_MASK(static_cast<UChar32>(character)) & (U_GC_L_MASK | U_GC_N_MASK)) != 0;
}

bool is_punctuation(char32_t character) {
  if (character < 0x80) return character > 0x20 && character < 0x7F && u_isalnum(static_cast<UChar32>(character)) == 0;
  if (character == 0x166D || character == 0x111C9) return true;  // in Unicode 8; later versions recategorized them
  return (U_GET_GC_MASK(static_cast<UChar32>(character)) & U_GC_P_MASK) != 0 && is_of_age(character, 8);
}

bool is_mark(char32_t character) {
  return (U_GET_GC_MASK(static_cast<UChar32>(character)) & U_GC_M_MASK) != 0 && is_of_age(character, 9);
}

bool is_nonspacing_mark(char32_t character) {
  // Their categories in Unicode 8; later versions changed them.
  if (character == 0x1734) return true;
  if (character == 0x1885 || character == 0x1886 || character == 0xA9BD || character == 0x111C9) return false;
  return (U_GET_GC_MASK(static_cast<UChar32>(character)) & U_GC_MN_MASK) != 0 && is_of_age(character, 8);
}

bool is_control_or_private(char32_t character) {
  return (U_GET_GC_MASK(static_cast<UChar32>(character)) & (U_GC_CC_MASK | U_GC_CF_MASK | U_GC_CO_MASK)) != 0 &&
         is_of_age(character, 8);
}

std::string normalized(std::string_view text, NormalForm form) {
  if (is_ascii(text)) return std::string(text);
  UErrorCode status = U_ZERO_ERROR;
  const icu::Normalizer2* newest = form == NormalForm::nfc    ? icu::Normalizer2::getNFCInstance(status)
                                   : form == NormalForm::nfd  ? icu::Normalizer2::getNFDInstance(status)
                                   : form == NormalForm::nfkc ? icu::Normalizer2::getNFKCInstance(status)
                                                              : icu::Normalizer2::getNFKDInstance(status);
  // Hugging Face tokenizers still normalize by Unicode 11: later characters pass unchanged.
  static const icu::UnicodeSet known = [] {
    UErrorCode set_status = U_ZERO_ERROR;
    icu::UnicodeSet set(UNICODE_STRING_SIMPLE("[:Age=11.0:]"), set_status);
    set.freeze();
    return set;
  }();
  if (U_FAILURE(status)) return std::string(text);
  const icu::FilteredNormalizer2 filtered(*newest, known);
  const icu::Normalizer2& normalizer = filtered;
  const icu::UnicodeString changed = normalizer.normalize(to_utf16(text), status);
  if (U_FAILURE(status)) return std::string(text);
  std::string result;
  return changed.toUTF8String(result);
}

std::string lower_case_by_character(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const char32_t character = next_character(text, i);
    if (character == 0x130) {  // the only character with a two-character lower case in any context
      result += "i\xCC\x87";
    } else {
      append_character(result, static_cast<char32_t>(u_tolower(static_cast<UChar32>(character))));
    }
  }
  return result;
}

std::string lower_case(std::string_view text) {
  std::string result;
  return to_utf16(text).toLower(icu::Locale::getRoot()).toUTF8String(result);
}

}  // namespace kvantage::inline text
