#include "core/text/code/python_comments.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "core/text/code/ngram_match.h"

namespace kvantage::inline code_quality {
namespace {

/// Kinds of tokens as far as comments and docstrings depend on them.
enum class TokenKind { indent, newline, string, comment, other };

struct TokenPlace {
  std::size_t line = 0, column = 0;  // lines from 1; columns in bytes, which only differ by white space of one byte
};

constexpr std::size_t tab_columns = 8;

bool is_word_byte(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

/// Bytes of the line's end at `at` (LF or CR LF), 0 where there is none.
std::size_t line_end_bytes(std::string_view line, std::size_t at) {
  if (line.substr(at, 1) == "\n") return 1;
  return line.substr(at, 2) == "\r\n" ? 2 : 0;
}

/// Bytes of a string's prefix at `at`, like rb, if a quote follows; nothing where no string begins.
std::optional<std::size_t> string_prefix_bytes(std::string_view line, std::size_t at) {
  constexpr std::array<std::string_view, 9> prefixes{"", "b", "r", "u", "f", "br", "rb", "fr", "rf"};
  for (const std::string_view prefix : prefixes) {
    const std::string_view here = line.substr(at, prefix.size());
    const bool same = std::ranges::equal(here, prefix, {}, [](char c) { return static_cast<char>(c | 0x20); });
    const std::string_view quote = line.substr(std::min(at + prefix.size(), line.size()), 1);
    if (same && (quote == "'" || quote == "\"")) return prefix.size();
  }
  return std::nullopt;
}

struct Quotes {
  char mark = '"';
  std::size_t count = 1;  // 1 or 3
};

/// Past the quotes that end a string whose inside is at `at`; nothing if `line` has no such end.
std::optional<std::size_t> string_end(std::string_view line, std::size_t at, Quotes quotes) {
  while (at < line.size()) {
    if (line[at] == '\\') {
      if (at + 1 >= line.size() || line[at + 1] == '\n') return std::nullopt;
      at += 2;
    } else if (line[at] == quotes.mark && (quotes.count == 1 || line.substr(at, 3) == std::string(3, quotes.mark))) {
      return at + quotes.count;
    } else {
      ++at;
    }
  }
  return std::nullopt;
}

/// The same for a string in single quotes on its first line: it may end in a backslash and the line's end instead.
std::optional<std::size_t> first_line_end(std::string_view line, std::size_t at, char mark) {
  while (at < line.size() && line[at] != '\n') {
    if (line[at] == mark) return at + 1;
    if (line[at] != '\\') {
      ++at;
      continue;
    }
    if (const std::size_t end = line_end_bytes(line, at + 1)) return at + 1 + end;
    if (at + 1 >= line.size()) return std::nullopt;
    at += 2;
  }
  return std::nullopt;
}

/// Reads tokens line by line and writes those that stay.
class CommentRemover {
 public:
  explicit CommentRemover(std::string_view source) : rest_(source) { written_.reserve(source.size()); }
  std::optional<std::string> run();

 private:
  enum class Step { proceed, end, refuse };
  Step read_line();
  Step begin_statement();
  bool continue_string();
  void read_token();
  bool read_string();
  void put(TokenKind kind, std::string_view text, TokenPlace begin, TokenPlace end);
  /// A token of the current line, from `begin` to place_.
  void put_from(TokenKind kind, std::size_t begin) {
    put(kind, line_.substr(begin, place_ - begin), {number_, begin}, {number_, place_});
  }

  std::string_view rest_, line_, before_;  // what is not read; the current line with its end, and the one before
  std::size_t number_ = 0, place_ = 0;
  std::vector<std::size_t> indents_{0};
  int brackets_ = 0;        // below 0 after too many closing ones
  bool continued_ = false;  // the last line ended in a backslash
  std::string open_;        // of a string that continues in the next line
  Quotes open_quotes_;
  TokenPlace open_begin_;
  bool open_needs_backslash_ = false;
  std::string written_;
  TokenKind previous_ = TokenKind::indent;
  TokenPlace written_to_;
};

void CommentRemover::put(TokenKind kind, std::string_view text, TokenPlace begin, TokenPlace end) {
  if (begin.line > written_to_.line) written_to_.column = 0;
  if (begin.column > written_to_.column) written_.append(begin.column - written_to_.column, ' ');
  const bool begins_statement = previous_ == TokenKind::indent || previous_ == TokenKind::newline;
  const bool docstring = kind == TokenKind::string && (begins_statement || begin.column == 0);
  if (kind != TokenKind::comment && !docstring) written_ += text;
  previous_ = kind;
  written_to_ = end;
}

// True when the string ended in this line, and the rest of the line is to be read.
bool CommentRemover::continue_string() {
  if (const auto end = string_end(line_, 0, open_quotes_)) {
    place_ = *end;
    open_ += line_.substr(0, place_);
    put(TokenKind::string, open_, open_begin_, {number_, place_});
    open_.clear();
    open_needs_backslash_ = false;
    return true;
  }
  open_ += line_;
  if (open_needs_backslash_ && !line_.ends_with("\\\n") && !line_.ends_with("\\\r\n")) {
    put(TokenKind::other, open_, open_begin_, {number_, line_.size()});
    open_.clear();
  }
  return false;
}

CommentRemover::Step CommentRemover::begin_statement() {
  std::size_t column = 0;
  for (; place_ < line_.size(); ++place_) {
    if (line_[place_] == ' ')
      ++column;
    else if (line_[place_] == '\t')
      column = (column / tab_columns + 1) * tab_columns;
    else if (line_[place_] == '\f')
      column = 0;
    else
      break;
  }
  if (place_ == line_.size()) return Step::end;
  const char first = line_[place_];
  if (first == '#' || first == '\r' || first == '\n') {
    const std::size_t begin = place_;
    if (first == '#') {
      place_ = line_.find_last_not_of("\r\n") + 1;
      put_from(TokenKind::comment, begin);
    }
    const std::size_t end_begin = place_;
    place_ = line_.size();
    put_from(TokenKind::other, end_begin);
    return Step::proceed;
  }
  if (column > indents_.back()) {
    indents_.push_back(column);
    put_from(TokenKind::indent, 0);
  }
  while (column < indents_.back()) {
    if (std::ranges::find(indents_, column) == indents_.end()) return Step::refuse;
    indents_.pop_back();
    put_from(TokenKind::other, place_);
  }
  return Step::proceed;
}

// False where the quote begins no string: it is never closed.
bool CommentRemover::read_string() {
  const auto prefix = string_prefix_bytes(line_, place_);
  if (!prefix) return false;
  const std::size_t begin = place_, quote = place_ + *prefix;
  const char mark = line_[quote];
  const bool triple = line_.substr(quote, 3) == std::string(3, mark);
  const auto end = triple ? string_end(line_, quote + 3, {mark, 3}) : first_line_end(line_, quote + 1, mark);
  if (!end && !triple) return false;
  if (end && (triple || line_[*end - 1] != '\n')) {
    place_ = *end;
    put_from(TokenKind::string, begin);
    return true;
  }
  open_ = line_.substr(begin);
  open_quotes_ = {mark, triple ? std::size_t{3} : std::size_t{1}};
  open_begin_ = {number_, begin};
  if (!triple) open_needs_backslash_ = true;  // it stays so after a string that lacked it, as in the module
  place_ = line_.size();
  return true;
}

void CommentRemover::read_token() {
  while (place_ < line_.size() && (line_[place_] == ' ' || line_[place_] == '\f' || line_[place_] == '\t')) ++place_;
  if (place_ == line_.size()) return;
  const std::size_t begin = place_;
  const char first = line_[begin];
  if (const std::size_t end = line_end_bytes(line_, begin)) {
    place_ += end;
    put_from(brackets_ > 0 ? TokenKind::other : TokenKind::newline, begin);
  } else if (first == '\\' && line_end_bytes(line_, begin + 1) > 0) {
    continued_ = true;
    place_ = line_.size();
  } else if (first == '#') {
    place_ = std::min(line_.find_first_of("\r\n", begin), line_.size());
    put_from(TokenKind::comment, begin);
  } else if (!read_string()) {
    ++place_;
    if (is_word_byte(first))
      while (place_ < line_.size() && is_word_byte(line_[place_])) ++place_;
    brackets_ += first == '(' || first == '[' || first == '{' ? 1 : 0;
    brackets_ -= first == ')' || first == ']' || first == '}' ? 1 : 0;
    put_from(TokenKind::other, begin);
  }
}

CommentRemover::Step CommentRemover::read_line() {
  const std::size_t end = rest_.find('\n');
  before_ = line_;
  line_ = rest_.substr(0, end == std::string_view::npos ? rest_.size() : end + 1);
  rest_.remove_prefix(line_.size());
  ++number_;
  place_ = 0;
  if (!open_.empty()) {
    if (line_.empty()) return Step::refuse;
    if (!continue_string()) return Step::proceed;
  } else if (brackets_ == 0 && !continued_) {
    if (line_.empty()) return Step::end;
    if (const Step step = begin_statement(); step != Step::proceed) return step;
  } else {
    if (line_.empty()) return Step::refuse;
    continued_ = false;
  }
  while (place_ < line_.size()) read_token();
  return Step::proceed;
}

std::optional<std::string> CommentRemover::run() {
  Step step = Step::proceed;
  while (step == Step::proceed) step = read_line();
  if (step == Step::refuse) return std::nullopt;
  // The end of a last line without one.
  if (!before_.empty() && before_.back() != '\n' && before_.back() != '\r' && !stripped_code(before_).starts_with('#'))
    put(TokenKind::newline, "", {number_ - 1, before_.size()}, {number_ - 1, before_.size()});
  std::string kept;
  kept.reserve(written_.size());
  bool first = true;
  for (std::size_t begin = 0; begin <= written_.size();) {
    const std::size_t end = std::min(written_.find('\n', begin), written_.size());
    const std::string_view line = std::string_view(written_).substr(begin, end - begin);
    if (!stripped_code(line).empty()) {
      if (!std::exchange(first, false)) kept += '\n';
      kept += line;
    }
    begin = end + 1;
  }
  return kept;
}

}  // namespace

std::optional<std::string> without_comments(std::string_view source) { return CommentRemover(source).run(); }

}  // namespace kvantage::inline code_quality
