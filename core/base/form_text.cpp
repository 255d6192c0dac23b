#include "core/base/form_text.h"

#include <set>

namespace kvantage {

std::vector<std::string_view> split_outside_parentheses(std::string_view text, char mark) {
  std::vector<std::string_view> pieces;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')') --depth;
    if (text[i] != mark || depth != 0) continue;
    pieces.push_back(text.substr(begin, i - begin));
    begin = i + 1;
  }
  pieces.push_back(text.substr(begin));
  return pieces;
}

std::vector<std::string> split_list(std::string text) {
  std::erase(text, ' ');
  std::vector<std::string> items;
  for (const std::string_view item : split_outside_parentheses(text, ','))
    if (!item.empty()) items.emplace_back(item);
  return items;
}

std::vector<std::string> split_policies(std::string_view text) {
  std::vector<std::string> items;
  for (const std::string_view item : split_outside_parentheses(text, ','))
    if (const std::string_view inside = trimmed(item); !inside.empty()) items.emplace_back(inside);
  return items;
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

namespace {

bool balances(std::string_view text) {
  int depth = 0;
  for (const char letter : text) {
    depth += letter == '(' ? 1 : letter == ')' ? -1 : 0;
    if (depth < 0) return false;
  }
  return depth == 0;
}

}  // namespace

FormText::Argument FormText::argument_of(std::string_view piece) {
  const auto equals = piece.find('=');
  if (equals == std::string_view::npos || equals == 0 || equals > piece.find('(')) return {{}, piece};
  // A comparison is no key: "quality>=0.5", "stored==1".
  const std::string_view comparing = "<>!=";
  if (comparing.find(piece[equals - 1]) != std::string_view::npos || piece.substr(equals + 1).starts_with('='))
    return {{}, piece};
  return {piece.substr(0, equals), piece.substr(equals + 1)};
}

Expected<FormText> FormText::read(std::string_view text, std::string_view kind) {
  FormText form;
  form.text_ = text;
  const std::size_t open = name_of(text).size();
  form.name_ = trimmed(name_of(text));
  if (open == text.size()) return form;
  const auto refuse = [&](const char* why) {
    return fail(ErrorCode::usage, std::string(kind) + " '" + std::string(text) + "': " + why);
  };
  if (text.back() != ')') return refuse("ends without ')'; add it");
  const std::string_view inside = text.substr(open + 1, text.size() - open - 2);
  if (!balances(inside)) return refuse("parentheses do not balance; close each one that is open");
  for (const std::string_view piece : split_outside_parentheses(inside, ','))
    form.arguments_.push_back(argument_of(piece));
  return form;
}

std::string_view FormText::repeated_key() const {
  std::set<std::string_view> seen;
  for (const Argument& argument : arguments_)
    if (const std::string_view key = trimmed(argument.key); !key.empty() && !seen.insert(key).second) return key;
  return {};
}

}  // namespace kvantage
