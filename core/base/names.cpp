#include "core/base/names.h"

#include <algorithm>
#include <cstdint>

#include "core/base/json.h"
#include "core/base/json_fields.h"

namespace kvantage {
namespace {

constexpr std::string_view refused_signs = "/\\:*?\"<>|";

// The character at `at`, which must be well-formed, and its length.
std::pair<std::uint32_t, std::size_t> character_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const auto rest = [&](std::size_t i) { return static_cast<std::uint32_t>(byte(i) & 0x3f); };
  if (byte(0) < 0x80) return {byte(0), 1};
  if (byte(0) < 0xe0) return {(byte(0) & 0x1fU) << 6 | rest(1), 2};
  if (byte(0) < 0xf0) return {(byte(0) & 0x0fU) << 12 | rest(1) << 6 | rest(2), 3};
  return {(byte(0) & 0x07U) << 18 | rest(1) << 12 | rest(2) << 6 | rest(3), 4};
}

bool is_refused(std::uint32_t c) {
  if (c < 0x80) return c < 0x20 || c == 0x7f || refused_signs.find(static_cast<char>(c)) != refused_signs.npos;
  const auto within = [c](std::uint32_t first, std::uint32_t last) { return c >= first && c <= last; };
  // Control characters, bidirectional controls and zero-width characters.
  return within(0x80, 0x9f) || c == 0xad || c == 0x61c || within(0x200b, 0x200f) || within(0x2028, 0x202e) ||
         within(0x2060, 0x206f) || c == 0xfeff || within(0xfff9, 0xfffb) || within(0xe0000, 0xe007f);
}

}  // namespace

Status check_name(std::string_view name, const std::string& where) {
  const auto refuse = [&](const std::string& reason) {
    return fail(ErrorCode::rejected_input,
                where + ": the name '" + printable(name.substr(0, max_name_bytes)) + "' " + reason);
  };
  if (name.empty()) return fail(ErrorCode::rejected_input, where + ": the name is empty; give one");
  if (name.size() > max_name_bytes) return refuse("is longer than 100 bytes; shorten it");
  if (valid_utf8(name) != name) return refuse("is not valid UTF-8; correct it");
  if (name.front() == '.') return refuse("begins with a dot; remove it");
  if (name.front() == ' ' || name.back() == ' ') return refuse("begins or ends with a space; remove it");
  for (std::size_t at = 0; at < name.size();) {
    const auto [character, length] = character_at(name, at);
    if (is_refused(character))
      return refuse("holds a character that no name may hold (controls and " + std::string(refused_signs) +
                    "); use letters, digits, spaces, - and _");
    at += length;
  }
  return {};
}

std::string as_name(std::string_view text, const std::string& otherwise) {
  const std::string valid = valid_utf8(text);
  std::string name;
  for (std::size_t at = 0; at < valid.size();) {
    const auto [character, length] = character_at(valid, at);
    if (name.size() + length > max_name_bytes) break;
    name += is_refused(character) ? "_" : valid.substr(at, length);
    at += length;
  }
  name.erase(0, std::min(name.find_first_not_of(". "), name.size()));
  name.erase(name.find_last_not_of(' ') + 1);
  return name.empty() ? otherwise : name;
}

}  // namespace kvantage
