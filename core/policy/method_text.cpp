#include "core/policy/method_text.h"

#include <charconv>

namespace kvantage {

namespace {

constexpr int deepest_nesting = 16;

struct Parser {
  std::string_view text;
  std::size_t at = 0;

  static bool letter(char c) { return (c >= 'a' && c <= 'z') || c == '_'; }
  static bool digit(char c) { return c >= '0' && c <= '9'; }
  char peek() const { return at < text.size() ? text[at] : '\0'; }
  bool take(char c) {
    if (peek() != c) return false;
    ++at;
    return true;
  }
  bool name() {
    if (!letter(peek())) return false;
    while (letter(peek()) || digit(peek())) ++at;
    return true;
  }
  bool number() {
    double value = 0;
    const auto end = std::from_chars(text.data() + at, text.data() + text.size(), value);
    if (end.ec != std::errc()) return false;
    at = static_cast<std::size_t>(end.ptr - text.data());
    return true;
  }
  bool argument(int depth) {
    if (digit(peek()) || peek() == '-' || peek() == '.') return number();
    const std::size_t start = at;
    if (!name()) return false;
    if (take('=')) return digit(peek()) || peek() == '-' || peek() == '.' ? number() : name();
    at = start;
    return method(depth + 1);
  }
  bool term(int depth) {
    if (!name()) return false;
    if (!take('(')) return true;
    do {
      if (!argument(depth)) return false;
    } while (take(','));
    return take(')');
  }
  bool method(int depth) {
    if (depth > deepest_nesting) return false;
    do {
      if (!term(depth)) return false;
    } while (take('+'));
    return true;
  }
};

}  // namespace

Status check_method_text(std::string_view text) {
  Parser parser{text};
  if (parser.method(0) && parser.at == text.size()) return {};
  return fail(ErrorCode::usage, "method '" + std::string(text) + "': not understood at character " +
                                    std::to_string(parser.at + 1) +
                                    "; write a name like snapkv, adakv(snapkv) or snapkv+kivi4");
}

Expected<double> parse_removed_fraction(std::string_view text, const std::string& what) {
  double value = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end.ec != std::errc() || end.ptr != text.data() + text.size() || !(value >= 0 && value < 1))
    return fail(ErrorCode::usage,
                what + ": removed fraction '" + std::string(text) +
                    "' is not a number from 0 up to but not including 1; 0.5 removes half the tokens");
  return value;
}

}  // namespace kvantage
