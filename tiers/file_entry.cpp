#include "tiers/file_entry.h"

#include <charconv>
#include <string_view>

namespace kvantage {
namespace {

constexpr std::string_view suffix = ".kventry";
constexpr std::size_t key_digits = 32;
constexpr std::size_t sequence_digits = 16;

}  // namespace

std::string entry_file_name(const Digest128& key, std::uint64_t sequence) {
  // The sequence as sixteen digits, by the same rule as the key.
  return key.hex() + "-" + Digest128{0, sequence}.hex().substr(sequence_digits) + std::string(suffix);
}

std::optional<EntryFileName> parse_entry_file_name(const std::string& name) {
  EntryFileName parsed;
  std::string_view text = name;
  if (text.ends_with(part_suffix)) {
    parsed.part = true;
    text.remove_suffix(std::string_view(part_suffix).size());
  }
  if (text.size() != key_digits + 1 + sequence_digits + suffix.size() || !text.ends_with(suffix) ||
      text[key_digits] != '-')
    return std::nullopt;
  const auto key = Digest128::from_hex(text.substr(0, key_digits));
  if (!key) return std::nullopt;
  parsed.key = *key;
  const char* const begin = text.data() + key_digits + 1;
  const auto [end, code] = std::from_chars(begin, begin + sequence_digits, parsed.sequence, 16);
  if (code != std::errc{} || end != begin + sequence_digits) return std::nullopt;
  return parsed;
}

}  // namespace kvantage
