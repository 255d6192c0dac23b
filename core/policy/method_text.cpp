#include "core/policy/method_text.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "core/base/form_text.h"

namespace kvantage::inline policy {

namespace {

constexpr int deepest_nesting = 16;

bool is_name(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; };
  return !text.empty() && letter(text.front()) &&
         std::ranges::all_of(text, [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

bool is_number(std::string_view text) {
  if (text.empty() || std::string_view("0123456789-.").find(text.front()) == std::string_view::npos) return false;
  double value = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  return end.ec == std::errc() && end.ptr == text.data() + text.size();
}

/// The first invalid part of a text; nothing where all of it is valid.
std::optional<std::string_view> misread(std::string_view text, int depth) {
  if (depth > deepest_nesting) return text;
  for (const std::string_view term : split_outside_parentheses(text, '+')) {
    const auto form = FormText::read(term, "method");
    if (!form || !is_name(form->name())) return term;
    for (const auto& [key, value] : form->arguments()) {
      if (is_number(value) && (key.empty() || is_name(key))) continue;
      if (!key.empty() && !(is_name(key) && is_name(value))) return key;
      if (!key.empty()) continue;
      if (const auto inner = misread(value, depth + 1)) return inner;
    }
  }
  return std::nullopt;
}

}  // namespace

Status check_method_text(std::string_view text) {
  const auto part = misread(text, 0);
  if (!part) return {};
  return fail(ErrorCode::usage, "method '" + std::string(text) + "': not understood at character " +
                                    std::to_string(part->data() - text.data() + 1) +
                                    "; write a name like snapkv, adakv(snapkv) or snapkv+kivi4");
}

}  // namespace kvantage::inline policy
