#include "core/text/unicode_additions.h"

#include <algorithm>
#include <iterator>

namespace kvantage::inline text {
namespace {

struct Addition {
  char32_t first;
  char32_t last;
  std::string_view category;
};

constexpr Addition additions[] = {
#include "core/text/unicode_additions.inc"
};

std::string hexadecimal(char32_t character) {
  std::string digits;
  for (; character > 0; character >>= 4) digits.insert(digits.begin(), "0123456789ABCDEF"[character & 15]);
  return digits;
}

}  // namespace

bool is_addition(char32_t character, std::string_view category) {
  if (character < additions[0].first) return false;
  const auto* after = std::upper_bound(std::begin(additions), std::end(additions), character,
                                       [](char32_t c, const Addition& addition) { return c < addition.first; });
  return after != std::begin(additions) && character <= std::prev(after)->last &&
         std::prev(after)->category.starts_with(category);
}

std::string additions_as_set(std::string_view category) {
  std::string members;
  if (category.empty()) return members;
  for (const Addition& addition : additions)
    if (addition.category.starts_with(category))
      members += "\\x{" + hexadecimal(addition.first) + "}-\\x{" + hexadecimal(addition.last) + "}";
  return members;
}

}  // namespace kvantage::inline text
