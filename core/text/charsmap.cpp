#include "core/text/charsmap.h"

#include <algorithm>

#include "core/text/unicode.h"

namespace kvantage::inline text {
namespace {

constexpr std::size_t longest_grapheme = 5;  // bytes of one that is looked up as a whole

std::optional<std::string> bytes_of_base64(std::string_view text) {
  while (text.ends_with('=')) text.remove_suffix(1);
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3 + 2);
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const int digit = c >= 'A' && c <= 'Z'   ? c - 'A'
                      : c >= 'a' && c <= 'z' ? c - 'a' + 26
                      : c >= '0' && c <= '9' ? c - '0' + 52
                      : c == '+'             ? 62
                      : c == '/'             ? 63
                                             : -1;
    if (digit < 0) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes.push_back(static_cast<char>(static_cast<unsigned char>(bits >> count & 0xFF)));
  }
  return bytes;
}

std::uint32_t unit_at(std::string_view bytes, std::size_t at) {
  std::uint32_t unit = 0;
  for (std::size_t i = 0; i < 4; ++i)
    unit |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
  return unit;
}

// A unit of the double array (darts-clone).
bool has_text(std::uint32_t unit) { return (unit >> 8 & 1) != 0; }
std::uint32_t label_of(std::uint32_t unit) { return unit & (1U << 31 | 0xFF); }
std::uint32_t offset_of(std::uint32_t unit) { return unit >> 10 << ((unit & (1U << 9)) >> 6); }

}  // namespace

Expected<Charsmap> Charsmap::parse(std::string_view base64, const std::string& name) {
  const auto refuse = [&] {
    return fail(ErrorCode::rejected_input,
                name + ": precompiled_charsmap is not a table of SentencePiece; fetch the file again");
  };
  const auto bytes = bytes_of_base64(base64);
  if (!bytes || bytes->size() < 4) return refuse();
  const std::uint32_t trie_bytes = unit_at(*bytes, 0);
  if (trie_bytes % 4 != 0 || trie_bytes < 4 || trie_bytes > bytes->size() - 4) return refuse();
  Charsmap made;
  made.units_.reserve(trie_bytes / 4);
  for (std::size_t at = 4; at < 4 + std::size_t{trie_bytes}; at += 4) made.units_.push_back(unit_at(*bytes, at));
  made.texts_ = bytes->substr(4 + std::size_t{trie_bytes});
  if (mended_utf8(made.texts_) != made.texts_) return refuse();
  return made;
}

std::optional<std::string_view> Charsmap::replacement_of(std::string_view text) const {
  std::size_t at = offset_of(units_.front());
  for (const char c : text) {
    if (c == 0) break;
    at ^= static_cast<unsigned char>(c);
    if (at >= units_.size()) break;
    const std::uint32_t unit = units_[at];
    if (label_of(unit) != static_cast<unsigned char>(c)) break;
    at ^= offset_of(unit);
    if (!has_text(unit)) continue;
    if (at >= units_.size()) break;
    const std::size_t begin = units_[at] & ~(1U << 31);
    if (begin >= texts_.size() || (static_cast<unsigned char>(texts_[begin]) & 0xC0) == 0x80) break;
    const std::size_t end = std::min(texts_.find('\0', begin), texts_.size());
    return std::string_view(texts_).substr(begin, end - begin);
  }
  return std::nullopt;
}

Status Charsmap::replace_all(std::string& text, const EncodingBudget& budget, const std::string& stage) const {
  std::string changed;
  changed.reserve(text.size());
  std::size_t begin = 0;
  for (const std::size_t end : grapheme_ends(text)) {
    const std::string_view grapheme = std::string_view(text).substr(begin, end - begin);
    begin = end;
    const auto whole = grapheme.size() <= longest_grapheme ? replacement_of(grapheme) : std::nullopt;
    if (whole) changed += *whole;
    for (std::size_t at = 0; !whole && at < grapheme.size();) {
      const std::size_t from = at;
      next_character(grapheme, at);
      const std::string_view character = grapheme.substr(from, at - from);
      changed += replacement_of(character).value_or(character);
    }
    KV_TRY(budget.check_size(changed.size(), stage));
  }
  text = std::move(changed);
  return {};
}

}  // namespace kvantage::inline text
