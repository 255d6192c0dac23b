#include "core/compress/method_form.h"

namespace kvantage {
namespace {

constexpr std::size_t deepest = 8;  // wrappers around a scorer; nobody means more

/// Cuts at `mark` outside of parentheses. Unbalanced parentheses are found by read_method_text later.
std::vector<std::string_view> split_outside(std::string_view text, char mark) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')') --depth;
    if (text[i] == mark && depth == 0) {
      parts.push_back(text.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  parts.push_back(text.substr(begin));
  return parts;
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::string_view name_of(std::string_view text) { return trimmed(text.substr(0, text.find('('))); }

Status read_chain(std::string_view text, std::vector<MethodText>& chain) {
  if (chain.size() >= deepest) return fail(ErrorCode::usage, "method: nested too deeply; one budget around one scorer");
  const std::string_view whole = trimmed(text);
  const auto open = whole.find('(');
  std::string_view inner;
  std::string leaf(whole);
  if (open != std::string_view::npos && whole.back() == ')') {
    const std::string_view inside = whole.substr(open + 1, whole.size() - open - 2);
    const auto pieces = split_outside(inside, ',');
    const std::string_view first = trimmed(pieces.front());
    // A parameter has its '=' before any parenthesis; a method has none or only inside.
    if (!first.empty() && first.substr(0, first.find('(')).find('=') == std::string_view::npos) {
      inner = first;
      leaf = std::string(whole.substr(0, open));
      std::string pairs;
      for (std::size_t i = 1; i < pieces.size(); ++i) pairs += (pairs.empty() ? "" : ",") + std::string(pieces[i]);
      if (pieces.size() > 1) leaf += "(" + pairs + ")";
    }
  }
  auto read = read_method_text(leaf);
  if (!read) return tl::unexpected(std::move(read).error());
  chain.push_back(std::move(*read));
  return inner.empty() ? Status{} : read_chain(inner, chain);
}

}  // namespace

Expected<MethodForm> read_method_form(std::string_view text, bool (*is_codec)(std::string_view name)) {
  auto parts = split_outside(text, '+');
  MethodForm form;
  if (is_codec(name_of(parts.front())))
    form.chain.push_back({"none", {}});
  else {
    KV_TRY(read_chain(parts.front(), form.chain));
    parts.erase(parts.begin());
  }
  for (const std::string_view part : parts) {
    if (trimmed(part).empty())
      return fail(ErrorCode::usage,
                  "method '" + std::string(text) + "': nothing stands beside a '+'; name a codec, e.g. snapkv+kivi4");
    form.codec += (form.codec.empty() ? "" : "+") + std::string(trimmed(part));
  }
  return form;
}

}  // namespace kvantage
