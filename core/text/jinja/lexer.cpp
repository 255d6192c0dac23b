#include "core/text/jinja/lexer.h"

#include <algorithm>
#include <array>

#include "core/base/json.h"
#include "core/text/jinja/python_text.h"
#include "core/text/unicode.h"

namespace kvantage::inline jinja {
namespace {

constexpr std::size_t max_tokens = 200'000;
constexpr std::array<std::string_view, 25> signs{"//", "**", "==", "!=", ">=", "<=", "+", "-", "/", "*", "%", "~", "[",
                                                 "]",  "(",  ")",  "{",  "}",  ">",  "<", "=", ".", ":", "|", ","};

/// Line ends become "\n", and one at the end is dropped.
std::string with_plain_lines(std::string_view source) {
  std::string plain;
  plain.reserve(source.size());
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (source[i] == '\r' && i + 1 < source.size() && source[i + 1] == '\n') continue;
    plain.push_back(source[i] == '\r' ? '\n' : source[i]);
  }
  if (plain.ends_with('\n')) plain.pop_back();
  return plain;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool begins_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

}  // namespace

JinjaLexer::JinjaLexer(std::string_view source) : source_(with_plain_lines(source)) {}

tl::unexpected<Error> JinjaLexer::refuse(const std::string& reason) const {
  return fail(ErrorCode::rejected_input, "line " + std::to_string(line_) + ": " + reason);
}

void JinjaLexer::advance(std::size_t bytes) {
  const std::string_view passed = std::string_view(source_).substr(at_, bytes);
  line_ += static_cast<int>(std::ranges::count(passed, '\n'));
  if (!passed.empty()) line_start_ = passed.back() == '\n';
  at_ += passed.size();
}

void JinjaLexer::add_data(std::string_view text) {
  if (!text.empty()) tokens_.push_back({JinjaToken::Kind::data, std::string(text), line_});
}

std::string_view JinjaLexer::before_tag(std::size_t begin, std::size_t tag, bool is_block) const {
  const std::string_view text = std::string_view(source_).substr(begin, tag - begin);
  const char sign = tag + 2 < source_.size() ? source_[tag + 2] : '\0';
  if (sign == '-') return py_strip(text, false, true);
  if (sign == '+' || !is_block) return text;
  const std::size_t line = text.rfind('\n') + 1;  // 0 where there is none
  if (line == 0 && !line_start_) return text;
  return py_strip(text.substr(line), true, false).empty() ? text.substr(0, line) : text;
}

void JinjaLexer::skip_after(char sign, bool trims) {
  if (sign == '-') {
    const std::string_view rest = std::string_view(source_).substr(at_);
    advance(rest.size() - py_strip(rest, true, false).size());
  } else if (sign != '+' && trims && at_ < source_.size() && source_[at_] == '\n') {
    advance(1);
  }
}

Expected<std::vector<JinjaToken>> JinjaLexer::run() {
  while (at_ < source_.size()) {
    KV_TRY(read_root());
    if (tokens_.size() > max_tokens) return refuse("the template is too long");
  }
  tokens_.push_back({JinjaToken::Kind::end, {}, line_});
  return std::move(tokens_);
}

Status JinjaLexer::read_root() {
  std::size_t tag = source_.find('{', at_);
  while (tag != std::string::npos &&
         (tag + 1 >= source_.size() || (source_[tag + 1] != '{' && source_[tag + 1] != '%' && source_[tag + 1] != '#')))
    tag = source_.find('{', tag + 1);
  if (tag == std::string::npos) {
    add_data(std::string_view(source_).substr(at_));
    at_ = source_.size();
    return {};
  }
  const char kind = source_[tag + 1];
  add_data(before_tag(at_, tag, kind != '{'));
  advance(tag - at_ + 2);
  line_start_ = false;
  if (at_ < source_.size() && (source_[at_] == '-' || source_[at_] == '+')) advance(1);
  if (kind == '#') return skip_comment();
  if (kind == '{') return read_tag(false);
  // {% raw %}: what is in it is text.
  const std::string_view rest = std::string_view(source_).substr(at_);
  const std::string_view word = py_strip(rest, true, false);
  if (word.starts_with("raw")) {
    const std::string_view after = py_strip(word.substr(3), true, false);
    if (after.starts_with("%}") || after.starts_with("-%}")) {
      advance(rest.size() - after.size() + (after[0] == '-' ? 3 : 2));
      if (after[0] == '-') skip_after('-', false);
      return read_raw();
    }
  }
  return read_tag(true);
}

Status JinjaLexer::read_raw() {
  for (std::size_t tag = source_.find("{%", at_); tag != std::string::npos; tag = source_.find("{%", tag + 2)) {
    std::string_view rest = std::string_view(source_).substr(tag + 2);
    if (rest.starts_with('-') || rest.starts_with('+')) rest.remove_prefix(1);
    rest = py_strip(rest, true, false);
    if (!rest.starts_with("endraw")) continue;
    rest = py_strip(rest.substr(6), true, false);
    const bool marked = rest.starts_with("-%}") || rest.starts_with("+%}");
    if (!marked && !rest.starts_with("%}")) continue;
    add_data(before_tag(at_, tag, true));
    const char sign = marked ? rest[0] : '\0';
    advance(source_.size() - rest.size() - at_ + (marked ? 3 : 2));
    skip_after(sign, true);
    return {};
  }
  return refuse("{% raw %} has no {% endraw %}");
}

Status JinjaLexer::skip_comment() {
  const std::size_t end = source_.find("#}", at_);
  if (end == std::string::npos) return refuse("a comment {# has no #}");
  const char sign = end > at_ ? source_[end - 1] : '\0';
  advance(end + 2 - at_);
  line_start_ = false;
  skip_after(sign, true);
  return {};
}

Status JinjaLexer::read_tag(bool is_block) {
  using Kind = JinjaToken::Kind;
  const std::string_view close = is_block ? "%}" : "}}";
  tokens_.push_back({is_block ? Kind::begin_block : Kind::begin_print, {}, line_});
  std::string open;  // brackets
  while (at_ < source_.size()) {
    const std::string_view rest = std::string_view(source_).substr(at_);
    if (const std::size_t space = rest.size() - py_strip(rest, true, false).size(); space > 0) {
      advance(space);
      continue;
    }
    const bool marked = rest[0] == '-' || (is_block && rest[0] == '+');
    if (open.empty() && rest.substr(marked ? 1 : 0).starts_with(close)) {
      tokens_.push_back({is_block ? Kind::end_block : Kind::end_print, {}, line_});
      const char sign = marked ? rest[0] : '\0';
      advance(marked ? 3 : 2);
      skip_after(sign, is_block);
      return {};
    }
    KV_TRY(read_token());
    const std::string& sign = tokens_.back().text;
    if (tokens_.back().kind != Kind::sign) continue;
    if (sign == "(" || sign == "[" || sign == "{") open.push_back(sign[0] == '(' ? ')' : sign[0] == '[' ? ']' : '}');
    if (sign == ")" || sign == "]" || sign == "}") {
      if (open.empty() || open.back() != sign[0]) return refuse("'" + sign + "' closes nothing");
      open.pop_back();
    }
    if (tokens_.size() > max_tokens) return refuse("the template is too long");
  }
  return refuse(std::string("a tag has no ") + std::string(close));
}

Status JinjaLexer::read_token() {
  const char c = source_[at_];
  if (c == '\'' || c == '"') return read_text(c);
  if (is_digit(c)) {
    const std::string_view rest = std::string_view(source_).substr(at_);
    constexpr std::string_view bases = "xXbBoO";
    if (rest.size() > 1 && c == '0' && bases.find(rest[1]) != std::string_view::npos)
      return refuse("numbers to another base than ten are not supported");
    read_number();
    return {};
  }
  if (begins_name(c)) {
    read_name();
    return {};
  }
  for (const std::string_view sign : signs)
    if (looking_at(sign)) {
      tokens_.push_back({JinjaToken::Kind::sign, std::string(sign), line_});
      advance(sign.size());
      return {};
    }
  return refuse("unexpected '" + printable(std::string_view(&c, 1)) + "'");
}

void JinjaLexer::read_number() {
  std::string digits;
  std::size_t at = at_;
  const auto digit_run = [&] {
    for (; at < source_.size() &&
           (is_digit(source_[at]) || (source_[at] == '_' && at + 1 < source_.size() && is_digit(source_[at + 1])));
         ++at)
      if (source_[at] != '_') digits.push_back(source_[at]);
  };
  digit_run();
  bool real = false;
  const auto digit_at = [&](std::size_t i) { return i < source_.size() && is_digit(source_[i]); };
  // After a point, "1.2" in a.1.2 is two subscripts.
  const bool after_point = !tokens_.empty() && tokens_.back().is_sign(".") && at_ > 0 && source_[at_ - 1] == '.';
  if (!after_point && at < source_.size() && source_[at] == '.' && digit_at(at + 1)) {
    real = true;
    digits.push_back('.');
    ++at;
    digit_run();
  }
  if (!after_point && at < source_.size() && (source_[at] == 'e' || source_[at] == 'E')) {
    const std::size_t sign = at + 1 < source_.size() && (source_[at + 1] == '+' || source_[at + 1] == '-') ? 1 : 0;
    if (digit_at(at + 1 + sign)) {
      real = true;
      digits.append(source_, at, 1 + sign);
      at += 1 + sign;
      digit_run();
    }
  }
  tokens_.push_back({real ? JinjaToken::Kind::real : JinjaToken::Kind::integer, std::move(digits), line_});
  advance(at - at_);
}

void JinjaLexer::read_name() {
  std::size_t end = at_;
  while (end < source_.size() && (begins_name(source_[end]) || is_digit(source_[end]))) ++end;
  tokens_.push_back({JinjaToken::Kind::name, source_.substr(at_, end - at_), line_});
  advance(end - at_);
}

Status JinjaLexer::read_text(char quote) {
  const int line = line_;
  std::string value;
  std::size_t at = at_ + 1;
  const auto code = [&](std::size_t digits, unsigned base) -> bool {
    char32_t character = 0;
    std::size_t read = 0;
    for (; read < digits && at < source_.size(); ++read, ++at) {
      const char c = source_[at];
      const int digit = is_digit(c)            ? c - '0'
                        : c >= 'a' && c <= 'f' ? c - 'a' + 10
                        : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                               : 99;
      if (static_cast<unsigned>(digit) >= base) break;
      character = character * base + static_cast<char32_t>(digit);
    }
    if ((base == 16 && read < digits) || character > 0x10FFFF || (character >= 0xD800 && character < 0xE000))
      return false;
    append_character(value, character);
    return true;
  };
  while (at < source_.size() && source_[at] != quote) {
    if (source_[at] != '\\' || at + 1 >= source_.size()) {
      value.push_back(source_[at++]);
      continue;
    }
    const char c = source_[at + 1];
    constexpr std::string_view plain = "\\'\"abfnrtv", meaning = "\\'\"\a\b\f\n\r\t\v";
    at += 2;
    if (const std::size_t known = plain.find(c); known != std::string_view::npos) {
      value.push_back(meaning[known]);
    } else if (c == 'x' || c == 'u' || c == 'U') {
      if (!code(c == 'x' ? 2 : c == 'u' ? 4 : 8, 16)) return refuse("a text has a wrong escape \\" + std::string(1, c));
    } else if (c >= '0' && c <= '7') {
      --at;
      (void)code(3, 8);
    } else if (c == 'N') {
      return refuse("escapes \\N of characters by name are not supported");
    } else if (c != '\n') {
      value.push_back('\\');
      value.push_back(c);
    }
  }
  if (at >= source_.size()) return refuse("a text has no closing quote");
  tokens_.push_back({JinjaToken::Kind::text, std::move(value), line});
  advance(at + 1 - at_);
  return {};
}

}  // namespace kvantage::inline jinja
