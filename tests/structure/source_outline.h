// Functions and classes of a C++ source with their sizes, found by its braces. Knows no types and expands no macros:
// it reads what clang-format has laid out, in this tree.
#pragma once

#include <cctype>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace kvantage::testing {

struct FunctionSize {
  std::string name;
  int line = 0;   // where it begins, with its template's parameters
  int lines = 0;  // up to its closing brace
};

struct ClassSize {
  std::string name;
  int line = 0;
  int functions = 0;  // members with parameters: constructors and operators too, no friends
  int fields = 0;     // members that each object has
};

/// Functions within functions count as lines of these, classes within functions not at all.
struct Outline {
  std::vector<FunctionSize> functions;
  std::vector<ClassSize> classes;
};

struct SourceToken {
  std::string text;  // "" for a text, ' for a character
  int line = 0;
};
using SourceTokens = std::vector<SourceToken>;

/// Tokens without comments and lines of the preprocessor.
class SourceLexer {
 public:
  explicit SourceLexer(std::string_view source) : source_(source) {}

  SourceTokens read() {
    while (at_ < source_.size()) {
      const char c = source_[at_];
      if (c == '\n' || std::isspace(static_cast<unsigned char>(c)) != 0) {
        line_begins_ = line_begins_ || c == '\n';
        pass(at_ + 1);
      } else if (c == '#' && line_begins_) {
        pass(end_of_logical_line());
      } else if (starts("//")) {
        pass(end_of_logical_line());
      } else if (starts("/*")) {
        pass(behind(source_.find("*/", at_ + 2), 2));
      } else {
        take();
      }
    }
    return std::move(tokens_);
  }

 private:
  bool starts(std::string_view text) const { return source_.substr(at_, text.size()) == text; }
  static bool of_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
  std::size_t behind(std::size_t found, std::size_t size) const {
    return found == std::string_view::npos ? source_.size() : found + size;
  }

  void take() {
    line_begins_ = false;
    const char c = source_[at_];
    if (c == '"') return add("\"\"", end_of_quoted('"'));
    if (c == '\'') return add("'", end_of_quoted('\''));
    if (std::isdigit(static_cast<unsigned char>(c)) != 0) return add("0", end_of_number());
    if (!of_word(c)) return add(std::string(source_.substr(at_, starts("::") || starts("->") ? 2 : 1)));
    std::size_t end = at_;
    while (end < source_.size() && of_word(source_[end])) ++end;
    const std::string word(source_.substr(at_, end - at_));
    if (end < source_.size() && source_[end] == '"' && word.back() == 'R') return add("\"\"", end_of_raw(end));
    add(word);
  }
  void add(const std::string& text) { add(text, at_ + text.size()); }
  void add(const std::string& text, std::size_t end) {
    tokens_.push_back({text, line_});
    pass(end);
  }
  void pass(std::size_t end) {
    for (; at_ < end && at_ < source_.size(); ++at_) line_ += source_[at_] == '\n' ? 1 : 0;
  }

  std::size_t end_of_logical_line() const {
    std::size_t end = source_.find('\n', at_);
    while (end != std::string_view::npos && source_[end - 1] == '\\') end = source_.find('\n', end + 1);
    return behind(end, 0);
  }
  std::size_t end_of_quoted(char quote) const {
    std::size_t end = at_ + 1;
    while (end < source_.size() && source_[end] != quote) end += source_[end] == '\\' ? 2 : 1;
    return end + 1;
  }
  std::size_t end_of_number() const {  // 1'000, 0x1p-3, 2e+5F
    std::size_t end = at_;
    const auto continues = [&] {
      const char c = source_[end];
      const bool signed_exponent =
          (c == '+' || c == '-') && std::string_view("eEpP").find(source_[end - 1]) != std::string_view::npos;
      return of_word(c) || c == '.' || c == '\'' || signed_exponent;
    };
    while (end < source_.size() && continues()) ++end;
    return end;
  }
  std::size_t end_of_raw(std::size_t quote) const {
    const std::size_t open = behind(source_.find('(', quote), 0);
    const std::string close = ")" + std::string(source_.substr(quote + 1, open - quote - 1)) + "\"";
    return behind(source_.find(close, open), close.size());
  }

  std::string_view source_;
  std::size_t at_ = 0;
  int line_ = 1;
  bool line_begins_ = true;
  SourceTokens tokens_;
};

/// A declaration up to its body or semicolon, as words; without attributes and without what stands between angle
/// brackets.
class DeclarationHead {
 public:
  explicit DeclarationHead(const SourceTokens& tokens) {
    for (std::size_t at = 0, angles = 0; at < tokens.size(); ++at) {
      const std::string& text = tokens[at].text;
      const auto next = [&](std::size_t by) { return at + by < tokens.size() ? tokens[at + by].text : std::string(); };
      if (text == "operator") {  // its name extends to its parameters
        words_.push_back(text);
        if (next(1) == "(" && next(2) == ")") at += 2;
        while (at + 1 < tokens.size() && next(1) != "(") ++at;
      } else if ((text == "[" && next(1) == "[") || (is_attribute(text) && next(1) == "(")) {
        at = end_of_brackets(tokens, text == "[" ? at : at + 1);
      } else if (text == "<") {
        ++angles;
      } else if (text == ">" && angles > 0) {
        --angles;
      } else if (angles == 0) {
        words_.push_back(text);
      }
    }
    find_parts();
  }

  /// Index of the bracket that closes the one at `at`. Throws where none does.
  static std::size_t end_of_brackets(const SourceTokens& tokens, std::size_t at) {
    for (int depth = 0; at < tokens.size(); ++at)
      if ((depth += depth_of(tokens[at].text)) == 0) return at;
    throw std::runtime_error("brackets do not match");
  }

  std::size_t size() const { return words_.size(); }
  bool has(const char* word) const { return find(word) != npos; }
  bool starts_with_any(std::initializer_list<const char*> words) const {
    for (const char* word : words)
      if (!words_.empty() && words_.front() == word) return true;
    return false;
  }
  /// Empty where it declares no class.
  std::string name_of_class() const {
    if (has_parameters_ || initializer_ != npos) return {};
    for (std::size_t at = 0; at + 1 < words_.size(); ++at) {
      if (words_[at] == "class" || words_[at] == "struct" || words_[at] == "union") return words_[at + 1];
      if (words_[at] != "template") break;
    }
    return {};
  }
  const std::string& name_of_function() const { return name_; }
  bool has_parameters() const { return has_parameters_; }
  bool has_member_initializers() const { return has_member_initializers_; }
  bool initializes_with_lambda() const {
    return initializer_ != npos && initializer_ + 1 < words_.size() && words_[initializer_ + 1] == "[";
  }
  /// "int a, b = 2;" has two.
  int declarators() const { return 1 + commas_; }

 private:
  static constexpr std::size_t npos = std::string::npos;

  static bool is_attribute(const std::string& word) {
    return word == "__launch_bounds__" || word == "__attribute__" || word == "alignas" || word == "decltype" ||
           word == "requires";
  }
  static int depth_of(const std::string& text) {
    if (text == "(" || text == "[" || text == "{") return 1;
    return text == ")" || text == "]" || text == "}" ? -1 : 0;
  }
  std::size_t find(const char* word) const {
    for (std::size_t at = 0; at < words_.size(); ++at)
      if (words_[at] == word) return at;
    return npos;
  }
  void find_parts() {
    const std::size_t open = find("(");
    int depth = 0;
    for (std::size_t at = 0; at < words_.size(); ++at) {
      depth += depth_of(words_[at]);
      if (depth != 0) continue;
      if (words_[at] == "=" && initializer_ == npos) initializer_ = at;
      if (words_[at] == ",") ++commas_;
      if (words_[at] == ":" && at > open) has_member_initializers_ = true;
    }
    const bool of_pointer = open != npos && open + 1 < words_.size() && words_[open + 1] == "*";
    has_parameters_ = open < initializer_ && !of_pointer;
    if (!has_parameters_ || open == 0) return;
    name_ = words_[open - 1];
    for (std::size_t at = open - 1; at >= 2 && words_[at - 1] == "::"; at -= 2) name_ = words_[at - 2] + "::" + name_;
  }

  std::vector<std::string> words_;
  std::string name_;
  std::size_t initializer_ = npos;
  int commas_ = 0;
  bool has_parameters_ = false, has_member_initializers_ = false;
};

/// Walks through namespaces and classes, from declaration to declaration, past bodies of functions.
class OutlineReader {
 public:
  explicit OutlineReader(std::string_view source) : tokens_(SourceLexer(source).read()) {}

  /// Throws where braces do not match.
  Outline read() {
    for (; at_ < tokens_.size(); ++at_) {
      const std::string& text = tokens_[at_].text;
      parentheses_ += text == "(" || text == "[" ? 1 : text == ")" || text == "]" ? -1 : 0;
      const bool inside = parentheses_ > 0;
      if (text == "{" && !inside)
        open();
      else if (text == "}" && !inside)
        close();
      else if (text == ";" && !inside)
        end_declaration();
      else if (text == ":" && !head_.empty() && is_access(head_.back().text))
        head_.clear();
      else
        head_.push_back(tokens_[at_]);
    }
    if (scopes_.size() != 1 || parentheses_ != 0) throw std::runtime_error("brackets do not match");
    return std::move(outline_);
  }

 private:
  struct Scope {
    bool is_class = false;
    ClassSize size;
  };

  static bool is_access(const std::string& word) {
    return word == "public" || word == "protected" || word == "private" || word == "slots" || word == "signals";
  }

  void open() {
    const DeclarationHead head(head_);
    const std::string name = head.name_of_class();
    if (head.has("namespace") || (head.has("extern") && !head.has_parameters())) {
      scopes_.push_back({});
      head_.clear();
    } else if (!name.empty()) {
      scopes_.push_back({true, {name, head_.front().line, 0, 0}});
      head_.clear();
    } else if (head.has_parameters() && !begins_member_initializer(head)) {
      at_ = DeclarationHead::end_of_brackets(tokens_, at_);
      add_function(head.name_of_function());
      if (!head.has("friend")) scopes_.back().size.functions += 1;
      head_.clear();
    } else {  // an initializer, or an enumeration
      const int first = tokens_[at_].line;
      at_ = DeclarationHead::end_of_brackets(tokens_, at_);
      if (head.initializes_with_lambda()) add_function(head_.front().text + " = lambda");
      head_.push_back({"{", first});
      head_.push_back({"}", tokens_[at_].line});
    }
  }
  /// "A() : a_{1} {": its first brace.
  bool begins_member_initializer(const DeclarationHead& head) const {
    const std::string& before = tokens_[at_ - 1].text;
    return head.has_member_initializers() && before != ")" && before != "}";
  }
  /// From its head up to the present token.
  void add_function(const std::string& name) {
    outline_.functions.push_back({name, head_.front().line, tokens_[at_].line - head_.front().line + 1});
  }
  void close() {
    if (scopes_.size() == 1) throw std::runtime_error("brackets do not match");
    head_.clear();
    const Scope closed = scopes_.back();
    scopes_.pop_back();
    if (!closed.is_class) return;
    outline_.classes.push_back(closed.size);
    head_.push_back({closed.size.name, tokens_[at_].line});  // "} field;"
  }
  void end_declaration() {
    const DeclarationHead head(head_);
    head_.clear();
    const bool no_member = head.size() < 2 || head.has("friend") ||
                           head.starts_with_any({"using", "typedef", "static_assert", "enum"}) ||
                           (!head.name_of_class().empty() && head.size() == 2);
    if (!scopes_.back().is_class || no_member) return;
    if (head.has_parameters())
      scopes_.back().size.functions += 1;
    else if (!head.has("static"))
      scopes_.back().size.fields += head.declarators();
  }

  SourceTokens tokens_, head_;
  std::size_t at_ = 0;
  int parentheses_ = 0;
  std::vector<Scope> scopes_{{}};
  Outline outline_;
};

inline Outline outline_of(std::string_view source) { return OutlineReader(source).read(); }

}  // namespace kvantage::testing
