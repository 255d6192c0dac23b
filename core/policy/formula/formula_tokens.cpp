#include "core/policy/formula/formula_tokens.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <span>

#include "core/base/did_you_mean.h"
#include "core/base/json.h"
#include "core/policy/formula/formula.h"

namespace kvantage::inline formula {
namespace {

using Kind = FormulaToken::Kind;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

/// "min" of "min(a,b,...)".
std::string_view function_name(std::string_view form) { return form.substr(0, form.find('(')); }

/// The length of the number that `text` begins with; 0: none.
std::size_t number_length(std::string_view text) {
  std::size_t at = 0, digits = 0;
  for (; at < text.size() && is_digit(text[at]); ++at) ++digits;
  if (at < text.size() && text[at] == '.')
    for (++at; at < text.size() && is_digit(text[at]); ++at) ++digits;
  if (digits == 0) return 0;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    std::size_t exponent = at + 1;
    if (exponent < text.size() && (text[exponent] == '+' || text[exponent] == '-')) ++exponent;
    const std::size_t first = exponent;
    while (exponent < text.size() && is_digit(text[exponent])) ++exponent;
    if (exponent > first) at = exponent;
  }
  return at;
}

bool is_finite_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() && std::isfinite(value);
}

/// The operator that `text` begins with; empty: none.
std::string_view operator_of(std::string_view text) {
  constexpr std::array<std::string_view, 15> operators{"<=", ">=", "==", "!=", "&&", "||", "+", "-",
                                                       "*",  "/",  "^",  "<",  ">",  "?",  ":"};
  const auto* found =
      std::ranges::find_if(operators, [&](std::string_view one) { return text.substr(0, one.size()) == one; });
  return found == operators.end() ? std::string_view{} : text.substr(0, found->size());
}

/// A name: of a function where it is called, else of a quantity.
Expected<Kind> kind_of_name(std::string_view text, std::size_t at, std::string_view name) {
  const auto next = text.find_first_not_of(' ', at + name.size());
  const bool called = next != std::string_view::npos && text[next] == '(';
  const auto& functions = formula_functions();
  const bool is_function = std::ranges::find(functions, name, function_name) != functions.end();
  const bool is_quantity = std::ranges::find(quantities(), name, &QuantityInfo::name) != quantities().end();
  const std::string quoted = "'" + printable(name) + "'";
  if (called && is_function) return Kind::function;
  if (!called && is_quantity) return Kind::quantity;
  if (called && is_quantity)
    return formula_error(text, at, quoted + " is a quantity and takes no arguments; write an operator between");
  if (is_function) return formula_error(text, at, "function " + quoted + " has no arguments; give them in parentheses");
  std::vector<std::string_view> names;
  for (const QuantityInfo& quantity : quantities())
    if (!called) names.push_back(quantity.name);
  for (const std::string_view function : functions)
    if (called) names.push_back(function_name(function));
  return formula_error(text, at,
                       (called ? "unknown function " : "unknown name ") + quoted + "; " + did_you_mean(name, names));
}

}  // namespace

tl::unexpected<Error> formula_error(std::string_view text, std::size_t at, const std::string& reason) {
  const std::size_t place = std::min(at, text.size()) + 1;
  return fail(ErrorCode::usage, "policy 'formula', character " + std::to_string(place) + ": " + reason);
}

Expected<std::vector<FormulaToken>> formula_tokens(std::string_view text) {
  std::vector<FormulaToken> tokens;
  int depth = 0;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == ' ') {
      ++at;
      continue;
    }
    FormulaToken token{Kind::operation, text.substr(at, 1), at};
    if (const std::size_t length = number_length(text.substr(at)); length > 0) {
      token.kind = Kind::number;
      token.text = text.substr(at, length);
      const std::size_t end = at + length;
      if (end < text.size() && (is_letter(text[end]) || text[end] == '.'))
        return formula_error(
            text, end,
            "a number ends in '" + printable(text.substr(end, 1)) + "'; write an operator such as * after it");
      if (!is_finite_number(token.text))
        return formula_error(text, at, "'" + std::string(token.text) + "' is beyond the range of numbers");
    } else if (is_letter(c)) {
      std::size_t end = at;
      while (end < text.size() && (is_letter(text[end]) || is_digit(text[end]))) ++end;
      token.text = text.substr(at, end - at);
      KV_ASSIGN(token.kind, kind_of_name(text, at, token.text));
    } else if (c == '(' || c == ')' || c == ',') {
      token.kind = c == '(' ? Kind::open : c == ')' ? Kind::close : Kind::comma;
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      if (depth > max_formula_depth)
        return formula_error(text, at,
                             "more than " + std::to_string(max_formula_depth) + " parentheses are open; simplify it");
      if (c == ',' && depth == 0)
        return formula_error(text, at, "',' stands outside of a function's arguments; remove it");
    } else {
      token.text = operator_of(text.substr(at));
      std::size_t end = at + 1;  // of a character beyond ASCII
      while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) ++end;
      if (token.text.empty())
        return formula_error(text, at,
                             "'" + printable(text.substr(at, end - at)) +
                                 "' is no operator; use + - * / ^ < <= > >= == != && || and ? :");
    }
    at += token.text.size();
    tokens.push_back(token);
  }
  return tokens;
}

bool is_scaled_by_frequency(const std::vector<FormulaToken>& all) {
  std::span<const FormulaToken> tokens(all);
  // Without parentheses around the whole.
  const auto closes_last = [](std::span<const FormulaToken> inside) {
    int depth = 0;
    for (std::size_t i = 0; i < inside.size(); ++i) {
      depth += inside[i].kind == Kind::open ? 1 : inside[i].kind == Kind::close ? -1 : 0;
      if (depth == 0) return i + 1 == inside.size();
    }
    return false;
  };
  while (tokens.size() > 2 && tokens.front().kind == Kind::open && closes_last(tokens))
    tokens = tokens.subspan(1, tokens.size() - 2);
  int depth = 0;
  std::size_t factors = 0, others = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const FormulaToken& token = tokens[i];
    depth += token.kind == Kind::open ? 1 : token.kind == Kind::close ? -1 : 0;
    if (depth == 0 && token.kind == Kind::operation && token.text != "*" && token.text != "/" && token.text != "^")
      return false;
    if (token.text != "frequency") continue;
    const bool multiplied = i == 0 || tokens[i - 1].text == "*";
    const bool alone = i + 1 == tokens.size() || tokens[i + 1].text == "*" || tokens[i + 1].text == "/";
    (depth == 0 && multiplied && alone ? factors : others) += 1;
  }
  return factors == 1 && others == 0;
}

}  // namespace kvantage::inline formula
